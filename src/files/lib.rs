//! Files of the outside: one rule for what is read, one for what is written.
//!
//! - Read is a regular file, whether it is named or a link leads to it, and never more
//!   of it than a limit ([`read_bounded`], [`read_text`], [`open`]). Nothing waits for a
//!   pipe and nothing reads a device.
//! - Written is what is new or a regular file ([`replace`], [`Staged`]): beside it first,
//!   then renamed, so that a kill at any moment leaves the old version or the new one. A
//!   link is followed to a regular file or refused, and is never replaced itself. The
//!   umask is honoured, and a file that was there keeps its permissions.
//! - Whoever reads, changes and writes does so under a [`Lock`].

mod lock;
mod read;
mod write;

pub use lock::Lock;
pub use read::{open, read_bounded, read_text};
pub use write::{Staged, Stamp, create, end_of, replace, sweep};

use std::io;

/// Flags of `open` that never wait: neither for a writer of a pipe nor for a line.
const AT_ONCE: i32 = rustix::fs::OFlags::NONBLOCK.bits() as i32;

/// What stands under a name and is no file.
fn no_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

/// An error of the system in plain words, without its number.
pub fn plain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".into(),
        io::ErrorKind::StorageFull => "the disk is full".into(),
        io::ErrorKind::QuotaExceeded => "the disk quota is used up".into(),
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            "a file stands where a folder is needed".into()
        }
        _ => {
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or(&text);
            let mut rest = text.chars();
            let first = rest.next().map(|first| first.to_lowercase());
            first.into_iter().flatten().chain(rest).collect()
        }
    }
}
