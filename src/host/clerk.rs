//! The learner's files: course, progress, sheets. Read and written by a thread
//! of its own, so that a slow disk never holds up a key.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::away::Away;
use crate::desk::Host;
use crate::keep::Shelf;
use app::study::Study;
use app::{Effect, Message, SheetRead};
use course::answer::data_sheets;
use course::attempt::kernel_file;
use course::{Course, DEVICE, Exercise, Fault, Ledger, Saved, Sheet, Stamp, VARIANT, undo};

/// How often files that are shown are looked at: progress, those of a course folder, and
/// the sheet of the form.
const LOOK: Duration = Duration::from_secs(1);

/// The learner's files. Dropping it waits until everything is written.
pub struct Clerk {
    jobs: Option<Sender<Effect>>,
    thread: Option<JoinHandle<()>>,
}

impl Clerk {
    /// Starts loading the course and progress; they come as a message.
    pub fn start(away: &Away, to: Sender<Message>) -> Self {
        let (jobs, queue) = mpsc::channel();
        let away = away.clone();
        let thread = thread::spawn(move || {
            let mut files = Files::open(&away, to);
            files.load();
            files.work(&queue);
        });
        Clerk {
            jobs: Some(jobs),
            thread: Some(thread),
        }
    }

    /// Carries an effect on files out, after those before it; another one is not
    /// done here.
    pub fn take(&self, effect: Effect) {
        if let Some(jobs) = &self.jobs {
            // The thread ends only when this sender is dropped.
            let _ = jobs.send(effect);
        }
    }
}

