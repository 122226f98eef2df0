//! The learner's files: course, progress, sheets. Read and written by a thread
//! of its own, so that a slow disk never holds up a key.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use app::Message;
use app::study::Study;
use course::attempt::kernel_file;
use course::{Course, Event, Exercise, Ledger, Places, Saved, Sheet, Stamp, Store, VARIANT, undo};
use plan::cost::GpuDatabase;

/// How often files that are shown are looked at: those of a course folder, and
/// the sheet of the form. Where there are neither, the thread sleeps.
const LOOK: Duration = Duration::from_secs(1);

enum Job {
    Record(Event),
    Read(String),
    Save {
        exercise: String,
        key: String,
        typed: String,
    },
    Vary {
        exercise: String,
        variant: usize,
    },
}

/// The desk. Dropping it waits until everything is written.
pub struct Desk {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Desk {
    /// Starts loading the course and progress; they come as a message.
    pub fn open(places: Places, to: Sender<Message>) -> Self {
        let (jobs, queue) = mpsc::channel();
        let thread = thread::spawn(move || {
            let mut clerk = Clerk::new(places, to);
            clerk.load();
            clerk.work(&queue);
        });
        Desk {
            jobs: Some(jobs),
            thread: Some(thread),
        }
    }

    fn ask(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            // The thread ends only when this sender is dropped.
            let _ = jobs.send(job);
        }
    }

    /// Adds an event to the progress on disk.
    pub fn record(&self, event: Event) {
        self.ask(Job::Record(event));
    }

    /// Reads the sheet of an exercise.
    pub fn read(&self, exercise: String) {
        self.ask(Job::Read(exercise));
    }

    /// Empties a sheet for another variant.
    pub fn vary(&self, exercise: String, variant: usize) {
        self.ask(Job::Vary { exercise, variant });
    }

