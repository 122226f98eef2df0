//! What several integration tests share.
#![allow(
    dead_code,
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests stop at the first surprise; each uses what it needs"
)]

pub mod fake_engine;
pub mod pty;
