//! Where things are: the workshop folder, the state folder, the overlays.

use super::answer::USUAL_GPU;
use super::fault::Fault;
use super::workshop;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// Folders of a course.
const SHELVES: [&str; 3] = ["lessons", "exercises", "solutions"];

/// Folders in use. Made once at start from the command line and the surroundings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The nearest folder upward that holds `answers/`; the search does not leave
    /// the home folder that it began in.
    pub workshop: Option<PathBuf>,
    /// Where progress is kept, and sheets where there is no workshop folder.
    pub state: PathBuf,
    /// Folders laid over the built-in course, later ones on top.
    pub overlays: Vec<PathBuf>,
    /// The device of the course, by its id in the data sheets, where one is chosen.
    pub gpu: Option<&'static str>,
    /// The `workshop.toml` that switches the claims court off, where one does.
    pub court_off: Option<PathBuf>,
    /// Why the course that `workshop.toml` names could not be found.
    pub faults: Vec<Fault>,
    /// For printing paths as they are typed here.
    current: PathBuf,
    /// For printing paths with `~`.
    home: Option<PathBuf>,
}

/// What the search starts from; [`Surroundings::here`] asks the system.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The current folder.
    pub current: PathBuf,
    /// `$HOME`.
    pub home: Option<PathBuf>,
    /// `$XDG_DATA_HOME`.
    pub data: Option<PathBuf>,
}

impl Surroundings {
    /// Asks the system.
    pub fn here() -> Self {
        let folder = |name| {
            std::env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        Self {
            current: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
            home: folder("HOME"),
            data: folder("XDG_DATA_HOME"),
        }
    }
}

impl Places {
    /// Finds the folders. `state` and `course` are `--state` and `--course`.
    ///
    /// Without `--course` the course is the folder that one stands in (or in whose
    /// `lessons/` one stands), else what the workshop folder names in
    /// `workshop.toml`, and its own texts on top.
    pub fn find(around: &Surroundings, state: Option<&Path>, course: Option<&Path>) -> Self {
        // The XDG specification: a relative path is to be ignored.
        let data = around.data.clone().filter(|data| data.is_absolute());
        let home = around.home.clone().filter(|home| home.is_absolute());
        // What lies above one's own home folder belongs to others.
        let above_home = |folder: &Path| {
            home.as_ref()
                .is_some_and(|home| around.current.starts_with(home) && !folder.starts_with(home))
        };
        let workshop = around
            .current
            .ancestors()
            .take_while(|folder| !above_home(folder))
            .find(|folder| folder.join("answers").is_dir())
            .map(Path::to_owned);
        let state = match (state, data, &home) {
            (Some(state), ..) => tidy(&around.current.join(state)),
            (None, Some(data), _) => data.join("tinyllama-tutor"),
            (None, None, Some(home)) => home.join(".local/share/tinyllama-tutor"),
            (None, None, None) => around.current.join(".tinyllama-tutor"),
        };
        let named = workshop.as_deref().map(workshop::named).transpose();
        let (named, mut faults) = match named {
            Ok(named) => (named.unwrap_or_default(), Vec::new()),
            Err(faults) => (workshop::Named::default(), faults),
        };
        let gpu = named.gpu;
        let own = workshop.clone().zip(named.court);
        let at_root = workshop.as_ref() == Some(&around.current);
        let stands_in = || standing_in(&around.current).filter(|_| !at_root);
        let overlays = match (course, stands_in(), &workshop) {
            (Some(course), ..) => vec![tidy(&around.current.join(course))],
            (None, Some(course), _) => vec![course],
            (None, None, Some(folder)) => of_workshop(folder, named.course),
            (None, None, None) => Vec::new(),
        };
        // A file that names a course says nothing where another one is asked for.
        if course.is_some() || stands_in().is_some() {
            faults.clear();
        }
        // What the workshop says goes before what its course says.
        let beside = overlays
            .iter()
            .rev()
            .filter(|at| Some(*at) != workshop.as_ref());
        let mut said = own;
        for folder in beside {
            match workshop::named(folder) {
                Ok(named) => said = said.or(named.court.map(|court| (folder.clone(), court))),
                Err(wrong) => faults.extend(wrong),
            }
        }
        let court_off = said.filter(|(_, court)| !court);
        Self {
            workshop,
            state,
            overlays,
            gpu,
            court_off: court_off.map(|(folder, _)| folder.join(workshop::FILE)),
            faults,
            current: around.current.clone(),
            home,
        }
    }

    /// The current folder is the workshop folder from now on.
    pub fn settle(&mut self) {
        self.workshop = Some(self.current.clone());
    }

