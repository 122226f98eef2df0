//! The course as a whole: built-in texts, overlaid by id, read when asked for.

use super::answer::USUAL_GPU;
use super::assigned;
use super::claims::uncited;
use super::exercise::{Draw, Exercise};
use super::fault::{Fault, way_out};
use super::fields::Phrase;
use super::lesson::Lesson;
use super::paths::Places;
use super::route::{Route, Routes};
use super::shelf::{Raw, Shelf, embedded, embedded_routes, natural, on_disk, routes_on_disk};
use super::solution::Solution;
use files::Stamp;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Every lesson, exercise and solution, in natural order of their ids.
///
/// Opening takes the texts; reading one happens when it is first asked for.
#[derive(Debug, Default)]
pub struct Course {
    lessons: Vec<Slot<Lesson>>,
    exercises: Vec<Slot<Exercise>>,
    solutions: Vec<Slot<Solution>>,
    routes: Routes,
    faults: Vec<Fault>,
    /// Why the paths of a folder are not those in use.
    routes_fault: Option<Fault>,
    astray: Option<Fault>,
    overlay: Option<String>,
    differ: usize,
    marks: Vec<Mark>,
    /// The device of the course; none is the usual one.
    gpu: Option<&'static str>,
    /// The file that switches the claims court off, as a person reads it.
    court_off: Option<String>,
}

/// A text on disk and its version.
type Mark = (PathBuf, Option<Stamp>);

#[derive(Debug)]
struct Slot<T> {
    raw: Raw,
    /// The device of the course.
    gpu: &'static str,
    /// Lessons and exercises that are left out where the claims court is switched off;
    /// none: it sits.
    left_out: Option<Arc<[String]>>,
    read: OnceLock<T>,
}

impl<T> Slot<T> {
    fn get(&self, read: fn(&Self) -> T) -> &T {
        self.read.get_or_init(|| read(self))
    }

    /// The text; where the claims court is switched off without its citations of claims.
    fn text(&self) -> Cow<'_, str> {
        match self.left_out {
            Some(_) => uncited(&self.raw.text),
            None => Cow::Borrowed(&self.raw.text),
        }
    }

    fn is_left_out(&self, id: &str) -> bool {
        let left_out = self.left_out.as_deref().unwrap_or_default();
        left_out.iter().any(|other| other == id)
    }

    /// To be read for another device.
    fn on(&mut self, gpu: &'static str) {
        self.gpu = gpu;
        self.read = OnceLock::new();
    }
}

/// Takes what is left out away from a shelf; the others are read anew without it.
fn keep<T>(slots: &mut Vec<Slot<T>>, left_out: &Arc<[String]>) {
    slots.retain(|slot| !left_out.contains(&slot.raw.id));
    for slot in slots {
        slot.left_out = Some(Arc::clone(left_out));
        slot.read = OnceLock::new();
    }
}

fn lesson(slot: &Slot<Lesson>) -> Lesson {
    let raw = &slot.raw;
    let mut lesson = Lesson::read(&raw.id, &raw.file, &slot.text());
    replace_faults(&mut lesson.faults, raw);
    if slot.left_out.is_some() {
        lesson.without_court(&|id| slot.is_left_out(id));
    }
    lesson.on(slot.gpu)
}

fn exercise(slot: &Slot<Exercise>) -> Exercise {
    let raw = &slot.raw;
    let mut exercise = Exercise::read(&raw.id, &raw.file, &slot.text());
    replace_faults(&mut exercise.faults, raw);
    if slot.left_out.is_some() {
        exercise.without_court();
    }
    let gone = |named: &Phrase| slot.is_left_out(&named.text);
    if exercise.lesson.as_ref().is_some_and(gone) {
        exercise.lesson = None;
    }
    exercise.on(slot.gpu)
}

fn solution(slot: &Slot<Solution>) -> Solution {
    let raw = &slot.raw;
    let mut solution = Solution::read(&raw.id, &raw.file, &slot.text());
    replace_faults(&mut solution.faults, raw);
    solution
}

/// A file that could not be had has that one fault, not those of an empty text.
fn replace_faults(faults: &mut Vec<Fault>, raw: &Raw) {
    if let Some(fault) = &raw.fault {
        if raw.text.is_empty() {
            faults.clear();
        }
        faults.insert(0, fault.clone());
    }
}

impl Course {
    /// The built-in course.
    pub fn built_in() -> Self {
        let mut course = Self::default();
        for shelf in Shelf::ALL {
            course.lay(shelf, embedded(shelf));
        }
        let (routes, faults) = Routes::read("lessons/paths.toml", embedded_routes(), false);
        course.routes = routes;
        course.faults.extend(faults);
        course
    }

