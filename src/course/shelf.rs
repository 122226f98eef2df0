//! Where texts come from: the binary, and folders laid over it.
//!
//! A folder is read once, whole, and never left: links and names that lead
//! elsewhere are refused, so that a course from a stranger shows nothing but
//! itself.

use super::exercise::is_name;
use super::fault::{Fault, Place};
use super::route;
use super::text::LARGEST;
use files::{plain, read_bounded};
use include_dir::{Dir, include_dir};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Most texts taken from one folder.
const MOST: usize = 2000;

/// Most bytes of texts taken from one folder.
const ALL: usize = 4 << 20;

static LESSONS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../lessons");
static EXERCISES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../exercises");
static SOLUTIONS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../solutions");

/// The three kinds of texts, by the name of their folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shelf {
    Lessons,
    Exercises,
    Solutions,
}

impl Shelf {
    pub const ALL: [Self; 3] = [Self::Lessons, Self::Exercises, Self::Solutions];

    /// Name of the folder.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Lessons => "lessons",
            Self::Exercises => "exercises",
            Self::Solutions => "solutions",
        }
    }

    fn built_in(self) -> &'static Dir<'static> {
        match self {
            Self::Lessons => &LESSONS,
            Self::Exercises => &EXERCISES,
            Self::Solutions => &SOLUTIONS,
        }
    }
}

/// One text as it came, not read yet.
#[derive(Debug, Clone)]
pub(crate) struct Raw {
    /// File stem.
    pub id: String,
    /// Name to show.
    pub file: String,
    /// The text.
    pub text: Cow<'static, str>,
    /// Where it lies on disk; None: in the binary.
    pub path: Option<PathBuf>,
    /// What was wrong with getting it.
    pub fault: Option<Fault>,
}

/// The built-in texts of a shelf.
pub(crate) fn embedded(shelf: Shelf) -> Vec<Raw> {
    shelf
        .built_in()
        .files()
        .filter_map(|file| {
            let id = stem(file.path())?;
            is_name(&id).then(|| Raw {
                file: format!("{}/{id}.md", shelf.folder()),
                id,
                text: Cow::Borrowed(file.contents_utf8().unwrap_or_default()),
                path: None,
                fault: None,
            })
        })
        .collect()
}

/// The built-in paths through the course.
pub(crate) fn embedded_routes() -> &'static str {
    let file = LESSONS.get_file(route::FILE);
    file.and_then(|file| file.contents_utf8())
        .unwrap_or_default()
}

/// The paths of a folder, as name and text; none where it has none.
///
/// # Errors
/// A link that leads out of the folder, a file that cannot be read.
pub(crate) fn routes_on_disk(
    root: &Path,
    shown: &dyn Fn(&Path) -> String,
) -> Result<Option<(String, String)>, Fault> {
    let path = root.join(Shelf::Lessons.folder()).join(route::FILE);
    let file = shown(&path);
    if fs::symlink_metadata(&path).is_err() {
        return Ok(None);
    }
    let cannot =
        |error: &io::Error| Fault::whole(&file, format!("cannot be read: {}.", plain(error)));
    let end = fs::canonicalize(&path).map_err(|error| cannot(&error))?;
    let root = fs::canonicalize(root).map_err(|error| cannot(&error))?;
    if !end.starts_with(&root) {
        let say = "this file is a link that leads out of the course; it was not followed.";
        return Err(Fault::whole(file, say));
    }
    let bytes = read_bounded(&end, LARGEST).map_err(|error| cannot(&error))?;
    match decode(&file, bytes) {
        (text, None) => Ok(Some((file, text))),
        (_, Some(fault)) => Err(fault),
    }
}

/// Stem of a markdown file that is a text of the course.
fn stem(path: &Path) -> Option<String> {
    let markdown = path.extension().is_some_and(|extension| extension == "md");
    let stem = path.file_stem()?.to_string_lossy().into_owned();
    let meant = markdown && !stem.starts_with('.') && !stem.eq_ignore_ascii_case("readme");
    meant.then_some(stem)
}

/// Does a name end in another spelling of `.md`?
fn nearly_markdown(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    extension != "md"
        && ["md", "markdown", "mdown", "mkd", "mdx"].contains(&extension.to_lowercase().as_str())
}

