//! The course as a whole: built-in texts, overlaid by id, read when asked for.

mod find;
mod slot;

use super::answer::USUAL_GPU;
use super::exercise::{Draw, Exercise};
use super::fault::Fault;
use super::lesson::Lesson;
use super::paths::Places;
use super::route::{self, Route, Routes};
use super::shelf::{Raw, Shelf, embedded, embedded_routes, natural, on_disk, routes_on_disk};
use super::solution::Solution;
use files::Stamp;
use slot::{Slot, differs, exercise, keep, lesson, put, solution};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
            let say = match root.is_file() {
                true => format!(
                    "this is a file, and a course is a folder; name {}.",
                    shown(course_of(root))
                ),
                false => "there is no such course folder; it should hold lessons/ or exercises/."
                    .to_owned(),
            };
            self.stray(Fault::whole(shown(root), say));
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
        self.misplaced_routes(root, shown);
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

    /// Says of a file of paths that lies where none is read.
    fn misplaced_routes(&mut self, root: &Path, shown: &dyn Fn(&Path) -> String) {
        let right = root.join(Shelf::Lessons.folder()).join(route::FILE);
        let folders = [None, Some(Shelf::Exercises), Some(Shelf::Solutions)];
        for folder in folders.map(|shelf| shelf.map_or("", Shelf::folder)) {
            let file = root.join(folder).join(route::FILE);
            if std::fs::symlink_metadata(&file).is_err() {
                continue;
            }
            let say = format!("is not read here; paths stand in {}.", shown(&right));
            let fault = Fault::whole(shown(&file), say).warning();
            if !right.exists() {
                self.routes_fault.get_or_insert(fault.clone());
            }
            self.faults.push(fault);
        }
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

    /// The file of the paths that lie in a folder; of the built-in ones where none does.
    pub(crate) fn routes_file(&self) -> &str {
        &self.routes.file
    }

    /// The paths that lie in a folder; the built-in ones where no course is laid over.
    pub(crate) fn own_routes(&self) -> impl Iterator<Item = &Route> {
        let laid = !self.marks.is_empty() || self.overlay.is_some();
        let list = self.routes.list.iter();
        list.filter(move |route| route.own || !laid)
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

/// The course folder that a file lies in.
fn course_of(file: &Path) -> &Path {
    let beside = file.parent().unwrap_or(file);
    let name = beside.file_name().unwrap_or_default();
    let shelf = Shelf::ALL.iter().any(|shelf| name == shelf.folder());
    match beside.parent() {
        Some(above) if shelf => above,
        _ => beside,
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
            let routes = path.file_name().is_some_and(|name| name == route::FILE);
            routes || path.extension().is_some_and(|extension| extension == "md")
        })
        .map(|path| (path.clone(), Stamp::of(&path)))
        .collect();
    out.sort_by(|a, b| a.0.cmp(&b.0));
    out
}
