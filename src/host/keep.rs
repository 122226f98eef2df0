//! The lab in the state folder: `lab.json` holds the plan, its setup and measured roofs,
//! `runs.json` the runs with their history. A file that is broken is set aside and said;
//! one of a later version is left alone.

use std::fs;
use std::path::{Path, PathBuf};

use app::keep::{Kept, Lab, Run};
use backend::engine::build;
use course::Places;
use files::{Lock, plain, read_text, replace};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Version of both documents.
const SCHEMA: u32 = 1;
/// Largest file that is read.
const LARGEST: usize = 64 << 20;
/// Runs that are kept.
const MOST: usize = 256;

/// What was kept of the lab in a state folder.
pub fn kept(places: &Places) -> Kept {
    Shelf::of(places).load()
}

/// Keeps the runs of one job behind those that are there.
///
/// # Errors
/// A sentence: they cannot be written, or belong to a later version.
pub fn keep_runs(places: &Places, runs: Vec<Run>) -> Result<(), String> {
    Shelf::of(places).keep_runs(runs)
}

/// The lab as it lies on disk.
#[derive(Serialize, Deserialize)]
struct LabFile {
    schema: u32,
    /// The build that measured the roofs.
    build: String,
    #[serde(flatten)]
    lab: Lab,
}

/// The runs as they lie on disk.
#[derive(Serialize, Deserialize, Default)]
struct RunsFile {
    schema: u32,
    runs: Vec<Run>,
}

/// Reads and writes both files.
pub(crate) struct Shelf {
    places: Places,
    lab: PathBuf,
    runs: PathBuf,
}

/// What came of reading a file.
enum Read<T> {
    Fine(T),
    Nothing,
    /// It is not touched: a later version, or it cannot be opened.
    Left(String),
}

impl Shelf {
    pub(crate) fn of(places: &Places) -> Self {
        Self {
            lab: places.state.join("lab.json"),
            runs: places.state.join("runs.json"),
            places: places.clone(),
        }
    }

    /// What was kept the last time.
    pub(crate) fn load(&self) -> Kept {
        let mut kept = Kept::default();
        let lock = self.lock();
        match self.read::<LabFile>(&self.lab, "the lab opens anew", &mut kept.notes) {
            Read::Fine(mut file) => {
                if file.build != build() {
                    // Another build may compute otherwise: R measures again.
                    file.lab.roofs.clear();
                }
                kept.lab = Some(file.lab);
            }
            Read::Nothing => {}
            Read::Left(why) => kept.notes.push(why),
        }
        match self.read::<RunsFile>(&self.runs, "runs start anew", &mut kept.notes) {
            Read::Fine(file) => kept.runs = file.runs,
            Read::Nothing => {}
            Read::Left(why) => kept.notes.push(why),
        }
        drop(lock);
        for run in &mut kept.runs {
            if run.build == build() {
                run.build.clear();
            }
        }
        kept
    }

    /// Keeps the lab.
    ///
    /// # Errors
    /// A sentence: it cannot be written, or belongs to a later version.
    pub(crate) fn keep_lab(&self, lab: Lab) -> Result<(), String> {
        let _lock = self.lock();
        if let Read::Left(why) = self.read::<LabFile>(&self.lab, "", &mut Vec::new()) {
            return Err(why);
        }
        let file = LabFile {
            schema: SCHEMA,
            build: build().to_owned(),
            lab,
        };
        self.write(&self.lab, &file)
    }

    /// Keeps the runs of one job behind those that are there.
    ///
    /// # Errors
    /// A sentence: they cannot be written, or belong to a later version.
    pub(crate) fn keep_runs(&self, new: Vec<Run>) -> Result<(), String> {
        let _lock = self.lock();
        let mut file = match self.read::<RunsFile>(&self.runs, "", &mut Vec::new()) {
            Read::Fine(file) => file,
            Read::Nothing => RunsFile::default(),
            Read::Left(why) => return Err(why),
        };
        file.schema = SCHEMA;
        // Two workshops may write here: a job is numbered where it is kept.
        let job = file.runs.iter().map(|run| run.job).max().unwrap_or(0) + 1;
        file.runs.extend(new.into_iter().map(|mut run| {
            // What multiprocessors did inside a kernel is no figure of a run.
            if let Some(trace) = &mut run.report.trace {
                trace.phases.clear();
            }
            Run {
                build: build().to_owned(),
                job,
                ..run
            }
        }));
        let over = file.runs.len().saturating_sub(MOST);
        file.runs.drain(..over);
        self.write(&self.runs, &file)
    }

    /// Without a lock it is written all the same: a file is replaced whole.
    fn lock(&self) -> Option<Lock> {
        fs::create_dir_all(&self.places.state).ok()?;
        Lock::take(&self.places.lock()).ok().flatten()
    }

    fn write<T: Serialize>(&self, path: &Path, value: &T) -> Result<(), String> {
        let text = serde_json::to_string(value).map_err(|e| e.to_string())?;
        let written =
            fs::create_dir_all(&self.places.state).and_then(|()| replace(path, text.as_bytes()));
        written.map_err(|e| {
            format!(
                "{} cannot be written: {}. The lab is not kept; --state DIR chooses another folder.",
                self.places.shown(path),
                plain(&e)
            )
        })
    }