impl Drop for Clerk {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Who does the work.
struct Files {
    host: Host,
    to: Sender<Message>,
    /// The course as it lies on disk, for seeing that it changed.
    watched: Option<Course>,
    sheets: BTreeMap<String, Sheet>,
    /// Sheets that could not be read, as their files were then.
    broken: BTreeMap<String, Option<Stamp>>,
    /// Exercises that were opened: their sheets and kernel files are looked at.
    looked: BTreeMap<String, Looked>,
    /// The progress file as it was read or written here last.
    progress: Option<Stamp>,
    said_where: bool,
    /// It was said that the lab cannot be kept.
    said_lab: bool,
}

/// The kernel file of an exercise.
struct Looked {
    /// As it was when the judge was told of it.
    told: Option<Stamp>,
    /// As it was at the last look.
    seen: Option<Stamp>,
}

impl Files {
    fn open(away: &Away, to: Sender<Message>) -> Self {
        // First of all: what is saved while the rest is read must be seen as new.
        let watched = (!away.places.overlays.is_empty()).then(|| Course::open(&away.places));
        Files {
            host: away.host(),
            to,
            watched,
            sheets: BTreeMap::new(),
            broken: BTreeMap::new(),
            looked: BTreeMap::new(),
            progress: None,
            said_where: false,
            said_lab: false,
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
        let course = Arc::clone(&self.host.course);
        // The contents are read here, so that listing them costs no frame.
        course.lessons().for_each(drop);
        course.exercises().for_each(drop);
        let (progress, note) = self.host.load();
        self.progress = self.host.stamp();
        // Whether what was refused stands there still is seen on the contents.
        let refused = course.exercises().filter(|exercise| {
            let tally = progress.tally(exercise);
            tally.slip + tally.wrong > 0
        });
        let found = refused.filter_map(|exercise| {
            let sheet = self.host.sheet(exercise).ok()?;
            Some((exercise.id.clone(), answers(&sheet, exercise)))
        });
        let found = found.collect();
        let study = Study {
            course: Arc::clone(&course),
            progress,
            gpus: data_sheets().cloned().map(Arc::new),
            found,
            loaded: true,
            ..Study::default()
        };
        let overlay = course.overlay_note();
        let fault = course.faults().first().map(ToString::to_string);
        self.tell(Message::Loaded(Box::new(study)));
        let kept = Shelf::of(&self.host.places).load();
        self.tell(Message::Restored(Box::new(kept)));
        // Read on this thread, so that the first page with a claim costs no frame.
        let _ = Ledger::built_in();
        if let Some(text) = note.or(fault) {
            self.say(text);
        } else if let Some(text) = overlay {
            self.tell(Message::Saved(Ok(text)));
        }
    }

    fn work(&mut self, queue: &Receiver<Effect>) {
        loop {
            let job = match queue.recv_timeout(LOOK) {
                Ok(job) => job,
                Err(RecvTimeoutError::Timeout) => {
                    self.look();
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return,
            };
            match job {
                Effect::Record(event) => {
                    // What has come meanwhile is written in one go.
                    let mut events = vec![event];
                    let mut other = None;
                    while let Ok(next) = queue.try_recv() {
                        match next {
                            Effect::Record(event) => events.push(event),
                            job => {
                                other = Some(job);
                                break;
                            }
                        }
                    }
                    let moved = self.host.stamp() != self.progress;
                    let progress = self.host.record(&events);
                    self.progress = self.host.stamp();
                    if moved {
                        self.tell(Message::Elsewhere(Box::new(progress)));
                    }
                    if let Some(job) = other {
                        self.sheet(job);
                    }
                }
                job => self.sheet(job),
            }
        }
    }

    fn sheet(&mut self, job: Effect) {
        match job {
            Effect::OpenSheet(id) => self.read(&id, false),
            Effect::KeepLab(lab) => self.kept(|shelf| shelf.keep_lab(*lab)),
            Effect::KeepRuns(runs) => self.kept(|shelf| shelf.keep_runs(runs)),
            Effect::SaveAnswer {
                exercise,
                key,
                typed,
            } => self.save(&exercise, None, |sheet, found| {
                sheet.set(found, &key, &typed);
            }),
            Effect::Vary { exercise, variant } => {
                // The shell's `reset --undo` takes this back.
                let one = std::slice::from_ref(&exercise);
                if let Err(fault) = undo::keep(&self.host.places, one) {
                    return self.say(fault.to_string());
                }
                self.save(&exercise, Some(variant), |sheet, found| {
                    sheet.vary(found, variant);
                });
            }
            Effect::Device(gpu) => self.speak_of(gpu),
            Effect::Init => self.settle(),
            _ => {}
        }
    }

    /// Sheets are kept in the current folder from now on, those that were begun before too.
    fn settle(&mut self) {
        let before = self.host.places.answers();
        self.host.places.settle();
        let now = self.host.places.answers();
        self.sheets.clear();
        self.broken.clear();
        if let Err(error) = copied(&before, &now) {
            let (before, now) = (before.display(), now.display());
            self.say(format!(
                "What was answered before stays in {before}; it cannot be copied to {now}: {error}"
            ));
        }
    }

    /// Opens the course for another device. Answers that were begun before stay about
    /// theirs, which their sheets say.
    fn speak_of(&mut self, gpu: &'static str) {
        self.host.places.gpu = Some(gpu);
        let course = Arc::new(Course::open(&self.host.places));
        course.lessons().for_each(drop);
        course.exercises().for_each(drop);
        self.host.course = Arc::clone(&course);
        let name = data_sheets()
            .and_then(|all| all.get(gpu).ok())
            .map_or(gpu, |g| &g.name);
        let said = format!("Lessons and questions speak of the {name} now.");
        self.tell(Message::Reloaded(course, said));
        // Which sheet is looked at stays as it is.
        for id in self.sheets.keys() {
            if let Ok(exercise) = self.host.course.exercise(id)
                && let Ok(sheet) = self.host.sheet(exercise)
            {
                self.tell_sheet(&sheet, exercise, true);
            }
        }
    }

    /// Tells what a sheet holds, and how its exercise stands on disk.
    fn tell_sheet(&self, sheet: &Sheet, exercise: &Exercise, again: bool) {
        let read = SheetRead {
            answers: answers(sheet, exercise),
            kept: self.host.kept_of(&exercise.id),
            again,
        };
        self.tell(Message::Sheet(exercise.id.clone(), Box::new(read)));
    }

    /// Writes something of the lab; why it cannot be is said once.
    fn kept(&mut self, write: impl FnOnce(&Shelf) -> Result<(), String>) {
        let shelf = Shelf::of(&self.host.places);
        if let Err(why) = write(&shelf)
            && !std::mem::replace(&mut self.said_lab, true)
        {
            self.say(why);
        }
    }

    fn read(&mut self, id: &str, again: bool) {
        let course = Arc::clone(&self.host.course);
        let Ok(exercise) = course.exercise(id) else {
            return;
        };
        // What was typed before a sheet could be read is newer than that.
        let again = again && self.sheets.contains_key(id);
        match self.host.sheet(exercise) {
            Ok(mut sheet) => {
                // What could not be written while the file was broken goes there now.
                let before = self.sheets.remove(id);
                let before = before.filter(|b| b.unsaved() && b.variant() == sheet.variant());
                if let Some(mut before) = before
                    && let Ok(answered) = before.of(exercise)
                    && self.host.keep(&mut before, &answered).is_some()
                {
                    sheet = before;
                }
                self.tell_sheet(&sheet, exercise, again);
                self.broken.remove(id);
                self.sheets.insert(id.to_owned(), sheet);
            }
            Err(fault) => self.unread(id, &fault),
        }
        self.look_at(id);
    }

    /// Says once, not every second, why a sheet cannot be read: it is read again when its file
    /// is another.
    fn unread(&mut self, id: &str, fault: &Fault) {
        let stamp = Stamp::of(&self.host.places.sheet(id));
        self.broken.insert(id.to_owned(), stamp);
        self.say(fault.to_string());
    }

    /// Writes the sheet of an exercise, for another variant or the one it answers.
    fn save(
        &mut self,
        id: &str,
        variant: Option<usize>,
        write: impl FnOnce(&mut Sheet, &Exercise),
    ) {
        let course = Arc::clone(&self.host.course);
        let Ok(exercise) = course.exercise(id) else {
            return;
        };
        let sheet = match self.sheets.remove(id) {
            Some(sheet) => Ok(sheet),
            None => self.host.sheet(exercise),
        };
        let mut sheet = match sheet {
            Ok(sheet) => sheet,
            Err(fault) => return self.unread(id, &fault),
        };
        // A shell may have put another variant there since: what was typed answers this one.
        if variant.is_none()
            && sheet.changed_on_disk()
            && let Ok(now) = self.host.sheet(exercise)
            && now.variant() != sheet.variant()
        {
            self.tell_sheet(&now, exercise, true);
            self.sheets.insert(id.to_owned(), now);
            return self.look_at(id);
        }
        // One that is begun anew asks of the device of the course.
        let answered = match variant {
            Some(variant) => exercise.variant(variant),
            None => sheet.of(exercise),
        };
        let answered = answered.ok();
        let exercise = answered.as_ref().unwrap_or(exercise);
        let moved = sheet.changed_on_disk();
        write(&mut sheet, exercise);
        if let Some(saved) = self.host.keep(&mut sheet, exercise) {
            // Of another place was told already.
            let said = std::mem::replace(&mut self.said_where, true);
            if !said && matches!(saved, Saved::Here { .. }) {
                self.tell(Message::Kept(saved.to_string()));
            }
        }
        if moved {
            // Somebody else's answers came in with this save.
            self.tell_sheet(&sheet, exercise, true);
        }
        self.sheets.insert(id.to_owned(), sheet);
        self.look_at(id);
    }

    /// From now on the files of an exercise are looked at.
    fn look_at(&mut self, id: &str) {
        let places = &self.host.places;
        self.looked.entry(id.to_owned()).or_insert_with(|| Looked {
            told: Stamp::of(&kernel_file(places, id)),
            seen: None,
        });
    }

    /// Looks whether files of exercises that were opened changed, and progress.
    fn look(&mut self) {
        let ids: Vec<String> = self.looked.keys().cloned().collect();
        for id in ids {
            let changed = match self.broken.get(&id) {
                Some(broken) => Stamp::of(&self.host.places.sheet(&id)) != *broken,
                None => self.sheets.get(&id).is_some_and(Sheet::changed_on_disk),
            };
            if changed {
                self.read(&id, true);
            }
            let now = Stamp::of(&kernel_file(&self.host.places, &id));
            let Some(looked) = self.looked.get_mut(&id) else {
                continue;
            };
            // An editor may write in several steps: what stayed the same from one
            // look to the next is what was saved.
            let stayed = now == looked.seen;
            looked.seen.clone_from(&now);
            if stayed && now.is_some() && now != looked.told {
                looked.told = now;
                self.tell(Message::KernelSaved(id));
            }
        }
        // Behind the sheets: what was found is of what they hold.
        let now = self.host.stamp();
        if now != self.progress {
            self.progress = now;
            if let (progress, None) = self.host.look() {
                self.tell(Message::Elsewhere(Box::new(progress)));
            }
        }
        let Some(watched) = &mut self.watched else {
            return;
        };
        let changed = watched.refresh(&self.host.places);
        if changed.is_empty() {
            return;
        }
        self.host.course = Arc::new(Course::open(&self.host.places));
        let fault = changed
            .iter()
            .find_map(|id| fault_of(&self.host.course, id));
        let said = fault.unwrap_or_else(|| format!("Read again: {}.", changed.join(", ")));
        self.tell(Message::Reloaded(Arc::clone(&self.host.course), said));
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
    let device = sheet.gpu().map(|gpu| (DEVICE.to_owned(), gpu.to_owned()));
    let answered = sheet.of(exercise).ok();
    let keys = answered.as_ref().unwrap_or(exercise).keys.iter();
    keys.filter_map(|key| typed(&key.name.text))
        .chain(variant)
        .chain(device)
        .collect()
}
/// Copies the files of one folder into another.
fn copied(from: &Path, to: &Path) -> io::Result<()> {
    let entries = match std::fs::read_dir(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}
