//! Files that survive a kill at any moment, and reads that stay in bounds.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use tempfile::NamedTempFile;

/// How long to wait for another process that is writing. Writes take milliseconds.
const PATIENCE: Duration = Duration::from_millis(1500);

/// A new version of a file, complete on disk under a temporary name.
///
/// A kill before [`Staged::commit`] leaves the old version, a kill after it the
/// new one; `rename` is the only step that anyone can see.
#[derive(Debug)]
pub struct Staged {
    temporary: NamedTempFile,
    target: PathBuf,
}

impl Staged {
    /// Writes `bytes` beside `target` and waits until they are on disk.
    ///
    /// # Errors
    /// Those of creating and writing a file in the target's folder.
    pub fn new(target: &Path, bytes: &[u8]) -> io::Result<Self> {
        // A link stays a link: its end is what gets replaced.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let folder = target
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        if let Ok(old) = fs::metadata(&target)
            && old.permissions().readonly()
        {
            return Err(io::Error::from(io::ErrorKind::PermissionDenied));
        }
        let mut temporary = tempfile::Builder::new()
            .prefix(&format!(".{name}."))
            .suffix(".tmp")
            .permissions(mode_of(&target))
            .tempfile_in(folder)?;
        temporary.write_all(bytes)?;
        temporary.as_file().sync_all()?;
        Ok(Self { temporary, target })
    }

    /// What the new version will be told by once it is in place.
    pub fn stamp(&self) -> Option<Stamp> {
        Stamp::of(self.temporary.path())
    }

    /// Puts the new version in place of the old one.
    ///
    /// # Errors
    /// Those of `rename`; the old version is then still there.
    pub fn commit(self) -> io::Result<()> {
        let folder = self.target.parent().map(Path::to_owned);
        self.temporary
            .persist(&self.target)
            .map_err(|error| error.error)?;
        // The rename itself is durable only once the folder is. Some file
        // systems refuse this, and then there is nothing more to do.
        if let Some(folder) = folder.and_then(|folder| File::open(folder).ok()) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

/// Replaces a file by `bytes`, whole or not at all.
///
/// # Errors
/// Those of writing into the file's folder.
pub fn replace(target: &Path, bytes: &[u8]) -> io::Result<()> {
    Staged::new(target, bytes)?.commit()
}

/// Permissions of the file that is there, or those that a new file gets.
fn mode_of(target: &Path) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(target).map_or_else(
        |_| fs::Permissions::from_mode(0o644),
        |old| old.permissions(),
    )
}

/// Removes what a killed writer of `target` left beside it. Call it under the lock.
pub(crate) fn sweep(target: &Path) {
    let (Some(folder), Some(name)) = (target.parent(), target.file_name()) else {
        return;
    };
    let prefix = format!(".{}.", name.to_string_lossy());
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(&prefix) && name.ends_with(".tmp") {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Held while a process reads, merges and writes; let go when dropped or killed.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock file `path`. None where there can be no lock (a
    /// folder that cannot be written, a file system without locks) or where
    /// another process held it for longer than any write takes.
    pub fn take(path: &Path) -> Option<Self> {
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .ok()?;
        let since = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Some(Self { _file: file }),
                Err(TryLockError::WouldBlock) if since.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
    }
}

/// What tells one version of a file from another without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    length: u64,
    changed: Option<SystemTime>,
}

impl Stamp {
    /// The version on disk now; None where there is no file.
    pub fn of(path: &Path) -> Option<Self> {
        let data = fs::metadata(path).ok()?;
        Some(Self {
            length: data.len(),
            changed: data.modified().ok(),
        })
    }
}

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// Those of opening and reading; `InvalidInput` for what is no regular file,
/// `FileTooLarge` above the limit.
pub fn read_bounded(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    // A pipe would block at open, so ask first.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ));
    }
    let mut bytes = Vec::new();
    File::open(path)?
        .take(limit as u64 + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() > limit {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("larger than {} KiB", limit / 1024),
        ));
    }
    Ok(bytes)
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
            text.split(" (os error")
                .next()
                .unwrap_or(&text)
                .to_lowercase()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_is_killed_before_its_rename_leaves_the_old_version() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sheet.toml");
        replace(&path, b"old").expect("written");
        let staged = Staged::new(&path, b"new").expect("staged");
        // A killed process runs no destructors.
        std::mem::forget(staged);
        assert_eq!(fs::read(&path).expect("still there"), b"old");
        let left = fs::read_dir(folder.path()).expect("listed").count();
        assert_eq!(left, 2, "the old version and the orphan");
        replace(&path, b"newer").expect("written over");
        sweep(&path);
        assert_eq!(fs::read(&path).expect("there"), b"newer");
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 1);
    }

    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().expect("a folder");
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        replace(&real, b"old").expect("written");
        std::os::unix::fs::symlink(&real, &link).expect("linked");
        replace(&link, b"new").expect("written");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::read(&real).expect("there"), b"new");
    }

    #[test]
    fn reads_stop_at_the_limit_and_at_what_is_no_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("big");
        fs::write(&path, vec![b'a'; 2049]).expect("written");
        assert_eq!(read_bounded(&path, 2049).expect("fits").len(), 2049);
        let error = read_bounded(&path, 2048).expect_err("too large");
        assert_eq!(plain(&error), "larger than 2 kib");
        assert!(read_bounded(folder.path(), 10).is_err());
        assert!(read_bounded(Path::new("/dev/zero"), 10).is_err());
    }

    #[test]
    fn a_lock_is_held_by_one_and_let_go_when_dropped() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        let first = Lock::take(&path);
        assert!(first.is_some());
        let second = OpenOptions::new().write(true).open(&path).expect("opened");
        assert!(second.try_lock().is_err());
        drop(first);
        assert!(second.try_lock().is_ok());
        assert!(Lock::take(&folder.path().join("no/such/folder")).is_none());
    }
}
