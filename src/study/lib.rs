//! What runs and profilers said, beside the plan. Pure.
//!
//! | module | holds |
//! |---|---|
//! | [`timing`] | plans timed in turns, and what can be said of the times |
//! | [`lab`] | experiments over reports: comparisons, counts |
//! | [`catalogue`] | what a study is, and the list of them; [`evidence`] is what it asks of a machine and gets, [`findings`] what it says |
//! | [`calibration`] | what the parts of a forward cost on a machine, and the time of any other |
//! | [`search`] | searches of a space of settings; [`learned`] is what a study leaves to later runs |
//! | [`studies`] | the studies, each a value: what is asked of a machine, how it is reduced |
//! | [`profile`] | what a vendor's profiler wrote, read and set beside the plan; samples of it |

pub mod calibration;
pub mod catalogue;
pub mod evidence;
pub mod findings;
pub mod lab;
pub mod learned;
pub mod profile;
pub mod search;
pub mod studies;
pub mod timing;