    /// The built-in course with the overlays of `places` on top.
    pub fn open(places: &Places) -> Self {
        let mut course = Self::built_in();
        places
            .faults
            .iter()
            .for_each(|fault| course.stray(fault.clone()));
        for root in &places.overlays {
            course.overlay(root, &|path| places.shown(path));
        }
        course.court_off = places.court_off.as_ref().map(|file| places.shown(file));
        course.without_court();
        course.on(places.device())
    }

    /// The file that switches the claims court off, where one does.
    pub fn court_off(&self) -> Option<&str> {
        self.court_off.as_deref()
    }

    /// What is said where the court was asked for and `file` switches it off.
    pub fn no_court(file: &str) -> String {
        format!("this course has switched the claims court off, with court = false in {file}")
    }

    /// Leaves out what is about the court, where it is switched off: its lessons, the
    /// exercises that put claims on trial, and the blocks of lessons that do.
    fn without_court(&mut self) {
        if self.court_off.is_none() {
            return;
        }
        let about = self.lessons.iter().filter(|slot| slot.get(lesson).court);
        let trials = self.exercises.iter();
        let trials = trials.filter(|slot| slot.get(exercise).draw == Some(Draw::Claims));
        let left_out: Arc<[String]> = about
            .map(|slot| slot.raw.id.clone())
            .chain(trials.map(|slot| slot.raw.id.clone()))
            .collect();
        keep(&mut self.lessons, &left_out);
        keep(&mut self.exercises, &left_out);
        keep(&mut self.solutions, &left_out);
    }

    /// The same course, its numbers of a GPU those of this one.
    #[must_use]
    pub fn on(mut self, gpu: &'static str) -> Self {
        self.gpu = Some(gpu);
        self.lessons.iter_mut().for_each(|slot| slot.on(gpu));
        self.exercises.iter_mut().for_each(|slot| slot.on(gpu));
        self
    }

