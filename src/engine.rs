//! Runs away from the screen: a worker thread that takes the newest request,
//! reports progress, and stops when told to.

mod worker;

pub use worker::{Event, Worker};
