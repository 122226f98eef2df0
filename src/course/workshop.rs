//! `workshop.toml`: the course that a workshop folder belongs to, its device, and whether
//! the claims court sits in it.

use super::answer::gpu_id;
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

/// What a workshop folder's file says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Named {
    /// The course folder.
    pub course: Option<PathBuf>,
    /// The device of the course, by its id in the data sheets.
    pub gpu: Option<&'static str>,
    /// Whether the claims court sits.
    pub court: Option<bool>,
}

/// The device that a workshop folder's file names.
pub fn device_of(folder: &Path) -> Option<&'static str> {
    named(folder).ok()?.gpu
}

/// What the file in `folder` names; nothing where there is no file.
///
/// # Errors
/// What is wrong with the file, and where.
pub(crate) fn named(folder: &Path) -> Result<Named, Vec<Fault>> {
    let bytes = match read_bounded(&folder.join(FILE), LARGEST) {
        Ok(bytes) => bytes,
        // Whether the folder is one is for who reads the course to say.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(Named::default());
        }
        Err(error) => {
            let say = format!("cannot be read: {}.", plain(&error));
            return Err(vec![Fault::whole(FILE, say)]);
        }
    };
    let (text, mut faults) = Text::new(FILE, &String::from_utf8_lossy(&bytes));
    let range = 0..text.body().len();
    let toml = Toml { text: &text, range };
    let (course, gpu, court) = toml.read(&mut faults, |fields| {
        fields.called("this file");
        let gpu = fields.text("gpu");
        let other = fields.has("gpu") || fields.has("court");
        let court = fields.flag("court");
        let course = match other && !fields.has("course") {
            true => None,
            false => fields.need_text("course", "course = \"../course\""),
        };
        fields.close();
        (course, gpu, court)
    });
    let gpu = gpu.and_then(|named| match gpu_id(&named.text) {
        Ok(id) => Some(id),
        Err(say) => {
            faults.push(Fault::at(FILE, named.at, format!("{say}.")));
            None
        }
    });
    let folder = course.map(|named| (tidy(&folder.join(&named.text)), named));
    if let Some((_, named)) = folder.as_ref().filter(|(path, _)| !path.is_dir()) {
        let say = format!(
            "there is no course folder {}; put the right path here, or give --course DIR.",
            named.text
        );
        faults.push(Fault::at(FILE, named.at, say));
    }
    match faults.is_empty() {
        true => Ok(Named {
            course: folder.map(|(path, _)| path),
            gpu,
            court,
        }),
        false => Err(faults),
    }
}

/// The file for a workshop in `folder`, with the course that is laid over the built-in one
/// and the device that was chosen. Nothing where there is nothing to say.
pub(crate) fn text(folder: &Path, course: Option<&Path>, gpu: Option<&str>) -> Option<String> {
    let course = course.and_then(|course| course_line(folder, course));
    let gpu = gpu.map(|id| {
        format!(
            "# The device that lessons and questions speak of in this folder.\ngpu = \"{id}\"\n"
        )
    });
    let said: String = course.into_iter().chain(gpu).collect();
    (!said.is_empty()).then_some(said)
}

/// The line of the course: a path that stays right when both folders move together, else
/// the whole path. Nothing where the course is the folder itself, or its path cannot be
/// written in TOML.
fn course_line(folder: &Path, course: &Path) -> Option<String> {
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
        let course_of = |folder: &Path| named(folder).map(|found| found.course);
        assert_eq!(course_of(&class), Ok(None));
        let written = text(&class, Some(&class.join("../course/.")), None).expect("a text");
        assert!(written.ends_with("\ncourse = \"../course\"\n"), "{written}");
        fs::write(class.join(FILE), written).expect("written");
        assert_eq!(course_of(&class), Ok(Some(course)));
        // The class inside the course; far away; itself.
        let made =
            |folder: &str, course: &str| text(Path::new(folder), Some(Path::new(course)), None);
        let ends = |text: Option<String>, end: &str| text.is_some_and(|t| t.ends_with(end));
        assert!(ends(made("/c/class", "/c"), "course = \"..\"\n"));
        assert!(ends(
            made("/home/a/w", "/shared/c"),
            "course = \"/shared/c\"\n"
        ));
        assert_eq!(made("/c", "/c/."), None);
    }

    #[test]
    fn a_workshop_may_name_its_device_alone() {
        let root = tempfile::tempdir().expect("a folder");
        fs::write(root.path().join(FILE), "gpu = \"MI300A\"\n").expect("written");
        let found = named(root.path()).expect("read");
        assert_eq!((found.course, found.gpu), (None, Some("mi300a")));
        // What is written is found again, with a course and without one.
        let course = root.path().join("course");
        fs::create_dir(&course).expect("made");
        for (laid, course) in [(None, None), (Some(&*course), Some(course.clone()))] {
            let written = text(root.path(), laid, Some("mi300a")).expect("a text");
            fs::write(root.path().join(FILE), written).expect("written");
            let found = named(root.path()).expect("read");
            assert_eq!((found.course, found.gpu), (course, Some("mi300a")));
        }
        assert_eq!(text(root.path(), None, None), None);
    }

    #[test]
    fn a_court_may_be_switched_off_alone() {
        let root = tempfile::tempdir().expect("a folder");
        for (text, court) in [
            ("court = false\n", Some(false)),
            ("gpu = \"mi300a\"\ncourt = true\n", Some(true)),
            ("gpu = \"mi300a\"\n", None),
        ] {
            fs::write(root.path().join(FILE), text).expect("written");
            assert_eq!(named(root.path()).expect("read").court, court, "{text}");
        }
    }

    #[test]
    fn a_file_that_names_no_course_says_where() {
        let root = tempfile::tempdir().expect("a folder");
        for (text, said) in [
            (
                "course = \"gone\"\n",
                "workshop.toml:1:11: there is no course folder gone;",
            ),
            (
                "court = \"no\"\n",
                "`court` is a text; it takes true or false.",
            ),
            ("corse = \"x\"\n", "did you mean course?"),
            ("course = x\n", "workshop.toml:1:10: not TOML here"),
            ("", "add course = \"../course\""),
            (
                "gpu = \"mi300\"\n",
                "workshop.toml:1:8: there is no GPU “mi300”",
            ),
        ] {
            fs::write(root.path().join(FILE), text).expect("written");
            let faults = named(root.path()).expect_err(text);
            let found = faults.iter().any(|fault| fault.to_string().contains(said));
            assert!(found, "{text}: {faults:?}");
        }
    }
}
