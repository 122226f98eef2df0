//! Reads that end: regular files, up to a limit.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::{AT_ONCE, no_file};

/// Opens a regular file for reading.
///
/// # Errors
/// Those of opening; `InvalidInput` for what is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    // Opening is enough for a pipe to wait and for some devices to act, so ask first.
    if !fs::metadata(path)?.is_file() {
        return Err(no_file());
    }
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(AT_ONCE)
        .open(path)?;
    // Something else may have come to stand there meanwhile.
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(no_file()),
    }
}

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// Those of opening and reading; `InvalidInput` for what is no regular file,
/// `FileTooLarge` above the limit.
pub fn read_bounded(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let length = file.metadata()?.len();
    if length > limit as u64 {
        return Err(too_large(limit));
    }
    let mut bytes = Vec::with_capacity(length as usize);
    // It may grow while it is read.
    file.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    match bytes.len() > limit {
        true => Err(too_large(limit)),
        false => Ok(bytes),
    }
}

/// Reads a text file of at most `limit` bytes.
///
/// # Errors
/// As [`read_bounded`]; `InvalidData` with the line for what is not UTF-8.
pub fn read_text(path: &Path, limit: usize) -> io::Result<String> {
    String::from_utf8(read_bounded(path, limit)?).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let before = error.as_bytes().get(..good).unwrap_or_default();
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("it is not UTF-8 at line {line}"),
        )
    })
}

fn too_large(limit: usize) -> io::Error {
    let limit = match limit >> 20 {
        0 => format!("{} KiB", limit >> 10),
        mib => format!("{mib} MiB"),
    };
    io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {limit}"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::super::plain;
    use super::*;

    #[test]
    fn reads_stop_at_the_limit_and_say_it_as_people_write_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("big");
        fs::write(&path, vec![b'a'; 2049]).unwrap();
        assert_eq!(read_bounded(&path, 2049).unwrap().len(), 2049);
        let said = |limit| plain(&read_bounded(&path, limit).unwrap_err());
        assert_eq!(said(2048), "larger than 2 KiB");
        // A file without contents on disk is as large as it says.
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(said(3 << 20), "larger than 3 MiB");
    }

    #[test]
    fn what_is_no_file_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert!(
            Command::new("mkfifo")
                .arg(at("pipe"))
                .status()
                .unwrap()
                .success()
        );
        symlink(at("pipe"), at("link")).unwrap();
        symlink("round", at("round")).unwrap();
        for path in [
            at("pipe"),
            at("link"),
            folder.path().to_owned(),
            "/dev/zero".into(),
        ] {
            let error = read_bounded(&path, 10).unwrap_err();
            assert_eq!(plain(&error), "not a regular file", "{}", path.display());
        }
        assert!(open(&at("round")).is_err());
        assert_eq!(
            open(&at("none")).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
    }

    #[test]
    fn what_is_no_text_says_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        fs::write(&path, b"one\ntwo \xff").unwrap();
        let error = read_text(&path, 100).unwrap_err();
        assert_eq!(plain(&error), "it is not UTF-8 at line 2");
        fs::write(&path, "zwei µs").unwrap();
        assert_eq!(read_text(&path, 100).unwrap(), "zwei µs");
    }
}