    /// The device of the course, by its id in the data sheets.
    pub fn gpu(&self) -> &'static str {
        self.gpu.unwrap_or(USUAL_GPU)
    }

    /// Only what lies in a folder, for lint.
    pub fn folder(root: &Path) -> Self {
        let mut course = Self::default();
        course.overlay(root, &|path| path.display().to_string());
        course
    }

    pub(crate) fn overlay(&mut self, root: &Path, shown: &dyn Fn(&Path) -> String) {
        if !root.is_dir() {
            self.stray(Fault::whole(
                shown(root),
                "there is no such course folder; it should hold lessons/ or exercises/.",
            ));
            return;
        }
        self.overlay = Some(shown(&root.join("lessons")));
        self.marks.extend(marks(root));
        let mut any = false;
        for shelf in Shelf::ALL {
            let raws = on_disk(root, shelf, shown, &mut self.faults);
            any |= !raws.is_empty();
            self.lay(shelf, raws);
        }
        any |= self.lay_routes(root, shown);
        if !any && self.faults.is_empty() {
            self.stray(Fault::whole(shown(root), "this course folder holds no text; put lessons into lessons/ and exercises into exercises/."));
        }
    }

    /// Lays the paths of a folder over those that are there; whether it has any.
    fn lay_routes(&mut self, root: &Path, shown: &dyn Fn(&Path) -> String) -> bool {
        let (file, text) = match routes_on_disk(root, shown) {
            Ok(None) => return false,
            Ok(Some(found)) => found,
            Err(fault) => {
                self.routes_fault = Some(fault.clone());
                self.faults.push(fault);
                return true;
            }
        };
        let (routes, faults) = Routes::read(&file, &text, true);
        if routes.list.is_empty() {
            self.routes_fault = faults.first().cloned();
        } else {
            self.routes.lay(routes);
        }
        self.faults.extend(faults);
        true
    }

    /// The paths through the course, the default one first.
    pub fn routes(&self) -> &[Route] {
        &self.routes.list
    }

    /// The path of a name, or the default one.
    pub fn route(&self, name: Option<&str>) -> Option<&Route> {
        let called = |route: &&Route| Some(route.name.text.as_str()) == name;
        self.routes
            .list
            .iter()
            .find(called)
            .or(self.routes.list.first())
    }

    /// Why the paths of a folder are not those in use: its first fault.
    pub fn routes_fault(&self) -> Option<&Fault> {
        self.routes_fault.as_ref()
    }

    /// The paths that lie in a folder, with their file; the built-in ones where no
    /// course is laid over.
    pub(crate) fn own_routes(&self) -> Option<(&str, &[Route])> {
        let own = self.routes.own || self.marks.is_empty() && self.overlay.is_none();
        own.then_some((self.routes.file.as_str(), self.routes.list.as_slice()))
    }

    /// Notes that the course asked for is not the one in use.
    fn stray(&mut self, fault: Fault) {
        self.faults.push(fault.clone());
        self.astray.get_or_insert(fault);
    }

    fn lay(&mut self, shelf: Shelf, raws: Vec<Raw>) {
        for raw in raws {
            match shelf {
                Shelf::Lessons => {
                    self.differ += usize::from(raw.path.is_some() && differs(&self.lessons, &raw));
                    put(&mut self.lessons, raw);
                }
                Shelf::Exercises => put(&mut self.exercises, raw),
                Shelf::Solutions => put(&mut self.solutions, raw),
            }
        }
    }

    /// Takes up texts that changed on disk since; returns their ids.
    ///
    /// Costs one look at the names in the overlay folders while nothing changed.
    pub fn refresh(&mut self, places: &Places) -> Vec<String> {
        let marks: Vec<Mark> = places
            .overlays
            .iter()
            .flat_map(|root| marks(root))
            .collect();
        if marks == self.marks {
            return Vec::new();
        }
        let ids = |from: &[Mark], other: &[Mark]| -> Vec<String> {
            let moved = from.iter().filter(|mark| !other.contains(mark));
            moved
                .filter_map(|(path, _)| Some(path.file_stem()?.to_string_lossy().into_owned()))
                .collect()
        };
        let mut changed = ids(&self.marks, &marks);
        changed.extend(ids(&marks, &self.marks));
        *self = Self::open(places);
        changed.sort_by(|a, b| natural(a, b));
        changed.dedup();
        changed
    }

    /// Faults of folders: what could not be taken up at all.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Why the course that was asked for could not be taken up at all: there is no
    /// such folder, or no text in it.
    pub fn astray(&self) -> Option<&Fault> {
        self.astray.as_ref()
    }

    /// The lessons in order.
    pub fn lessons(&self) -> impl ExactSizeIterator<Item = &Lesson> {
        self.lessons.iter().map(|slot| slot.get(lesson))
    }

    /// The exercises in order.
    pub fn exercises(&self) -> impl ExactSizeIterator<Item = &Exercise> {
        self.exercises.iter().map(|slot| slot.get(exercise))
    }

    /// The solutions in order.
    pub fn solutions(&self) -> impl ExactSizeIterator<Item = &Solution> {
        self.solutions.iter().map(|slot| slot.get(solution))
    }

    /// Lessons that lie in a folder; all where none does.
    pub fn own_lessons(&self) -> impl Iterator<Item = &Lesson> {
        let laid = !self.marks.is_empty();
        let own = move |slot: &&Slot<Lesson>| !laid || slot.raw.path.is_some();
        self.lessons.iter().filter(own).map(|slot| slot.get(lesson))
    }

    /// Exercises that lie in a folder; all where none does.
    pub fn own_exercises(&self) -> impl Iterator<Item = &Exercise> {
        let laid = !self.marks.is_empty();
        let own = move |slot: &&Slot<Exercise>| !laid || slot.raw.path.is_some();
        self.exercises
            .iter()
            .filter(own)
            .map(|slot| slot.get(exercise))
    }

    /// Solutions that lie in a folder; all where none does.
    pub fn own_solutions(&self) -> impl Iterator<Item = &Solution> {
        let laid = !self.marks.is_empty();
        let own = move |slot: &&Slot<Solution>| !laid || slot.raw.path.is_some();
        self.solutions
            .iter()
            .filter(own)
            .map(|slot| slot.get(solution))
    }

    /// A lesson by its id, its number (`4`, `04`) or its name without number.
    ///
    /// # Errors
    /// A sentence with the nearest id.
    pub fn lesson(&self, typed: &str) -> Result<&Lesson, String> {
        let number = |text: &str| text.parse::<u32>().ok();
        let fits = |id: &str| {
            let (head, tail) = id.split_once('-').unwrap_or((id, ""));
            id == typed || tail == typed || number(head).is_some_and(|n| number(typed) == Some(n))
        };
        let ids: Vec<&str> = self
            .lessons
            .iter()
            .map(|slot| slot.raw.id.as_str())
            .collect();
        self.lessons
            .iter()
            .find(|slot| slot.raw.id == typed)
            .or_else(|| self.lessons.iter().find(|slot| fits(&slot.raw.id)))
            .map(|slot| slot.get(lesson))
            .ok_or_else(|| {
                format!(
                    "there is no lesson “{typed}”; {}",
                    hint(typed, &ids, "tinyllama-tutor lessons")
                )
            })
    }

    /// An exercise by its id, or by a name of the documents that means one alone.
    ///
    /// # Errors
    /// A sentence with the nearest id.
    pub fn exercise(&self, typed: &str) -> Result<&Exercise, String> {
        match self.exercises_named(typed)?.as_slice() {
            [one] => Ok(one),
            several => {
                let ids: Vec<&str> = several.iter().map(|e| e.id.as_str()).collect();
                Err(format!(
                    "{typed} is {} here; name one of them",
                    ids.join(", ")
                ))
            }
        }
    }

    /// The exercises of an id, or of a name of the documents ([`assigned`]): one or more.
    ///
    /// # Errors
    /// A sentence with the nearest id or name.
    pub fn exercises_named(&self, typed: &str) -> Result<Vec<&Exercise>, String> {
        let mut own = self.exercises.iter();
        if let Some(slot) = own.find(|slot| slot.raw.id == typed) {
            return Ok(vec![slot.get(exercise)]);
        }
        let led = assigned::led_to(self, typed);
        if !led.is_empty() {
            return Ok(led);
        }
        let own = self.exercises.iter().map(|slot| slot.raw.id.as_str());
        let theirs = assigned::names().map(|(name, _)| name);
        let ids: Vec<&str> = own.chain(theirs).collect();
        Err(format!(
            "there is no exercise “{typed}”; {}",
            hint(typed, &ids, "tinyllama-tutor exercises")
        ))
    }

    /// The exercises that a lesson leads to.
    pub fn exercises_of<'c>(&'c self, lesson: &'c str) -> impl Iterator<Item = &'c Exercise> {
        self.exercises().filter(move |exercise| {
            exercise
                .lesson
                .as_ref()
                .is_some_and(|named| named.text == lesson)
        })
    }

    /// The solution of an exercise, where there is one.
    pub fn solution(&self, id: &str) -> Option<&Solution> {
        self.solutions
            .iter()
            .find(|slot| slot.raw.id == id)
            .map(|slot| slot.get(solution))
    }

    /// What the course is, in the header: `course built in`, or the name of the folder
    /// that lies over it.
    pub fn named(&self) -> String {
        let Some(folder) = &self.overlay else {
            return "course built in".to_owned();
        };
        let path = Path::new(folder);
        // Texts may lie in a folder of lessons; its name says nothing.
        let path = match path.file_name() {
            Some(name) if name == "lessons" => path.parent().unwrap_or(path),
            _ => path,
        };
        match path.file_name() {
            Some(name) => format!("course {}", name.display()),
            None => "course of this folder".to_owned(),
        }
    }

    /// `Course overlay found: ./lessons (2 lessons differ from the built-in course). …`
    pub fn overlay_note(&self) -> Option<String> {
        let folder = self.overlay.as_ref()?;
        let lessons = match self.differ {
            0 => return None,
            1 => "1 lesson differs".to_owned(),
            n => format!("{n} lessons differ"),
        };
        Some(format!(
            "Course overlay found: {folder} ({lessons} from the built-in course). --course DIR chooses another."
        ))
    }
}