/// The texts of a shelf in a folder on disk. `shown` prints a path.
pub(crate) fn on_disk(
    root: &Path,
    shelf: Shelf,
    shown: &dyn Fn(&Path) -> String,
    faults: &mut Vec<Fault>,
) -> Vec<Raw> {
    let folder = root.join(shelf.folder());
    let Ok(root) = fs::canonicalize(root) else {
        return Vec::new();
    };
    let inside = |path: &Path| {
        fs::canonicalize(path)
            .ok()
            .filter(|end| end.starts_with(&root))
    };
    if !folder.exists() {
        return Vec::new();
    }
    if inside(&folder).is_none() {
        faults.push(Fault::whole(
            shown(&folder),
            "this folder is a link that leads out of the course; it was not followed.",
        ));
        return Vec::new();
    }
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) => {
            faults.push(Fault::whole(
                shown(&folder),
                format!("cannot be listed: {}.", plain(&error)),
            ));
            return Vec::new();
        }
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut out: Vec<Raw> = Vec::new();
    let mut taken = 0;
    for path in paths {
        let file = shown(&path);
        let Some(id) = stem(&path) else {
            if nearly_markdown(&path) {
                let say = "is not read, because its name does not end in .md; rename it.";
                faults.push(Fault::whole(file, say).warning());
            }
            continue;
        };
        if !is_name(&id) {
            faults.push(Fault::whole(
                file,
                "this name cannot be an id; use letters, digits, - and _, such as 05-flash.md.",
            ));
            continue;
        }
        if out.len() == MOST {
            faults.push(Fault::whole(
                shown(&folder),
                format!("holds more than {MOST} texts; the rest was left out."),
            ));
            break;
        }
        if taken > ALL {
            let say = format!(
                "this and what follows was left out: the texts of a folder take at most {} MiB.",
                ALL >> 20
            );
            faults.push(Fault::whole(file, say));
            break;
        }
        let Some(end) = inside(&path) else {
            faults.push(Fault::whole(
                file,
                "this file is a link that leads out of the course; it was not followed.",
            ));
            continue;
        };
        let (text, fault) = match read_bounded(&end, LARGEST) {
            Ok(bytes) => decode(&file, bytes),
            Err(error) => (
                String::new(),
                Some(Fault::whole(
                    &file,
                    match error.kind() {
                        io::ErrorKind::FileTooLarge => format!(
                            "is larger than {} KiB, which no text of a course may be; make several of it.",
                            LARGEST / 1024
                        ),
                        _ => format!("cannot be read: {}.", plain(&error)),
                    },
                )),
            ),
        };
        taken += text.len();
        out.push(Raw {
            id,
            file,
            text: Cow::Owned(text),
            path: Some(path),
            fault,
        });
    }
    out
}

/// UTF-8, or as much as can be shown with the place of the first byte that is not.
fn decode(file: &str, bytes: Vec<u8>) -> (String, Option<Fault>) {
    match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let good = error.utf8_error().valid_up_to();
            let bytes = error.into_bytes();
            let before =
                String::from_utf8_lossy(bytes.get(..good).unwrap_or_default()).into_owned();
            let at = Place { line: 1, column: 1 }.after(&before);
            let fault = Fault::at(file, at, "this is not UTF-8; save the file as UTF-8.");
            (String::from_utf8_lossy(&bytes).into_owned(), Some(fault))
        }
    }
}

/// `ex2` before `ex10`: runs of digits compare as numbers.
pub(crate) fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    loop {
        let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (da, db) = (digits(a), digits(b));
        if da > 0 && db > 0 {
            let number = |text: &[u8], n: usize| {
                let run = text.get(..n).unwrap_or_default();
                let zeros = run.iter().take_while(|byte| **byte == b'0').count();
                run.get(zeros..).unwrap_or_default().to_vec()
            };
            let (na, nb) = (number(a, da), number(b, db));
            let order = na
                .len()
                .cmp(&nb.len())
                .then_with(|| na.cmp(&nb))
                .then_with(|| da.cmp(&db));
            if order != Ordering::Equal {
                return order;
            }
            a = a.get(da..).unwrap_or_default();
            b = b.get(db..).unwrap_or_default();
            continue;
        }
        match (a.split_first(), b.split_first()) {
            (Some((x, rest_a)), Some((y, rest_b))) => {
                if x != y {
                    return x.cmp(y);
                }
                (a, b) = (rest_a, rest_b);
            }
            (x, y) => return x.is_some().cmp(&y.is_some()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_as_people_count() {
        let mut ids = [
            "ex10",
            "ex2",
            "ex1",
            "09-qkv",
            "10-flash",
            "ex",
            "00-welcome",
            "ex02",
        ];
        ids.sort_by(|a, b| natural(a, b));
        assert_eq!(
            ids,
            [
                "00-welcome",
                "09-qkv",
                "10-flash",
                "ex",
                "ex1",
                "ex2",
                "ex02",
                "ex10"
            ]
        );
    }

    #[test]
    fn links_out_of_the_course_are_refused() {
        let root = tempfile::tempdir().expect("a folder");
        let course = root.path().join("course");
        fs::create_dir_all(course.join("lessons")).expect("made");
        fs::write(root.path().join("secret.md"), "secret").expect("written");
        fs::write(course.join("lessons/01-a.md"), "a").expect("written");
        fs::write(course.join("lessons/bad name.md"), "b").expect("written");
        fs::write(course.join("lessons/notes.txt"), "c").expect("written");
        fs::write(course.join("lessons/04-d.MD"), "d").expect("written");
        std::os::unix::fs::symlink(
            root.path().join("secret.md"),
            course.join("lessons/02-out.md"),
        )
        .expect("linked");
        std::os::unix::fs::symlink("01-a.md", course.join("lessons/03-in.md")).expect("linked");
        let shown = |path: &Path| {
            path.file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default()
        };
        let mut faults = Vec::new();
        let found = on_disk(&course, Shelf::Lessons, &shown, &mut faults);
        let ids: Vec<&str> = found.iter().map(|raw| raw.id.as_str()).collect();
        assert_eq!(ids, ["01-a", "03-in"]);
        let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "02-out.md: this file is a link that leads out of the course; it was not followed.",
                "04-d.MD: warning: is not read, because its name does not end in .md; rename it.",
                "bad name.md: this name cannot be an id; use letters, digits, - and _, such as 05-flash.md.",
            ]
        );
    }

    #[test]
    fn what_is_not_utf8_is_placed() {
        let (text, fault) = decode("a.md", b"one\nt\xC3\xBCo \xFF end".to_vec());
        assert_eq!(text, "one\ntüo \u{fffd} end");
        assert_eq!(fault.expect("a fault").at, Place { line: 2, column: 5 });
    }
}