    /// Writes an answer into its sheet.
    pub fn save(&self, exercise: String, key: String, typed: String) {
        self.ask(Job::Save {
            exercise,
            key,
            typed,
        });
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Who does the work.
struct Clerk {
    places: Places,
    to: Sender<Message>,
    store: Store,
    course: Arc<Course>,
    /// The course as it lies on disk, for seeing that it changed.
    watched: Option<Course>,
    sheets: BTreeMap<String, Sheet>,
    /// The sheet that is looked at.
    shown: Option<String>,
    /// The kernel file of that exercise, as it was when the judge was told of it.
    kernel: Option<Stamp>,
    /// The same at the last look.
    seen: Option<Stamp>,
    said_where: bool,
}

impl Clerk {
    fn new(places: Places, to: Sender<Message>) -> Self {
        Clerk {
            store: Store::new(&places),
            places,
            to,
            course: Arc::default(),
            watched: None,
            sheets: BTreeMap::new(),
            shown: None,
            kernel: None,
            seen: None,
            said_where: false,
        }
    }

    fn tell(&self, message: Message) {
        // Nobody listens any more when the program is leaving.
        let _ = self.to.send(message);
    }

    fn say(&self, text: String) {
        self.tell(Message::Saved(Err(text)));
    }

    fn load(&mut self) {
        // First of all: what is saved while the rest is read must be seen as new.
        self.watched = (!self.places.overlays.is_empty()).then(|| Course::open(&self.places));
        let course = Arc::new(Course::open(&self.places));
        // The contents are read here, so that listing them costs no frame.
        course.lessons().for_each(drop);
        course.exercises().for_each(drop);
        let (progress, note) = self.store.load();
        let study = Study {
            course: Arc::clone(&course),
            progress,
            gpus: GpuDatabase::embedded().ok().map(Arc::new),
            loaded: true,
            ..Study::default()
        };
        let overlay = course.overlay_note();
        let fault = course.faults().first().map(ToString::to_string);
        self.course = course;
        self.tell(Message::Loaded(Box::new(study)));
        // Read on this thread, so that the first page with a claim costs no frame.
        let _ = Ledger::built_in();
        if let Some(text) = note.or(fault) {
            self.say(text);
        } else if let Some(text) = overlay {
            self.tell(Message::Saved(Ok(text)));
        }
    }

    fn work(&mut self, queue: &Receiver<Job>) {
        loop {
            let job = if self.watched.is_some() || self.shown.is_some() {
                match queue.recv_timeout(LOOK) {
                    Ok(job) => job,
                    Err(RecvTimeoutError::Timeout) => {
                        self.look();
                        continue;
                    }
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            } else {
                match queue.recv() {
                    Ok(job) => job,
                    Err(_) => return,
                }
            };
            match job {
                Job::Record(event) => {
                    // What has come meanwhile is written in one go.
                    let mut events = vec![event];
                    let mut other = None;
                    while let Ok(next) = queue.try_recv() {
                        match next {
                            Job::Record(event) => events.push(event),
                            job => {
                                other = Some(job);
                                break;
                            }
                        }
                    }
                    if let Err(fault) = self.store.record(&events) {
                        self.say(fault.to_string());
                    }
                    if let Some(job) = other {
                        self.sheet(job);
                    }
                }
                job => self.sheet(job),
            }
        }
    }

    fn sheet(&mut self, job: Job) {
        match job {
            Job::Read(id) => self.read(&id, false),
            Job::Save {
                exercise,
                key,
                typed,
            } => self.save(&exercise, None, |sheet, found| {
                sheet.set(found, &key, &typed);
            }),
            Job::Vary { exercise, variant } => {
                // The shell's `reset --undo` takes this back.
                if let Err(fault) = undo::keep(&self.places, std::slice::from_ref(&exercise)) {
                    return self.say(fault.to_string());
                }
                self.save(&exercise, Some(variant), |sheet, found| {
                    sheet.vary(found, variant);
                });
            }
            Job::Record(event) => {
                if let Err(fault) = self.store.record(&[event]) {
                    self.say(fault.to_string());
                }
            }
        }
    }

    fn read(&mut self, id: &str, again: bool) {
        let course = Arc::clone(&self.course);
        let Ok(exercise) = course.exercise(id) else {
            return;
        };
        match Sheet::open(&self.places, exercise) {
            Ok(sheet) => {
                let answers = answers(&sheet, exercise);
                self.sheets.insert(id.to_owned(), sheet);
                if self.shown.as_deref() != Some(id) {
                    self.kernel = Stamp::of(&kernel_file(&self.places, id));
                }
                self.shown = Some(id.to_owned());
                self.tell(Message::Sheet(id.to_owned(), answers, again));
            }
            Err(fault) => {
                // The same fault is said once, not every second.
                self.shown = None;
                self.say(fault.to_string());
            }
        }
    }

    /// Writes the sheet of an exercise, for another variant or the one it answers.
    fn save(
        &mut self,
        id: &str,
        variant: Option<usize>,
        write: impl FnOnce(&mut Sheet, &Exercise),
    ) {
        let course = Arc::clone(&self.course);
        let Ok(exercise) = course.exercise(id) else {
            return;
        };
        let sheet = match self.sheets.remove(id) {
            Some(sheet) => Ok(sheet),
            None => Sheet::open(&self.places, exercise),
        };
        let mut sheet = match sheet {
            Ok(sheet) => sheet,
            Err(fault) => return self.say(fault.to_string()),
        };
        let answered = exercise.variant(variant.unwrap_or(sheet.variant())).ok();
        let exercise = answered.as_ref().unwrap_or(exercise);
        let moved = sheet.changed_on_disk();
        write(&mut sheet, exercise);
        match sheet.save(&self.places, exercise) {
            Ok(Saved::Here { .. }) if self.said_where => {}
            Ok(saved) => {
                self.said_where = true;
                let outcome = match saved {
                    Saved::Here { .. } => Ok(saved.to_string()),
                    Saved::Elsewhere { .. } => Err(saved.to_string()),
                };
                self.tell(Message::Saved(outcome));
            }
            Err(fault) => self.say(fault.to_string()),
        }
        if moved {
            // Somebody else's answers came in with this save.
            let answers = answers(&sheet, exercise);
            self.tell(Message::Sheet(id.to_owned(), answers, true));
        }
        self.sheets.insert(id.to_owned(), sheet);
        self.shown = Some(id.to_owned());
    }

    /// Looks whether files that are shown changed.
    fn look(&mut self) {
        if let Some(id) = self.shown.clone()
            && self.sheets.get(&id).is_some_and(Sheet::changed_on_disk)
        {
            self.read(&id, true);
        }
        if let Some(id) = self.shown.clone() {
            // An editor may write in several steps: what stayed the same from one
            // look to the next is what was saved.
            let now = Stamp::of(&kernel_file(&self.places, &id));
            let stayed = now == self.seen;
            self.seen.clone_from(&now);
            if stayed && now.is_some() && now != self.kernel {
                self.kernel = now;
                self.tell(Message::KernelSaved(id));
            }
        }
        let Some(watched) = &mut self.watched else {
            return;
        };
        let changed = watched.refresh(&self.places);
        if changed.is_empty() {
            return;
        }
        self.course = Arc::new(Course::open(&self.places));
        let fault = changed.iter().find_map(|id| fault_of(&self.course, id));
        let said = fault.unwrap_or_else(|| format!("Read again: {}.", changed.join(", ")));
        self.tell(Message::Reloaded(Arc::clone(&self.course), said));
    }
}

/// The first fault of a text, by its id.
fn fault_of(course: &Course, id: &str) -> Option<String> {
    let lesson = course.lesson(id).ok().filter(|l| l.id == id);
    let faults = match lesson {
        Some(lesson) => &lesson.faults,
        None => &course.exercise(id).ok()?.faults,
    };
    faults.first().map(ToString::to_string)
}

fn answers(sheet: &Sheet, exercise: &Exercise) -> BTreeMap<String, String> {
    let typed = |key: &str| Some((key.to_owned(), sheet.answer(key)?));
    let variant = Some(sheet.variant()).filter(|n| *n > 0);
    let variant = variant.map(|n| (VARIANT.to_owned(), n.to_string()));
    // Another variant may ask other questions.
    let answered = exercise.variant(sheet.variant()).ok();
    let keys = answered.as_ref().unwrap_or(exercise).keys.iter();
    keys.filter_map(|key| typed(&key.name.text))
        .chain(variant)
        .collect()
}
