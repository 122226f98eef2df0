//! The folder of an export: which files are ours, and nothing written by halves.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::page::{Book, MARK};
use crate::cli::Outcome;
use crate::cli::desk::Desk;
use crate::cli::failure::Failure;
use crate::cli::out::Out;
use crate::cli::written::unwritten;
use course::Lesson;
use files::{open, plain, read_bounded, replace};

const INDEX: &str = "index";

/// Bytes of a file in which [`MARK`] stands where we wrote it.
const HEAD: u64 = 512;

/// What stands where a file is to be written.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::cli) enum Standing {
    /// Nothing is there.
    Nothing,
    /// A file that this program wrote.
    Ours,
    /// Somebody else's.
    Foreign,
    /// A folder, a pipe: nothing that a file may replace.
    NoFile,
}

/// What stands there; a file of ours has `mark` near its beginning.
pub(in crate::cli) fn standing(path: &Path, mark: &str) -> Standing {
    if fs::symlink_metadata(path).is_err() {
        return Standing::Nothing;
    }
    match fs::metadata(path) {
        Ok(data) if !data.is_file() => return Standing::NoFile,
        Ok(_) => {}
        // A link that leads nowhere is somebody's all the same.
        Err(_) => return Standing::Foreign,
    }
    let mut head = Vec::new();
    let read = open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    match read {
        Ok(_) if String::from_utf8_lossy(&head).contains(mark) => Standing::Ours,
        _ => Standing::Foreign,
    }
}

fn path_of(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.html"))
}

/// Writes the lessons `named` (all where none is) into `folder`, and the index.
/// The index also lists lessons that an earlier export left there.
pub(super) fn write(
    desk: &Desk,
    folder: &Path,
    named: &[String],
    force: bool,
    out: &mut Out,
) -> Outcome {
    let chosen: Vec<&Lesson> = if named.is_empty() {
        desk.course.lessons().collect()
    } else {
        let found = named.iter().map(|typed| desk.lesson(typed));
        found.collect::<Result<_, _>>()?
    };
    if chosen.iter().any(|lesson| lesson.id == INDEX) {
        return Err(Failure::content(
            "the lesson index would take the place of index.html; give lessons/index.md another name",
        ));
    }
    let is_chosen = |lesson: &Lesson| chosen.iter().any(|c| c.id == lesson.id);
    let book = Book {
        desk,
        lessons: desk
            .course
            .lessons()
            .filter(|l| is_chosen(l) || standing(&path_of(folder, &l.id), MARK) == Standing::Ours)
            .collect(),
    };
    refuse(folder, &chosen, force)?;
    fs::create_dir_all(folder).map_err(|e| {
        Failure::usage(format!(
            "{} cannot be made: {}; name another folder",
            folder.display(),
            plain(&e)
        ))
    })?;
    let mut code = 0;
    for lesson in book.lessons.iter().filter(|l| is_chosen(l)) {
        let (text, found) = book.lesson(lesson)?;
        code = code.max(found);
        put(&path_of(folder, &lesson.id), &text, out)?;
    }
    put(&path_of(folder, INDEX), &book.index(), out)?;
    Ok(code)
}

/// Before anything is written: what is in the way, by name.
fn refuse(folder: &Path, chosen: &[&Lesson], force: bool) -> Result<(), Failure> {
    let ids = chosen.iter().map(|l| l.id.as_str()).chain([INDEX]);
    let mut foreign = Vec::new();
    for path in ids.map(|id| path_of(folder, id)) {
        match standing(&path, MARK) {
            Standing::NoFile => {
                return Err(Failure::usage(format!(
                    "{} is not a file; name another folder",
                    path.display()
                )));
            }
            Standing::Foreign if !force => foreign.push(path.display().to_string()),
            _ => {}
        }
    }
    match foreign.as_slice() {
        [] => Ok(()),
        paths => Err(Failure::usage(format!(
            "not written by this program: {}; --force replaces what is there",
            paths.join(", ")
        ))),
    }
}

fn put(path: &Path, text: &str, out: &mut Out) -> Result<(), Failure> {
    if read_bounded(path, text.len()).is_ok_and(|old| old == text.as_bytes()) {
        out.line(format!("kept  {}", path.display()));
        return Ok(());
    }
    replace(path, text.as_bytes()).map_err(|e| unwritten(path, &e))?;
    out.line(format!("made  {}", path.display()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_ours_by_its_mark_alone() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert_eq!(standing(&at("none"), MARK), Standing::Nothing);
        fs::write(at("own"), format!("<!DOCTYPE html>\n{MARK} 9.9\">")).unwrap();
        assert_eq!(standing(&at("own"), MARK), Standing::Ours);
        fs::write(at("notes"), "my notes").unwrap();
        assert_eq!(standing(&at("notes"), MARK), Standing::Foreign);
        // One that only quotes the mark, far below its beginning.
        fs::write(at("quote"), format!("{}{MARK}", " ".repeat(600))).unwrap();
        assert_eq!(standing(&at("quote"), MARK), Standing::Foreign);
        std::os::unix::fs::symlink(at("gone"), at("link")).unwrap();
        assert_eq!(standing(&at("link"), MARK), Standing::Foreign);
        fs::create_dir(at("folder")).unwrap();
        assert_eq!(standing(&at("folder"), MARK), Standing::NoFile);
    }
}
