//! Searches of a space of settings, each pure: it asks for the time of a point and is
//! told. All of them have the same budget and are compared by what they found after as
//! many measurements.
//!
//! | module | holds |
//! |---|---|
//! | `space` | settings, points, and the trace of a search |
//! | `simple` | exhaustive, random, successive halving |
//! | `bayes` | a Gaussian process and its expected improvement |

mod bayes;
mod simple;
mod space;

pub use bayes::bayes;
pub use simple::{exhaustive, halving, random};
pub use space::{Measured, Point, Space, Trace};

/// A search: the space, what measures, how many measurements, and a seed.
pub type Search = fn(&Space, &mut Measured<'_>, usize, u64);

/// Every search by its name.
pub const SEARCHES: [(&str, Search); 4] = [
    ("exhaustive", exhaustive),
    ("random", random),
    ("halving", halving),
    ("Bayesian", bayes),
];

#[cfg(test)]
mod tests;