/// The nearest id, or the command that lists them: thirty ids make no sentence.
fn hint(typed: &str, ids: &[&str], command: &str) -> String {
    match plan::nearest(typed, ids.iter().copied()) {
        Some(_) => way_out(typed, ids),
        None => format!("{command} lists them."),
    }
}

fn differs(slots: &[Slot<Lesson>], raw: &Raw) -> bool {
    slots
        .iter()
        .find(|slot| slot.raw.id == raw.id)
        .is_none_or(|slot| slot.raw.text != raw.text)
}

fn put<T>(slots: &mut Vec<Slot<T>>, raw: Raw) {
    let slot = Slot {
        raw,
        gpu: USUAL_GPU,
        left_out: None,
        read: OnceLock::new(),
    };
    match slots.binary_search_by(|old| natural(&old.raw.id, &slot.raw.id)) {
        // A text that could not be read leaves the built-in one, with the fault.
        Ok(at) => {
            if let Some(old) = slots.get_mut(at) {
                if slot.raw.fault.is_some() && slot.raw.text.is_empty() {
                    let kept = old.raw.text.clone();
                    *old = slot;
                    old.raw.text = kept;
                } else {
                    *old = slot;
                }
            }
        }
        Err(at) => slots.insert(at, slot),
    }
}

/// Names and versions of the texts in a folder, without reading them.
fn marks(root: &Path) -> Vec<Mark> {
    let mut out: Vec<Mark> = Shelf::ALL
        .iter()
        .filter_map(|shelf| std::fs::read_dir(root.join(shelf.folder())).ok())
        .flat_map(|entries| entries.flatten())
        .map(|entry| entry.path())
        .filter(|path| {
            let routes = path.file_name().is_some_and(|name| name == "paths.toml");
            routes || path.extension().is_some_and(|extension| extension == "md")
        })
        .map(|path| (path.clone(), Stamp::of(&path)))
        .collect();
    out.sort_by(|a, b| a.0.cmp(&b.0));
    out
}
