//! Progress on disk: locked, merged, replaced whole; a broken file is set aside.

use super::{Event, Progress};
use crate::fault::Fault;
use crate::paths::Places;
use files::{Lock, Stamp, plain, read_bounded, replace, sweep};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Largest progress file that is read.
const LARGEST: usize = 8 * 1024 * 1024;

/// The file, and how its state is told.
#[derive(Debug, Clone)]
pub struct Store {
    path: PathBuf,
    places: Places,
    shown: String,
}

impl Store {
    /// The store of a state folder. Nothing is read or written yet.
    pub fn new(places: &Places) -> Self {
        let path = places.progress();
        Self {
            shown: places.shown(&path),
            places: places.clone(),
            path,
        }
    }

    /// Has anything ever been recorded here? If not, this is a first run.
    pub fn exists(&self) -> bool {
        self.path.exists()
    }

    /// The version on disk, to notice another workshop's writing.
    pub fn stamp(&self) -> Option<Stamp> {
        Stamp::of(&self.path)
    }

    /// Reads what is there. A file that is not TOML is set aside, and the
    /// sentence says under which name.
    pub fn load(&self) -> (Progress, Option<String>) {
        match self.read() {
            Read::Broken(_) => {
                // Another process may just be setting it aside.
                let lock = Lock::take(&self.places.lock());
                let note = match (&lock, self.read()) {
                    (Err(error), _) => Fault::unlocked(&self.places, error).to_string(),
                    (_, Read::Broken(why)) => self.set_aside(&why),
                    _ => return self.look(),
                };
                (Progress::default(), Some(note))
            }
            _ => self.look(),
        }
    }

    /// Reads what is there, and changes nothing.
    pub fn look(&self) -> (Progress, Option<String>) {
        let shown = &self.shown;
        match self.read() {
            Read::Fine(progress) => {
                let note = progress.newer.map(|version| {
                    format!("{shown} {}; what you do now is not kept.", newer(version))
                });
                (*progress, note)
            }
            Read::Empty => (
                Progress::default(),
                Some(format!(
                    "{shown} is empty, as a full disk or a crash of the machine can leave it; progress starts anew."
                )),
            ),
            Read::Locked(why) | Read::Broken(why) => (
                Progress::default(),
                Some(format!(
                    "{shown} cannot be read: {why}. Starting empty, and nothing in it is overwritten."
                )),
            ),
        }
    }

    /// Applies events to what is on disk now, writes it, and returns it.
    ///
    /// # Errors
    /// The folder cannot be written; nothing there has changed then.
    pub fn record(&self, events: &[Event]) -> Result<Progress, Fault> {
        self.change(|progress| {
            let before = progress.clone();
            events.iter().for_each(|event| progress.apply(event));
            let worked = events.iter().any(|e| matches!(e, Event::Worked { .. }));
            if worked || *progress != before {
                progress.log.note(events, now());
            }
        })
    }

    /// Takes in the progress of another file, merged with what is on disk now.
    ///
    /// # Errors
    /// As [`Store::record`].
    pub fn take_in(&self, other: &Progress) -> Result<Progress, Fault> {
        self.change(|progress| progress.merge(other))
    }

    /// Puts these exercises back as they stand in `from`; all else stays as it is.
    pub(super) fn put_back(&self, exercises: &[String], from: &Progress) -> Result<(), Fault> {
        let back = self.change(|progress| {
            let ids = exercises.iter();
            ids.for_each(|id| progress.take(id, from));
        });
        back.map(drop)
    }

    fn change(&self, change: impl FnOnce(&mut Progress)) -> Result<Progress, Fault> {
        let failed = |error: &io::Error| {
            Fault::whole(
                &self.shown,
                format!(
                    "cannot be written: {}. Progress is not kept; --state DIR chooses another folder.",
                    plain(error)
                ),
            )
        };
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(|error| failed(&error))?;
        }
        let lock = Lock::take(&self.places.lock())
            .map_err(|error| Fault::unlocked(&self.places, &error))?;
        let mut progress = match self.read() {
            Read::Fine(progress) => *progress,
            Read::Empty => Progress::default(),
            Read::Broken(why) => {
                self.set_aside(&why);
                if self.path.exists() {
                    return Err(Fault::whole(
                        &self.shown,
                        format!("{why}, and it cannot be set aside; move it away."),
                    ));
                }
                Progress::default()
            }
            // What cannot be read may hold something; never write over it.
            Read::Locked(why) => {
                return Err(Fault::whole(
                    &self.shown,
                    format!(
                        "cannot be read: {why}, so nothing is written to it. --state DIR chooses another folder."
                    ),
                ));
            }
        };
        if let Some(version) = progress.newer {
            return Err(Fault::whole(
                &self.shown,
                format!(
                    "{}, so nothing is written to it. Install the newer program, or choose another folder with --state DIR.",
                    newer(version)
                ),
            ));
        }
        let before = self.path.exists().then(|| progress.clone());
        change(&mut progress);
        if before.as_ref() == Some(&progress) {
            // Nothing new: the disk need not be waited for.
            return Ok(progress);
        }
        replace(&self.path, progress.write().as_bytes()).map_err(|error| failed(&error))?;
        if lock.is_some() {
            sweep(&self.path);
        }
        Ok(progress)
    }

    fn read(&self) -> Read {
        let bytes = match read_bounded(&self.path, LARGEST) {
            Ok(bytes) => bytes,
            // Below a file there can be no folder, so nothing was kept there.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Read::Fine(Box::default());
            }
            Err(error) => return Read::Locked(plain(&error)),
        };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Read::Empty;
        }
        match String::from_utf8(bytes)
            .map_err(|_| "it is not UTF-8".to_owned())
            .and_then(|text| {
                Progress::read(&text).map_err(|error| {
                    let before = error.span().and_then(|span| text.get(..span.start));
                    let line = before.map_or(1, |before| before.matches('\n').count() + 1);
                    format!("it is not TOML at line {line}")
                })
            }) {
            Ok(progress) => Read::Fine(Box::new(progress)),
            Err(why) => Read::Broken(why),
        }
    }

    /// Renames the broken file to the first free name and says so.
    fn set_aside(&self, why: &str) -> String {
        let aside = (1..1000)
            .map(|n| {
                self.path
                    .with_file_name(format!("progress.broken-{n}.toml"))
            })
            .find(|path| !path.exists());
        let moved = aside.as_deref().map(|aside| fs::rename(&self.path, aside));
        let name = aside
            .as_deref()
            .and_then(Path::file_name)
            .unwrap_or_default()
            .to_string_lossy();
        match moved {
            Some(Ok(())) => format!(
                "{} could not be read ({why}). It is kept as {name}; progress starts anew.",
                self.shown
            ),
            _ => format!(
                "{} could not be read ({why}) and cannot be moved; progress starts empty and is not saved.",
                self.shown
            ),
        }
    }
}

/// Seconds since 1970, UTC.
pub fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}

/// Of a file that a newer program wrote.
fn newer(version: i64) -> String {
    format!("was written by a newer program (version {version} of its form)")
}

enum Read {
    /// Read, or not there yet.
    Fine(Box<Progress>),
    /// There, and nothing in it.
    Empty,
    /// There and not to be had.
    Locked(String),
    /// There and not TOML.
    Broken(String),
}