    /// The device of the course, by its id in the data sheets.
    pub fn device(&self) -> &'static str {
        self.gpu.unwrap_or(USUAL_GPU)
    }

    /// The folder of the sheets.
    pub fn answers(&self) -> PathBuf {
        self.workshop
            .as_ref()
            .unwrap_or(&self.state)
            .join("answers")
    }

    /// Where answers and progress are kept, as a person reads it.
    pub fn kept(&self) -> String {
        let state = self.shown(&self.state);
        match self.workshop {
            Some(_) => format!("{} and {state}", self.shown(&self.answers())),
            None => state,
        }
    }

    /// The sheet of an exercise.
    pub fn sheet(&self, id: &str) -> PathBuf {
        self.answers().join(format!("{id}.toml"))
    }

    /// Where that sheet is kept when its own folder cannot be written.
    pub fn refuge(&self, id: &str) -> PathBuf {
        self.state.join("answers").join(format!("{id}.toml"))
    }

    /// Progress and settings.
    pub fn progress(&self) -> PathBuf {
        self.state.join("progress.toml")
    }

    /// The lock that every writer of this state folder takes.
    pub fn lock(&self) -> PathBuf {
        self.state.join("lock")
    }

    /// A path as a person writes it: from the current folder, from the workshop
    /// folder, or with `~`.
    pub fn shown(&self, path: &Path) -> String {
        let inside = |folder: &Option<PathBuf>| {
            folder
                .as_ref()
                .and_then(|folder| path.strip_prefix(folder).ok())
                .map(|rest| rest.display().to_string())
        };
        if self.home.as_ref() != Some(&self.current)
            && let Ok(rest) = path.strip_prefix(&self.current)
        {
            return match rest.as_os_str().is_empty() {
                true => ".".to_owned(),
                false => rest.display().to_string(),
            };
        }
        match (inside(&self.workshop), inside(&self.home)) {
            (Some(rest), _) if !rest.is_empty() => rest,
            (_, Some(rest)) if rest.is_empty() => "~".to_owned(),
            (_, Some(rest)) => format!("~/{rest}"),
            _ => path.display().to_string(),
        }
    }
}

/// The course of a workshop folder: the one it names, and its own texts on top.
fn of_workshop(folder: &Path, named: Option<PathBuf>) -> Vec<PathBuf> {
    let own = SHELVES.iter().any(|shelf| folder.join(shelf).is_dir());
    named
        .into_iter()
        .chain(own.then(|| folder.to_owned()))
        .collect()
}

/// The course folder that one stands in.
fn standing_in(current: &Path) -> Option<PathBuf> {
    let on_shelf = |folder: &&Path| {
        let name = folder.file_name().unwrap_or_default();
        SHELVES.iter().any(|shelf| name == *shelf)
    };
    let parent = Some(current).filter(on_shelf).and_then(Path::parent);
    [Some(current), parent]
        .into_iter()
        .flatten()
        .find(|folder| is_course(folder))
        .map(Path::to_owned)
}

/// Does a folder hold a text of ours? Other programs call folders `lessons` too,
/// so one text has to begin with front matter.
fn is_course(folder: &Path) -> bool {
    let begins = |path: PathBuf| {
        let mut head = [0; 3];
        path.extension().is_some_and(|extension| extension == "md")
            && path.is_file()
            && File::open(path).is_ok_and(|mut file| file.read_exact(&mut head).is_ok())
            && head == *b"+++"
    };
    SHELVES
        .iter()
        .filter_map(|shelf| fs::read_dir(folder.join(shelf)).ok())
        .flat_map(|entries| entries.flatten())
        .any(|entry| begins(entry.path()))
}

