//! Writes that survive a kill at any moment and replace nothing but files.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::NamedTempFile;

use super::no_file;

/// What a new file is made with; the umask takes its part away.
const NEW: u32 = 0o666;

/// The path that a write to `path` goes to: itself where nothing or a regular file
/// stands there, the end of a link that leads to a regular file.
///
/// # Errors
/// `InvalidInput` for what may not be replaced: a folder, a pipe, a device, a link
/// that leads to none of them or nowhere. `PermissionDenied` for a file that is
/// read-only, to the superuser too.
pub fn end_of(path: &Path) -> io::Result<PathBuf> {
    let there = match fs::symlink_metadata(path) {
        Ok(there) => there,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(path.to_owned()),
        Err(error) => return Err(error),
    };
    let (end, there) = if there.is_symlink() {
        let end = fs::canonicalize(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                io::Error::new(io::ErrorKind::InvalidInput, "a link that leads nowhere")
            }
            _ => error,
        })?;
        let there = fs::metadata(&end)?;
        (end, there)
    } else {
        (path.to_owned(), there)
    };
    if !there.is_file() {
        return Err(no_file());
    }
    if there.permissions().readonly() {
        return Err(io::Error::from(io::ErrorKind::PermissionDenied));
    }
    Ok(end)
}

/// A new version of a file, under a temporary name beside it.
///
/// A kill before [`Staged::commit`] leaves the old version, a kill after it the
/// new one; `rename` is the only step that anyone can see.
#[derive(Debug)]
pub struct Staged {
    temporary: NamedTempFile,
    target: PathBuf,
}

impl Staged {
    /// An empty new version of `target`, to be written to.
    ///
    /// # Errors
    /// Those of [`end_of`], and of creating a file in the target's folder.
    pub fn begin(target: &Path) -> io::Result<Self> {
        let target = end_of(target)?;
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let temporary = tempfile::Builder::new()
            .prefix(&format!(".{name}."))
            .suffix(".tmp")
            .permissions(Permissions::from_mode(NEW))
            .tempfile_in(folder_of(&target))?;
        if let Ok(old) = fs::metadata(&target) {
            let file = temporary.as_file();
            file.set_permissions(old.permissions())?;
            // Only the superuser can, and only the superuser needs to.
            let _ = fchown(file, Some(old.uid()), Some(old.gid()));
        }
        Ok(Self { temporary, target })
    }

    /// A new version of `target` that holds `bytes`.
    ///
    /// # Errors
    /// Those of [`Staged::begin`] and of writing.
    pub fn new(target: &Path, bytes: &[u8]) -> io::Result<Self> {
        let mut staged = Self::begin(target)?;
        staged.write_all(bytes)?;
        Ok(staged)
    }

    /// What the new version will be told by once it is in place.
    pub fn stamp(&self) -> Option<Stamp> {
        Stamp::of(self.temporary.path())
    }

    /// Waits until the new version is on disk, and puts it in place of the old one.
    ///
    /// # Errors
    /// Those of `fsync` and `rename`; the old version is then still there.
    pub fn commit(self) -> io::Result<()> {
        self.temporary.as_file().sync_all()?;
        // What came to stand there since the beginning may be no file.
        if end_of(&self.target)? != self.target {
            return Err(no_file());
        }
        self.temporary
            .persist(&self.target)
            .map_err(|error| error.error)?;
        settle(folder_of(&self.target));
        Ok(())
    }
}

impl Write for Staged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temporary.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.as_file_mut().flush()
    }
}

/// Replaces a file by `bytes`, whole or not at all, or makes it.
///
/// # Errors
/// Those of [`Staged::begin`], and of writing into the file's folder.
pub fn replace(target: &Path, bytes: &[u8]) -> io::Result<()> {
    Staged::new(target, bytes)?.commit()
}

/// Makes a file that holds `bytes`, whole or not at all. `false` where a file stands
/// there already; it is left as it is.
///
/// # Errors
/// As [`replace`].
pub fn create(target: &Path, bytes: &[u8]) -> io::Result<bool> {
    let end = end_of(target)?;
    if end.exists() {
        return Ok(false);
    }
    let mut staged = Staged::begin(&end)?;
    staged.write_all(bytes)?;
    staged.temporary.as_file().sync_all()?;
    match staged.temporary.persist_noclobber(&end) {
        Ok(_) => {
            settle(folder_of(&end));
            Ok(true)
        }
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error),
    }
}

