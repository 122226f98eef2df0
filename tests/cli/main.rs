//! The real binary, run as a shell runs it: exit codes, sentences, documents.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

mod authors;
mod check;
mod claims;
mod cost;
mod device;
mod export;
mod files;
mod hostile;
mod learn;
mod lists;
mod pipes;
mod profile;
mod program;
mod run;
mod session;
mod study;
mod usage;
mod width;
mod written;
