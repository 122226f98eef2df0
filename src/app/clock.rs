//! Time as the workshop knows it.

/// Milliseconds since the workshop was opened. The clock is outside; here
/// time is only ever read from an [`Event`](super::message::Event).
pub type Millis = u64;
