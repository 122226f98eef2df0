//! Files that the learner asks for by a key: beside each other, under a name that
//! nothing has.

use std::io;
use std::path::{Path, PathBuf};

use crate::desk::Host;
use course::{create, plain};

/// Names that are tried: `tutor-lab`, `tutor-lab-2` and so on.
const MOST: usize = 1000;

impl Host {
    /// Writes files of one name, each a kind of file and its text, where the program was
    /// started, else into the state folder. Nothing that stands is replaced. What was
    /// written is said.
    ///
    /// # Errors
    /// A sentence: neither folder can be written.
    pub fn export(&self, name: &str, files: &[(&str, String)]) -> Result<String, String> {
        let here = std::env::current_dir().map_err(|e| plain(&e));
        let here = here.and_then(|here| self.export_into(&here, name, files));
        let why = match here {
            Ok(said) => return Ok(format!("Written: {said}.")),
            Err(why) => why,
        };
        let refuge = self.places.state.join("pictures");
        let made = std::fs::create_dir_all(&refuge).map_err(|e| plain(&e));
        match made.and_then(|()| self.export_into(&refuge, name, files)) {
            Ok(said) => Ok(format!(
                "This folder cannot be written ({why}). Written: {said}."
            )),
            Err(other) => Err(format!(
                "Nothing was written: {why} in this folder, {other} in {}.",
                self.places.shown(&refuge)
            )),
        }
    }

    fn export_into(
        &self,
        folder: &Path,
        name: &str,
        files: &[(&str, String)],
    ) -> Result<String, String> {
        let paths = write(folder, name, files).map_err(|error| plain(&error))?;
        let shown: Vec<String> = paths.iter().map(|path| self.places.shown(path)).collect();
        Ok(shown.join(" and "))
    }
}

/// Files of the first name that none of them has.
fn write(folder: &Path, name: &str, files: &[(&str, String)]) -> io::Result<Vec<PathBuf>> {
    'names: for number in 1..=MOST {
        let name = match number {
            1 => name.to_owned(),
            n => format!("{name}-{n}"),
        };
        let path = |kind: &str| folder.join(format!("{name}.{kind}"));
        // A link that leads nowhere stands there, too.
        let taken = |path: PathBuf| path.symlink_metadata().is_ok();
        if files.iter().any(|(kind, _)| taken(path(kind))) {
            continue;
        }
        let mut made = Vec::new();
        for (kind, text) in files {
            if !create(&path(kind), text.as_bytes())? {
                // Somebody was faster.
                continue 'names;
            }
            made.push(path(kind));
        }
        return Ok(made);
    }
    Err(io::Error::other(format!(
        "{MOST} files of this name stand there"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn nothing_that_stands_is_replaced_and_files_of_one_name_stay_together() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let files = [("svg", "<svg/>".to_owned()), ("csv", "a\n".to_owned())];
        let names = |made: Vec<PathBuf>| -> Vec<String> {
            let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
            made.iter().map(name).collect()
        };
        let made = write(folder.path(), "lab", &files).unwrap();
        assert_eq!(names(made), ["lab.svg", "lab.csv"]);
        // A picture alone, a folder, a link that leads nowhere: each takes its number.
        fs::write(at("lab-2.svg"), "mine").unwrap();
        fs::create_dir(at("lab-3.csv")).unwrap();
        symlink("gone", at("lab-4.svg")).unwrap();
        let made = write(folder.path(), "lab", &files).unwrap();
        assert_eq!(names(made), ["lab-5.svg", "lab-5.csv"]);
        assert_eq!(fs::read(at("lab-2.svg")).unwrap(), b"mine");
        assert!(!at("gone").exists() && at("lab-3.csv").is_dir());
        assert!(write(&at("none"), "lab", &files).is_err());
    }
}
