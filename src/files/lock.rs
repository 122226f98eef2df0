//! A lock on what several processes read, change and write.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use super::{AT_ONCE, end_of, no_file};

/// How long to wait for another process that is writing. Writes take milliseconds.
const PATIENCE: Duration = Duration::from_millis(1500);

/// Held while a process reads, merges and writes; let go when dropped or killed.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock file `path`. None where there can be no lock: in a folder
    /// that cannot be written, where no write follows, and on a file system without
    /// locks.
    ///
    /// # Errors
    /// Something else than a file under this name, or another process that has held
    /// the lock for longer than any write takes. Nothing may be written then.
    pub fn take(path: &Path) -> io::Result<Option<Self>> {
        match end_of(path) {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => return Err(error),
            _ => {}
        }
        let open = |write: bool| {
            let mut how = OpenOptions::new();
            how.read(true).write(write).create(write).truncate(false);
            how.custom_flags(AT_ONCE).open(path)
        };
        // A file that may only be read can be locked all the same.
        let Ok(file) = open(true).or_else(|_| open(false)) else {
            return Ok(None);
        };
        if !file.metadata()?.is_file() {
            return Err(no_file());
        }
        let since = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Self { _file: file })),
                Err(TryLockError::WouldBlock) if since.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(io::Error::new(
                        io::ErrorKind::WouldBlock,
                        format!(
                            "another process has held it for {} ms",
                            PATIENCE.as_millis()
                        ),
                    ));
                }
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(TryLockError::Error(_)) => return Ok(None),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::super::plain;
    use super::*;

    #[test]
    fn a_lock_is_held_by_one_and_let_go_when_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = Lock::take(&path).unwrap();
        assert!(first.is_some());
        let held = Lock::take(&path).unwrap_err();
        assert_eq!(plain(&held), "another process has held it for 1500 ms");
        drop(first);
        assert!(Lock::take(&path).unwrap().is_some());
        assert!(
            Lock::take(&folder.path().join("no/such/folder"))
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn what_is_no_file_is_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        assert!(
            Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        let refused = Lock::take(&path).unwrap_err();
        assert_eq!(plain(&refused), "not a regular file");
        assert!(Lock::take(folder.path()).is_err());
    }
}
