//! Times that do not cry wolf: plans are timed in turns, in random order; a difference
//! is stated with its interval or not at all; what disturbed a measurement is said.
//!
//! | module | holds |
//! |---|---|
//! | `rounds` | which plan runs next, and what came of all of them |
//! | `verdict` | whether two plans differ, and the words for it |
//! | `interval` | the interval of a median: paired bootstrap, never narrower than the signs allow |
//! | `since` | whether a time changed since a baseline, which was not taken in turns |
//! | `quiet` | drift and a busy machine |
//! | `roof` | a ceiling of a machine, kept where three measurements of it agree |

mod interval;
mod quiet;
mod roof;
mod rounds;
mod since;
mod verdict;

pub use interval::{Interval, LEAST, of_median, of_ratio};
pub(crate) use quiet::{LONG, LOOSE};
pub use quiet::{Trouble, trouble};
pub use roof::{Agreed, Apart, agreed};
pub use rounds::{Rounds, Timed, Visit};
pub use since::Since;
pub use verdict::{ALARMS, Verdict, VerdictJson, median, share, spread, time};

#[cfg(test)]
pub(crate) use tests::{measured, report, timed_in_turns};

#[cfg(test)]
mod tests;
