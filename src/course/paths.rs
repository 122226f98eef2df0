//! Where things are: the workshop folder, the state folder, the overlays.

use std::path::{Path, PathBuf};

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
            (Some(state), ..) => around.current.join(state),
            (None, Some(data), _) => data.join("tinyllama-tutor"),
            (None, None, Some(home)) => home.join(".local/share/tinyllama-tutor"),
            (None, None, None) => around.current.join(".tinyllama-tutor"),
        };
        let shelves = ["lessons", "exercises", "solutions"];
        let own = workshop
            .iter()
            .filter(|folder| shelves.iter().any(|shelf| folder.join(shelf).is_dir()))
            .cloned();
        let overlays = match course {
            Some(course) => vec![around.current.join(course)],
            None => own.collect(),
        };
        Self {
            workshop,
            state,
            overlays,
            home,
        }
    }

    /// The folder of the sheets.
    pub fn answers(&self) -> PathBuf {
        self.workshop
            .as_ref()
            .unwrap_or(&self.state)
            .join("answers")
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

    /// A path as a person writes it: from the workshop folder, or with `~`.
    pub fn shown(&self, path: &Path) -> String {
        let inside = |folder: &Option<PathBuf>| {
            folder
                .as_ref()
                .and_then(|folder| path.strip_prefix(folder).ok())
                .map(|rest| rest.display().to_string())
        };
        match (inside(&self.workshop), inside(&self.home)) {
            (Some(rest), _) if !rest.is_empty() => rest,
            (_, Some(rest)) if rest.is_empty() => "~".to_owned(),
            (_, Some(rest)) => format!("~/{rest}"),
            _ => path.display().to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

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
        let chosen = Places::find(&around(&deep), None, Some(Path::new("mine")));
        assert_eq!(chosen.overlays, [deep.join("mine")]);
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