    /// Reads a file; one that is broken is set aside, which is noted, with what then
    /// `begins`.
    fn read<T: DeserializeOwned>(
        &self,
        path: &Path,
        begins: &str,
        notes: &mut Vec<String>,
    ) -> Read<T> {
        #[derive(Deserialize)]
        struct Version {
            schema: u32,
        }
        if !path.exists() {
            return Read::Nothing;
        }
        let shown = self.places.shown(path);
        let text = match read_text(path, LARGEST) {
            Ok(text) => text,
            Err(e) => {
                return Read::Left(format!(
                    "{shown} cannot be read: {}. Nothing is written to it.",
                    plain(&e)
                ));
            }
        };
        let version = serde_json::from_str::<Version>(&text);
        if let Ok(Version { schema }) = version
            && schema > SCHEMA
        {
            return Read::Left(format!(
                "{shown} is of version {schema}, and this build reads {SCHEMA}: it is left as it is, and the lab is not kept."
            ));
        }
        match serde_json::from_str(&text) {
            Ok(value) => Read::Fine(value),
            Err(why) => {
                notes.push(match aside(path) {
                    Some(name) => format!(
                        "{shown} could not be read ({why}). It is kept as {name}; {begins}."
                    ),
                    None => format!("{shown} could not be read ({why}); {begins}."),
                });
                Read::Nothing
            }
        }
    }
}

/// Renames a broken file; its new name.
fn aside(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_string_lossy();
    let mut names = (1..1000).map(|n| path.with_file_name(format!("{stem}.broken-{n}.json")));
    let free = names.find(|path| !path.exists())?;
    fs::rename(path, &free).ok()?;
    Some(free.file_name()?.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use course::Surroundings;
    use plan::cost::Config;
    use plan::fusion::Version;

    fn shelf(folder: &Path) -> Shelf {
        let around = Surroundings {
            current: folder.to_owned(),
            ..Surroundings::default()
        };
        Shelf::of(&Places::find(&around, Some(&folder.join("state")), None))
    }

    fn lab() -> Lab {
        Lab {
            config: Config::preset("small", Version::V3.cut()).unwrap(),
            seed: 7,
            undo: vec![Version::V1.cut()],
            point: Some(32.5),
            rest: Some(("00-welcome".into(), "the-picture-that-stays".into())),
            change: None,
            practice: None,
            backend: Some("simt".into()),
            roofs: vec![],
        }
    }

    fn run(micros: f64) -> Run {
        use plan::run::{BackendKind, Report, Timing};
        Run {
            build: String::new(),
            backend: BackendKind::Cpu,
            config: lab().config,
            seed: 7,
            job: 1,
            among: 2,
            rounds: vec![Some(micros), None],
            report: Report {
                time_us: Timing::of(&[micros], "clock"),
                ..Report::bare("cpu", "a CPU", 1)
            },
        }
    }

    #[test]
    fn plan_setup_and_runs_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = shelf(folder.path());
        assert_eq!(shelf.load(), Kept::default());
        shelf.keep_lab(lab()).unwrap();
        shelf.keep_runs(vec![run(10.0), run(11.0)]).unwrap();
        shelf.keep_runs(vec![run(12.0)]).unwrap();
        let kept = shelf.load();
        assert_eq!(kept.lab, Some(lab()));
        let jobs: Vec<(u64, bool)> = kept
            .runs
            .iter()
            .map(|r| (r.job, r.build.is_empty()))
            .collect();
        // Of this build, and numbered by job: the first two ran in turns.
        assert_eq!(jobs, [(1, true), (1, true), (2, true)]);
        assert_eq!(kept.runs[0].rounds, [Some(10.0), None]);
        assert!(kept.notes.is_empty());
    }

    #[test]
    fn the_newest_runs_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = shelf(folder.path());
        let many = (0..MOST).map(|i| run(1.0 + i as f64)).collect();
        shelf.keep_runs(many).unwrap();
        shelf.keep_runs(vec![run(9999.0)]).unwrap();
        let kept = shelf.load().runs;
        assert_eq!(kept.len(), MOST);
        assert_eq!(kept[0].rounds[0], Some(2.0), "the oldest is gone");
        assert_eq!(kept[MOST - 1].rounds[0], Some(9999.0));
    }

    #[test]
    fn a_broken_file_is_set_aside_and_said_and_a_later_version_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = shelf(folder.path());
        let state = folder.path().join("state");
        fs::create_dir_all(&state).unwrap();
        fs::write(state.join("lab.json"), "{ not json").unwrap();
        fs::write(state.join("runs.json"), "{\"schema\": 9, \"later\": true}").unwrap();
        let kept = shelf.load();
        assert_eq!((kept.lab, kept.runs.len()), (None, 0));
        assert!(
            kept.notes[0].contains("lab.broken-1.json"),
            "{:?}",
            kept.notes
        );
        assert!(kept.notes[1].contains("version 9"), "{:?}", kept.notes);
        let aside = fs::read_to_string(state.join("lab.broken-1.json")).unwrap();
        assert_eq!(aside, "{ not json");
        shelf.keep_lab(lab()).unwrap();
        assert!(shelf.keep_runs(vec![run(1.0)]).is_err());
        let left = fs::read_to_string(state.join("runs.json")).unwrap();
        assert!(left.contains("later"));
    }
}
