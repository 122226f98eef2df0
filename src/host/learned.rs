//! What studies learned about this machine, kept in the state folder and used by later
//! runs: calibrations, predictions, settings of kernels. What another build learned is
//! left alone, and not used.

use std::path::PathBuf;

use backend::engine::build;
use course::Places;
use files::{read_text, replace};
use plan::cost::Config;
use plan::model::Dtype;
use plan::run::{BackendKind, Report, Request, Tuned};
use serde::{Deserialize, Serialize};
use study::calibration::Calibration;
use study::kept::Kept;
use study::learned::Prediction;

/// Largest file that is read.
const LARGEST: usize = 4 << 20;
/// Most predictions and settings that are kept, the newest.
const MOST: usize = 200;

/// The file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct File {
    schema: u32,
    #[serde(default)]
    calibrations: Vec<Of<Calibration>>,
    #[serde(default)]
    predictions: Vec<Of<Prediction>>,
    #[serde(default)]
    tuned: Vec<Of<Tuned>>,
}

/// Something learned, by which build, in which study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Of<T> {
    build: String,
    study: String,
    time: String,
    of: T,
}

/// What was learned.
pub struct Learned {
    path: PathBuf,
}

impl Learned {
    /// Of a state folder.
    pub fn of(places: &Places) -> Self {
        Self {
            path: places.state.join("learned.json"),
        }
    }

    /// The file as it is; an empty one where it is not there or not to be read.
    fn read(&self) -> File {
        let text = read_text(&self.path, LARGEST).unwrap_or_default();
        let file: File = serde_json::from_str(&text).unwrap_or_default();
        match file.schema {
            1 => file,
            _ => File {
                schema: 1,
                ..File::default()
            },
        }
    }

    fn write(&self, mut file: File) -> Result<(), String> {
        let over = file.predictions.len().saturating_sub(MOST);
        file.predictions.drain(..over);
        let over = file.tuned.len().saturating_sub(MOST);
        file.tuned.drain(..over);
        let text = serde_json::to_string_pretty(&file).map_err(|e| e.to_string())?;
        let refused = |e: &std::io::Error| {
            format!(
                "{} cannot be written: {}",
                self.path.display(),
                files::plain(e)
            )
        };
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder).map_err(|e| refused(&e))?;
        }
        replace(&self.path, text.as_bytes()).map_err(|e| refused(&e))
    }

    /// Keeps what a study learned. What it found anew takes the place of the old.
    ///
    /// # Errors
    /// A sentence: a file that cannot be written.
    pub fn keep(&self, kept: &Kept) -> Result<(), String> {
        let Some(learned) = &kept.findings.learned else {
            return Ok(());
        };
        let mut file = self.read();
        if let Some(new) = &learned.calibration {
            let same = |old: &Calibration| {
                (&old.device, &old.backend, old.dtype) == (&new.device, &new.backend, new.dtype)
            };
            let better = |old: &Of<Calibration>| {
                same(&old.of) && old.build == kept.build && old.of.disturbed.is_none()
            };
            // One that was disturbed serves where there is no other.
            if new.disturbed.is_none() || !file.calibrations.iter().any(better) {
                file.calibrations.retain(|old| !same(&old.of));
                file.calibrations.push(noted(kept, new.clone()));
            }
        }
        for new in &learned.predictions {
            let same = |old: &Prediction| old.config == new.config && old.device == new.device;
            file.predictions.retain(|old| !same(&old.of));
            file.predictions.push(noted(kept, new.clone()));
        }
        if let Some(new) = &learned.tuned {
            let new = Tuned {
                device: kept.device.clone(),
                study: kept.id.clone(),
                ..new.clone()
            };
            let same = |old: &Tuned| {
                (&old.kernel, &old.config, &old.device) == (&new.kernel, &new.config, &new.device)
            };
            file.tuned.retain(|old| !same(&old.of));
            file.tuned.push(noted(kept, new));
        }
        self.write(file)
    }

    /// The calibration of a backend for an element type, by this build; of several
    /// devices that of the last. `auto` is whichever was calibrated, a GPU first.
    pub fn calibration(&self, backend: BackendKind, dtype: Dtype) -> Option<Calibration> {
        let all = self.read().calibrations;
        let of = |kind: &BackendKind| {
            let mut found = all.iter().rev().filter(|c| c.build == build());
            found.find(|c| c.of.dtype == dtype && c.of.backend == kind.name())
        };
        let found = backend.candidates().iter().find_map(of)?;
        Some(found.of.clone())
    }

    /// Predictions of a backend's devices that were run since, by this build.
    pub fn predictions(&self, backend: BackendKind) -> Vec<Prediction> {
        let all = self.read().predictions.into_iter();
        let of = all.filter(|p| p.build == build()).map(|p| p.of);
        let names: Vec<&str> = backend.candidates().iter().map(|k| k.name()).collect();
        of.filter(|p| names.contains(&p.backend.as_str())).collect()
    }

    /// Hands a request the settings that were found for kernels.
    pub fn serve(&self, request: &mut Request) {
        let all = self.read().tuned.into_iter();
        let of = all.filter(|t| t.build == build()).map(|t| t.of);
        request.tuned = of.collect();
    }

    /// Adds a run to what was predicted of it. What cannot be kept is not: a run is no
    /// less right for it.
    pub fn ran(&self, config: &Config, report: &Report) {
        let mut file = self.read();
        let mut taken = false;
        for prediction in file.predictions.iter_mut().filter(|p| p.build == build()) {
            taken |= prediction.of.take(config, report);
        }
        if taken {
            drop(self.write(file));
        }
    }
}

