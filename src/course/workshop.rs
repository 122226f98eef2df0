//! `workshop.toml`: the course that a workshop folder belongs to.

use super::fault::Fault;
use super::fields::Toml;
use super::paths::tidy;
use super::text::Text;
use files::{plain, read_bounded};
use std::io;
use std::path::{Path, PathBuf};

/// The file's name.
pub(crate) const FILE: &str = "workshop.toml";

/// Most bytes that it may have.
const LARGEST: usize = 4096;

/// The course folder that the file in `folder` names; none where there is no file.
///
/// # Errors
/// What is wrong with the file, and where.
pub(crate) fn course_of(folder: &Path) -> Result<Option<PathBuf>, Vec<Fault>> {
    let bytes = match read_bounded(&folder.join(FILE), LARGEST) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let say = format!("cannot be read: {}.", plain(&error));
            return Err(vec![Fault::whole(FILE, say)]);
        }
    };
    let (text, mut faults) = Text::new(FILE, &String::from_utf8_lossy(&bytes));
    let range = 0..text.body().len();
    let toml = Toml { text: &text, range };
    let named = toml.read(&mut faults, |fields| {
        fields.called("this file");
        let named = fields.need_text("course", "course = \"../course\"");
        fields.close();
        named
    });
    let Some(named) = named.filter(|_| faults.is_empty()) else {
        return Err(faults);
    };
    let course = tidy(&folder.join(&named.text));
    if !course.is_dir() {
        let say = format!(
            "there is no course folder {}; put the right path here, or give --course DIR.",
            named.text
        );
        return Err(vec![Fault::at(FILE, named.at, say)]);
    }
    Ok(Some(course))
}

/// The file for a workshop in `folder`: a path that stays right when both folders
/// move together, else the whole path. Nothing where the course is the folder itself,
/// or its path cannot be written in TOML.
pub(crate) fn text(folder: &Path, course: &Path) -> Option<String> {
    let whole = |path: &Path| std::path::absolute(path).map(|path| tidy(&path)).ok();
    let (folder, course) = (whole(folder)?, whole(course)?);
    if folder == course {
        return None;
    }
    let beside = folder
        .parent()
        .and_then(|parent| course.strip_prefix(parent).ok())
        .map(|rest| tidy(&Path::new("..").join(rest)));
    let path = beside.unwrap_or(course);
    let course = toml::Value::from(path.to_str()?);
    Some(format!(
        "# The course that is laid over the built-in one when you start in this folder.\ncourse = {course}\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_course_beside_the_workshop_is_named_from_there_and_found_again() {
        let root = tempfile::tempdir().expect("a folder");
        let (class, course) = (root.path().join("class"), root.path().join("course"));
        fs::create_dir_all(&class).expect("made");
        fs::create_dir_all(&course).expect("made");
        assert_eq!(course_of(&class), Ok(None));
        let written = text(&class, &class.join("../course/.")).expect("a text");
        assert!(written.ends_with("\ncourse = \"../course\"\n"), "{written}");
        fs::write(class.join(FILE), written).expect("written");
        assert_eq!(course_of(&class), Ok(Some(course)));
        // The class inside the course; far away; itself.
        let named = |folder: &str, course: &str| text(Path::new(folder), Path::new(course));
        let ends = |text: Option<String>, end: &str| text.is_some_and(|t| t.ends_with(end));
        assert!(ends(named("/c/class", "/c"), "course = \"..\"\n"));
        assert!(ends(
            named("/home/a/w", "/shared/c"),
            "course = \"/shared/c\"\n"
        ));
        assert_eq!(named("/c", "/c/."), None);
    }

    #[test]
    fn a_file_that_names_no_course_says_where() {
        let root = tempfile::tempdir().expect("a folder");
        for (text, said) in [
            (
                "course = \"gone\"\n",
                "workshop.toml:1:11: there is no course folder gone;",
            ),
            ("corse = \"x\"\n", "did you mean course?"),
            ("course = x\n", "workshop.toml:1:10: not TOML here"),
            ("", "add course = \"../course\""),
        ] {
            fs::write(root.path().join(FILE), text).expect("written");
            let faults = course_of(root.path()).expect_err(text);
            let found = faults.iter().any(|fault| fault.to_string().contains(said));
            assert!(found, "{text}: {faults:?}");
        }
    }
}
