//! The course and the learner's files: opened once, read and written by one rule.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::trouble::Trouble;
use course::answer::{Env, Records, data_sheets};
use course::{self, Course, Event, Exercise, Fault, Places, Progress, Saved, Sheet, Stamp, Store};
use plan::cost::GpuDatabase;

/// Who is told that something could not be kept, or was kept elsewhere.
type Tell = Box<dyn Fn(String) + Send + Sync>;

/// The course and the learner's files.
pub struct Host {
    /// Where they are.
    pub places: Places,
    /// Lessons, exercises, solutions.
    pub course: Arc<Course>,
    /// Nothing is written, neither progress nor sheets.
    pub read_only: bool,
    store: Store,
    gpus: OnceLock<GpuDatabase>,
    progress: OnceLock<Progress>,
    tell: Tell,
    lost: AtomicBool,
}

impl Host {
    /// Opens what lies there. Progress is read when it is asked for; `tell` hears what
    /// could not be kept, or was kept elsewhere.
    pub fn open(places: Places, tell: impl Fn(String) + Send + Sync + 'static) -> Self {
        Self {
            course: Arc::new(Course::open(&places)),
            read_only: false,
            store: Store::new(&places),
            gpus: OnceLock::new(),
            progress: OnceLock::new(),
            tell: Box::new(tell),
            lost: AtomicBool::new(false),
            places,
        }
    }

    /// Whether something that was to be kept could not be.
    pub fn lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Says why something could not be kept, and remembers that.
    pub fn lose(&self, fault: &Fault) {
        (self.tell)(fault.to_string());
        self.lost.store(true, Ordering::Relaxed);
    }

    /// The GPU database.
    ///
    /// # Errors
    /// One that cannot be read.
    pub fn gpus(&self) -> Result<&GpuDatabase, Trouble> {
        if let Some(gpus) = self.gpus.get() {
            return Ok(gpus);
        }
        let gpus = match data_sheets() {
            Some(read) => read.clone(),
            None => GpuDatabase::embedded()?,
        };
        Ok(self.gpus.get_or_init(|| gpus))
    }

    /// What expressions of a text with this configuration may look at.
    ///
    /// # Errors
    /// A setting that cannot be; a GPU database that cannot be read.
    pub fn env<'h>(
        &'h self,
        setup: &course::Setup,
        records: &'h dyn Records,
    ) -> Result<Env<'h>, Trouble> {
        Ok(Env::new(setup.answer()?, self.gpus()?, records))
    }

    /// Progress as it is on disk, and what there is to say of a broken file.
    pub fn load(&self) -> (Progress, Option<String>) {
        let found = match self.read_only {
            true => self.store.look(),
            false => self.store.load(),
        };
        self.progress.get_or_init(|| found.0.clone());
        found
    }

    /// Progress as it was when it was first asked for; of a broken file is told.
    pub fn progress(&self) -> &Progress {
        if let Some(progress) = self.progress.get() {
            return progress;
        }
        let (progress, note) = self.load();
        note.into_iter().for_each(|note| (self.tell)(note));
        self.progress.get_or_init(|| progress)
    }

    /// What is kept on disk now of one exercise, and of no other; `None` where the file
    /// cannot be read.
    pub fn kept_of(&self, exercise: &str) -> Option<Progress> {
        let (progress, trouble) = self.store.look();
        let mut of_it = Progress::default();
        of_it.take(exercise, &progress);
        trouble.is_none().then_some(of_it)
    }

    /// Progress as it is on disk, which is not changed, and what there is to say of it.
    pub fn look(&self) -> (Progress, Option<String>) {
        self.store.look()
    }

    /// The progress file as it is now, to notice another process's writing.
    pub fn stamp(&self) -> Option<Stamp> {
        self.store.stamp()
    }

    /// Keeps events and gives the progress with them; what cannot be kept is told.
    pub fn record(&self, events: &[Event]) -> Progress {
        if !events.is_empty() && !self.read_only {
            match self.store.record(events) {
                Ok(progress) => return progress,
                Err(fault) => self.lose(&fault),
            }
        }
        let mut progress = self.progress().clone();
        events.iter().for_each(|event| progress.apply(event));
        progress
    }

    /// Keeps events, or says why that cannot be.
    ///
    /// # Errors
    /// A state folder that cannot be written.
    pub fn must_record(&self, events: &[Event]) -> Result<(), Fault> {
        self.store.record(events).map(drop)
    }

    /// Merges the progress of another file into this one.
    ///
    /// # Errors
    /// A state folder that cannot be written.
    pub fn take_in(&self, other: &Progress) -> Result<Progress, Fault> {
        self.store.take_in(other)
    }

    /// The sheet of an exercise.
    ///
    /// # Errors
    /// One that cannot be read.
    pub fn sheet(&self, exercise: &Exercise) -> Result<Sheet, Fault> {
        Sheet::open(&self.places, exercise)
    }

    /// An exercise in the variant that is asked for, else in the one that its
    /// sheet answers.
    ///
    /// # Errors
    /// A variant that there is not.
    pub fn varied(&self, exercise: &Exercise, asked: Option<usize>) -> Result<Exercise, Trouble> {
        let varied = match self.sheet(exercise) {
            Ok(sheet) => sheet.in_variant(exercise, asked.unwrap_or(sheet.variant())),
            // A sheet that cannot be read is complained of where it is needed.
            Err(_) => exercise.variant(asked.unwrap_or(self.progress().variant(&exercise.id))),
        };
        varied.map_err(Trouble::Usage)
    }

    /// Writes the sheet; where it had to go elsewhere, or could not, that is told.
    pub fn keep(&self, sheet: &mut Sheet, exercise: &Exercise) -> Option<Saved> {
        if self.read_only {
            return None;
        }
        match sheet.save(&self.places, exercise) {
            Ok(saved) => {
                if matches!(saved, Saved::Elsewhere { .. }) {
                    (self.tell)(saved.to_string());
                }
                Some(saved)
            }
            Err(fault) => {
                self.lose(&fault);
                None
            }
        }
    }

    /// Makes a workshop folder where the program was started.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn init(&self) -> Result<String, String> {
        let here = std::env::current_dir().map_err(|e| e.to_string())?;
        let laid = self.places.overlays.last().map(PathBuf::as_path);
        course::init(&here, &self.course, (laid, self.places.gpu), None)?;
        Ok("Made ./answers, a sheet per exercise: answers are kept there from now on.".into())
    }
}
