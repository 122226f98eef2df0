//! What several integration tests share.
#![allow(dead_code, missing_docs)]

pub mod pty;