fn noted<T>(kept: &Kept, of: T) -> Of<T> {
    Of {
        build: kept.build.clone(),
        study: kept.id.clone(),
        time: kept.time.clone(),
        of,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::fusion::Version;
    use plan::run::Settings;
    use study::findings::Findings;
    use study::learned;

    fn kept(id: &str, learned: learned::Learned) -> Kept {
        Kept {
            schema: 1,
            id: id.into(),
            study: "tune".into(),
            command: String::new(),
            device: "a device".into(),
            build: build().to_owned(),
            time: String::new(),
            stopped: false,
            findings: Findings {
                learned: Some(Box::new(learned)),
                ..Findings::default()
            },
        }
    }

    fn tuned(rows: u32) -> learned::Learned {
        learned::Learned {
            tuned: Some(Tuned {
                kernel: "tiles".into(),
                settings: Settings([("rows".to_owned(), rows)].into()),
                config: Config::preset("workshop", Version::V4.cut()).unwrap(),
                device: String::new(),
                study: String::new(),
            }),
            ..learned::Learned::default()
        }
    }

    #[test]
    fn settings_are_handed_to_runs_with_their_study_and_the_newest_counts() {
        let folder = tempfile::tempdir().unwrap();
        let store = Learned {
            path: folder.path().join("state/learned.json"),
        };
        store.keep(&kept("tune-1", tuned(48))).unwrap();
        store.keep(&kept("tune-2", tuned(32))).unwrap();
        let config = Config::preset("workshop", Version::V4.cut()).unwrap();
        let mut request = Request::new(config.clone());
        store.serve(&mut request);
        assert_eq!(request.tuned.len(), 1);
        let found = &request.tuned[0];
        assert_eq!(
            (found.study.as_str(), found.settings.get("rows")),
            ("tune-2", Some(32))
        );
        assert!(found.serves(&config, "a device", true));
        // What another build found is not used, and stays.
        let mut other = kept("tune-3", tuned(8));
        other.build = "another".into();
        other.device = "elsewhere".into();
        store.keep(&other).unwrap();
        store.serve(&mut request);
        assert_eq!(request.tuned.len(), 1);
        assert_eq!(store.read().tuned.len(), 2);
    }

    #[test]
    fn a_disturbed_calibration_never_takes_the_place_of_another() {
        let folder = tempfile::tempdir().unwrap();
        let store = Learned {
            path: folder.path().join("learned.json"),
        };
        let made = |start: f64, disturbed: Option<&str>| learned::Learned {
            calibration: Some(Calibration {
                backend: "cpu".into(),
                device: "a CPU".into(),
                dtype: Dtype::Fp32,
                costs: study::calibration::Costs::of([start; study::calibration::Costs::COUNT]),
                near_bytes: 1e6,
                seen: Vec::new(),
                flops: [1.0, 2.0],
                bytes: [1.0, 2.0],
                disturbed: disturbed.map(str::to_owned),
            }),
            ..learned::Learned::default()
        };
        let start = || {
            let known = store.calibration(BackendKind::Cpu, Dtype::Fp32).unwrap();
            (known.costs.start, known.doubt().is_some())
        };
        // The first is taken as it is, with its word of doubt; a better one replaces it.
        store
            .keep(&kept("predict-1", made(1.0, Some("busy"))))
            .unwrap();
        assert_eq!(start(), (1.0, true));
        store
            .keep(&kept("predict-2", made(2.0, Some("busy"))))
            .unwrap();
        assert_eq!(start(), (2.0, true));
        store.keep(&kept("predict-3", made(3.0, None))).unwrap();
        store
            .keep(&kept("predict-4", made(4.0, Some("busy"))))
            .unwrap();
        assert_eq!(start(), (3.0, false));
        store.keep(&kept("predict-5", made(5.0, None))).unwrap();
        assert_eq!(start(), (5.0, false));
    }

    #[test]
    fn a_file_that_cannot_be_read_is_as_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("learned.json");
        std::fs::write(&path, "{").unwrap();
        let store = Learned { path };
        assert!(store.calibration(BackendKind::Cpu, Dtype::Fp32).is_none());
        store.keep(&kept("tune-1", tuned(48))).unwrap();
        assert_eq!(store.read().tuned.len(), 1);
    }
}