/// A path without `.`, and without `..` where a name stands before it.
pub(crate) fn tidy(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match (part, out.components().next_back()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                out.pop();
            }
            _ => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(current: &Path) -> Surroundings {
        Surroundings {
            current: current.to_owned(),
            home: Some("/home/ada".into()),
            data: None,
        }
    }

    #[test]
    fn the_nearest_folder_with_answers_is_the_workshop() {
        let root = tempfile::tempdir().expect("a folder");
        let deep = root.path().join("w/a/b");
        fs::create_dir_all(&deep).expect("made");
        fs::create_dir_all(root.path().join("w/answers")).expect("made");
        let places = Places::find(&around(&deep), None, None);
        assert_eq!(places.workshop, Some(root.path().join("w")));
        assert_eq!(places.sheet("ex1"), root.path().join("w/answers/ex1.toml"));
        assert_eq!(places.shown(&places.sheet("ex1")), "answers/ex1.toml");
        assert!(places.overlays.is_empty());
        fs::create_dir_all(root.path().join("w/lessons")).expect("made");
        assert_eq!(
            Places::find(&around(&deep), None, None).overlays,
            [root.path().join("w")]
        );
        let chosen = Places::find(&around(&deep), None, Some(Path::new("./mine")));
        assert_eq!(chosen.overlays, [deep.join("mine")]);
        // The workshop's own texts lie on top of the course that it names.
        fs::create_dir_all(root.path().join("course/lessons")).expect("made");
        fs::write(
            root.path().join("w/workshop.toml"),
            "course = \"../course\"",
        )
        .expect("written");
        assert_eq!(
            Places::find(&around(&deep), None, None).overlays,
            [root.path().join("course"), root.path().join("w")]
        );
        fs::write(root.path().join("w/workshop.toml"), "course = \"../gone\"").expect("written");
        let places = Places::find(&around(&deep), None, None);
        assert_eq!(places.overlays, [root.path().join("w")]);
        assert_eq!(places.faults.len(), 1);
    }

    #[test]
    fn the_course_is_the_folder_that_one_stands_in() {
        let root = tempfile::tempdir().expect("a folder");
        let course = root.path().join("course");
        fs::create_dir_all(course.join("lessons")).expect("made");
        let found = |current: &Path| Places::find(&around(current), None, None).overlays;
        fs::write(course.join("lessons/a.md"), "# Of another program\n").expect("written");
        assert_eq!(found(&course), Vec::<PathBuf>::new());
        fs::write(course.join("lessons/01-a.md"), "+++\n").expect("written");
        assert_eq!(found(&course), std::slice::from_ref(&course));
        assert_eq!(
            found(&course.join("lessons")),
            std::slice::from_ref(&course)
        );
        assert_eq!(found(root.path()), Vec::<PathBuf>::new());
        // Nearer than a workshop folder around it.
        fs::create_dir_all(root.path().join("answers")).expect("made");
        assert_eq!(found(&course), [course]);
    }

    #[test]
    fn a_path_is_shown_as_one_would_type_it_here() {
        let mut places = Places::find(&around(Path::new("/home/ada/w")), None, None);
        let shown = |places: &Places, path: &str| places.shown(Path::new(path));
        assert_eq!(
            shown(&places, "/home/ada/w/lessons/01-a.md"),
            "lessons/01-a.md"
        );
        assert_eq!(shown(&places, "/home/ada/w"), ".");
        assert_eq!(shown(&places, "/home/ada/c/lessons"), "~/c/lessons");
        places.current = "/home/ada".into();
        assert_eq!(shown(&places, "/home/ada/c/lessons"), "~/c/lessons");
        assert_eq!(tidy(Path::new("/a/./b/../../c")), Path::new("/c"));
        assert_eq!(tidy(Path::new("../a/..")), Path::new(".."));
    }

    #[test]
    fn somebody_elses_answers_above_the_home_folder_are_left_alone() {
        let root = tempfile::tempdir().expect("a folder");
        let home = root.path().join("ada");
        fs::create_dir_all(home.join("deep")).expect("made");
        fs::create_dir_all(root.path().join("answers")).expect("made");
        let from = |current: &Path| Surroundings {
            home: Some(home.clone()),
            ..around(current)
        };
        let found = |current: &Path| Places::find(&from(current), None, None).workshop;
        assert_eq!(found(&home.join("deep")), None);
        fs::create_dir_all(home.join("answers")).expect("made");
        assert_eq!(found(&home.join("deep")), Some(home.clone()));
        assert_eq!(found(root.path()), Some(root.path().to_owned()));
    }

    #[test]
    fn the_state_folder_follows_the_option_then_xdg_then_home() {
        let mut around = around(Path::new("/nowhere/at/all"));
        let state = |around: &Surroundings, option: Option<&str>| {
            Places::find(around, option.map(Path::new), None).state
        };
        assert_eq!(
            state(&around, None),
            Path::new("/home/ada/.local/share/tinyllama-tutor")
        );
        around.data = Some("/data".into());
        assert_eq!(state(&around, None), Path::new("/data/tinyllama-tutor"));
        around.data = Some("relative".into());
        assert_eq!(
            state(&around, None),
            Path::new("/home/ada/.local/share/tinyllama-tutor")
        );
        assert_eq!(state(&around, Some("s")), Path::new("/nowhere/at/all/s"));
        around.home = None;
        assert_eq!(
            state(&around, None),
            Path::new("/nowhere/at/all/.tinyllama-tutor")
        );
    }

    #[test]
    fn without_a_workshop_sheets_lie_in_the_state_folder() {
        let places = Places::find(&around(Path::new("/nowhere")), None, None);
        assert_eq!(
            places.shown(&places.sheet("ex1")),
            "~/.local/share/tinyllama-tutor/answers/ex1.toml"
        );
    }
}