/// A rename is durable only once the folder is. Some file systems refuse this, and
/// then there is nothing more to do.
fn settle(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

fn folder_of(target: &Path) -> &Path {
    target
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Removes what a killed writer of `target` left beside it. Call it under the lock.
pub fn sweep(target: &Path) {
    let target = end_of(target).unwrap_or_else(|_| target.to_owned());
    let prefix = format!(
        ".{}.",
        target.file_name().unwrap_or_default().to_string_lossy()
    );
    let Ok(entries) = fs::read_dir(folder_of(&target)) else {
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::super::plain;
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_write_that_is_killed_before_its_rename_leaves_the_old_version() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheet.toml");
        replace(&path, b"old").unwrap();
        let staged = Staged::new(&path, b"new").unwrap();
        // A killed process runs no destructors.
        std::mem::forget(staged);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 2, "the old version and the orphan");
        replace(&path, b"newer").unwrap();
        sweep(&path);
        assert_eq!(fs::read(&path).unwrap(), b"newer");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        replace(&real, b"old").unwrap();
        symlink(&real, &link).unwrap();
        replace(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");
    }

    #[test]
    fn nothing_that_is_no_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert!(
            Command::new("mkfifo")
                .arg(at("pipe"))
                .status()
                .unwrap()
                .success()
        );
        fs::create_dir(at("folder")).unwrap();
        for (link, to) in [
            ("to-pipe", "pipe"),
            ("to-nothing", "gone"),
            ("round", "round"),
        ] {
            symlink(to, at(link)).unwrap();
        }
        fs::write(at("kept"), "kept").unwrap();
        fs::set_permissions(at("kept"), Permissions::from_mode(0o444)).unwrap();
        for (name, says) in [
            ("pipe", "not a regular file"),
            ("folder", "not a regular file"),
            ("to-pipe", "not a regular file"),
            ("to-nothing", "a link that leads nowhere"),
            ("round", ""),
            ("kept", "permission denied"),
            ("none/x", "there is no such file or folder"),
        ] {
            let before = fs::symlink_metadata(at(name)).map(|m| m.file_type()).ok();
            for refused in [replace(&at(name), b"x").unwrap_err(), {
                match create(&at(name), b"x") {
                    Err(error) => error,
                    // A file is no error: it is left alone.
                    Ok(made) => {
                        assert!(!made && name == "kept");
                        io::Error::from(io::ErrorKind::PermissionDenied)
                    }
                }
            }] {
                assert!(plain(&refused).contains(says), "{name}: {refused}");
            }
            let after = fs::symlink_metadata(at(name)).map(|m| m.file_type()).ok();
            assert_eq!(before, after, "{name}");
        }
        assert!(!at("gone").exists());
        assert_eq!(fs::read(at("kept")).unwrap(), b"kept");
    }

    #[test]
    fn permissions_are_the_files_own_or_the_umasks() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        // Whatever the umask is, another program that makes a file has it too.
        fs::write(at("other"), "x").unwrap();
        replace(&at("new"), b"x").unwrap();
        create(&at("made"), b"x").unwrap();
        assert_eq!(
            (mode(&at("new")), mode(&at("made"))),
            (mode(&at("other")), mode(&at("other")))
        );
        for kept in [0o600, 0o666, 0o755] {
            fs::set_permissions(at("new"), Permissions::from_mode(kept)).unwrap();
            replace(&at("new"), b"y").unwrap();
            assert_eq!(mode(&at("new")), kept);
        }
    }

    #[test]
    fn what_comes_to_stand_there_meanwhile_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let staged = Staged::new(&path, b"x").unwrap();
        fs::create_dir(&path).unwrap();
        assert!(staged.commit().is_err());
        assert!(path.is_dir());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_is_made_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page");
        assert!(create(&path, b"first").unwrap());
        assert!(!create(&path, b"second").unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
