//! What resets took away, the newest first to come back: progress and sheets of the
//! exercises as they were. What stood in its place when it came back can come back as well.

use super::{Progress, Store, is_of};
use crate::fault::Fault;
use crate::paths::Places;
use crate::sheet::{holds_answers, writable};
use files::{Lock, plain, read_bounded, replace};
use std::io;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Largest file that is kept or restored.
const LARGEST: usize = 32 * 1024 * 1024;

/// How many resets can be taken back; the oldest is forgotten for a newer one.
const STEPS: usize = 32;

/// Fields of a step. A file of one step has them at its top.
const PROGRESS: &str = "progress";
const SHEETS: &str = "sheets";
const REFUGES: &str = "refuges";
const FOLDER: &str = "folder";

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// The exercises.
    pub exercises: Vec<String>,
    /// How many more can come back in the same way.
    pub left: usize,
    /// Whether something was answered in its place, which comes back the other way.
    pub since: bool,
}

/// Which way one goes: to what was before a reset, or to what was answered behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// To what the last reset took away.
    Undo,
    /// To what the last undoing took away.
    Redo,
}

/// Steps in both directions, the newest last.
#[derive(Default)]
struct Steps {
    undo: Vec<Table>,
    redo: Vec<Table>,
}

fn path(places: &Places) -> PathBuf {
    places.state.join("undo.toml")
}

fn text(path: &Path) -> Option<String> {
    let bytes = read_bounded(path, LARGEST).ok()?;
    String::from_utf8(bytes).ok()
}

impl Progress {
    /// An exercise as it stands in `from`.
    pub fn take(&mut self, exercise: &str, from: &Self) {
        let id = exercise.to_owned();
        match from.exercises.get(exercise) {
            Some(keys) => self.exercises.insert(id.clone(), keys.clone()),
            None => self.exercises.remove(exercise),
        };
        match from.variants.get(exercise) {
            Some(variant) => self.variants.insert(id.clone(), *variant),
            None => self.variants.remove(exercise),
        };
        let finished: Vec<String> = from.finished_of(exercise).cloned().collect();
        self.finished.retain(|of| !is_of(of, exercise));
        self.finished.extend(finished);
    }

    /// Whether a reset of an exercise takes anything away here.
    pub fn has_begun(&self, exercise: &str) -> bool {
        let marks = self.exercises.get(exercise);
        marks.is_some_and(|keys| !keys.is_empty()) || self.finished_of(exercise).next().is_some()
    }
}

/// The steps that are kept.
fn steps(places: &Places) -> Result<Steps, Fault> {
    let path = path(places);
    let Ok(bytes) = read_bounded(&path, LARGEST) else {
        return Ok(Steps::default());
    };
    let read: Result<Table, _> = String::from_utf8_lossy(&bytes).parse();
    let mut kept = read.map_err(|_| {
        let say = "it is not TOML, so no reset can be undone or made; remove it.";
        Fault::whole(places.shown(&path), say)
    })?;
    let mut of = |field: &str| match kept.remove(field) {
        Some(Value::Array(steps)) => {
            let tables = steps.into_iter().filter_map(|step| match step {
                Value::Table(step) => Some(step),
                _ => None,
            });
            Some(tables.collect())
        }
        _ => None,
    };
    let (undo, redo) = (of("step"), of("redo").unwrap_or_default());
    let undo = match undo {
        Some(steps) => steps,
        None if kept.contains_key(SHEETS) => vec![kept],
        None => Vec::new(),
    };
    Ok(Steps { undo, redo })
}

/// Writes the steps, as many of the newest as there is room for.
fn write(places: &Places, mut steps: Steps) -> io::Result<()> {
    let path = path(places);
    if steps.undo.is_empty() && steps.redo.is_empty() {
        return std::fs::remove_file(&path);
    }
    let over = steps.undo.len().saturating_sub(STEPS);
    steps.undo.drain(..over);
    loop {
        let array =
            |steps: &[Table]| Value::Array(steps.iter().cloned().map(Value::Table).collect());
        let both = [("step", &steps.undo), ("redo", &steps.redo)];
        let both = both.map(|(name, steps)| (name.to_owned(), array(steps)));
        let text = Table::from_iter(both).to_string();
        if text.len() <= LARGEST || steps.undo.len() + steps.redo.len() == 1 {
            return replace(&path, text.as_bytes());
        }
        let oldest = if steps.undo.len() > 1 {
            &mut steps.undo
        } else {
            &mut steps.redo
        };
        if oldest.is_empty() {
            return replace(&path, text.as_bytes());
        }
        oldest.remove(0);
    }
}

/// Progress of a step; that of a file without any is empty.
fn progress_of(step: &Table) -> Progress {
    let text = step.get(PROGRESS).and_then(Value::as_str);
    let read = text.and_then(|text| Progress::read(text).ok());
    read.unwrap_or_default()
}

/// The sheets of a step, or those that lie in the state folder, by exercise.
fn sheets_of<'s>(step: &'s Table, field: &str) -> Vec<(&'s String, &'s str)> {
    let sheets = step.get(field).and_then(Value::as_table);
    let sheets = sheets.into_iter().flatten();
    // Ids that are no names would lead out of the folder.
    let named = sheets.filter(|(id, _)| crate::is_name(id));
    named
        .filter_map(|(id, s)| Some((id, s.as_str()?)))
        .collect()
}

/// Progress and sheets of those of these exercises that hold anything, as they are now.
struct Snapshot {
    /// Which these are.
    begun: Vec<String>,
    progress: Progress,
    step: Table,
}

fn snapshot(places: &Places, exercises: &[String]) -> Snapshot {
    let (progress, _) = Store::new(places).look();
    // What lies there is about this folder only where it cannot be written itself.
    let elsewhere = !places.answers().is_dir() || writable(&places.answers());
    let mut now = Progress::default();
    let (mut begun, mut sheets, mut refuges) = (Vec::new(), Table::new(), Table::new());
    for id in exercises {
        let here = places.sheet(id);
        let refuge = Some(places.refuge(id)).filter(|refuge| !elsewhere && *refuge != here);
        let sheet = text(&here);
        let refuge = refuge.and_then(|refuge| text(&refuge));
        let written = sheet.iter().chain(&refuge).any(|text| holds_answers(text));
        if !written && !progress.has_begun(id) {
            continue;
        }
        begun.push(id.clone());
        now.take(id, &progress);
        sheets.extend(sheet.map(|text| (id.clone(), Value::String(text))));
        refuges.extend(refuge.map(|text| (id.clone(), Value::String(text))));
    }
    let ids = begun.iter().cloned().map(Value::String).collect();
    let folder = places.answers().to_string_lossy().into_owned();
    let step = Table::from_iter([
        (FOLDER.to_owned(), Value::String(folder)),
        ("exercises".to_owned(), Value::Array(ids)),
        (PROGRESS.to_owned(), Value::String(now.write())),
        (SHEETS.to_owned(), Value::Table(sheets)),
        (REFUGES.to_owned(), Value::Table(refuges)),
    ]);
    Snapshot {
        begun,
        progress: now,
        step,
    }
}

/// Keeps progress and sheets of those of these exercises that hold anything, as they are
/// now; which these are. None of them: nothing is kept, since there is nothing to lose.
///
/// # Errors
/// The state folder cannot be written; then nothing should be reset.
pub fn keep(places: &Places, exercises: &[String]) -> Result<Vec<String>, Fault> {
    let Snapshot {
        begun,
        progress,
        step: kept,
    } = snapshot(places, exercises);
    if begun.is_empty() {
        return Ok(begun);
    }
    let failed = |error: &io::Error| {
        let shown = places.shown(&path(places));
        let say = format!("cannot be written: {}. Nothing was reset.", plain(error));
        Fault::whole(shown, say)
    };
    std::fs::create_dir_all(&places.state).map_err(|error| failed(&error))?;
    let _lock = Lock::take(&places.lock()).map_err(|error| Fault::unlocked(places, &error))?;
    let mut all = steps(places)?;
    // Variants that are only leafed through hide nothing of what came before.
    let leafed =
        sheets_are_empty(&kept) && begun.iter().all(|id| !progress.exercises.contains_key(id));
    let known = |step: &Table| {
        let before = progress_of(step);
        begun
            .iter()
            .all(|id| before.finished_of(id).next().is_some())
    };
    if !(leafed && all.undo.last().is_some_and(known)) {
        // What was to be had by redoing comes back behind this one.
        all.undo.append(&mut all.redo);
        all.undo.push(kept);
        write(places, all).map_err(|error| failed(&error))?;
    }
    Ok(begun)
}

fn sheets_are_empty(step: &Table) -> bool {
    let mut all = [SHEETS, REFUGES]
        .into_iter()
        .flat_map(|f| sheets_of(step, f));
    all.all(|(_, text)| !holds_answers(text))
}

/// Puts back what the last reset took away that is not undone yet, or what the last undoing
/// took away. What was done since with other exercises stays, and what was answered in
/// these can come back the other way.
///
/// # Errors
/// There is nothing to put back, or a file cannot be written.
pub fn restore(places: &Places, way: Way) -> Result<Undone, Fault> {
    let failed = |path: &Path, error: &io::Error| {
        let say = format!("cannot be written: {}.", plain(error));
        Fault::whole(places.shown(path), say)
    };
    let path = path(places);
    let mut all = steps(places)?;
    let from = match way {
        Way::Undo => &mut all.undo,
        Way::Redo => &mut all.redo,
    };
    let Some(step) = from.pop() else {
        let say = match way {
            Way::Undo => format!("there is no reset to undo; the last {STEPS} can be."),
            Way::Redo => "nothing was answered in the place of a reset that was undone.".to_owned(),
        };
        return Err(Fault::whole(places.shown(&path), say));
    };
    let left = from.len();
    let (sheets, refuges) = (sheets_of(&step, SHEETS), sheets_of(&step, REFUGES));
    let folder = step.get(FOLDER).and_then(Value::as_str).map(Path::new);
    // Sheets of one folder are no answers of another.
    if let Some(folder) = folder.filter(|f| *f != places.answers() && !sheets.is_empty()) {
        let shown = places.shown(folder);
        let say = "the last reset was of the sheets there; undo it in that folder.";
        return Err(Fault::whole(shown, say));
    }
    let named = step.get("exercises").and_then(Value::as_array);
    let exercises: Vec<String> = match named {
        Some(ids) => {
            let ids = ids.iter().filter_map(Value::as_str);
            ids.map(str::to_owned).collect()
        }
        None => sheets.iter().map(|(id, _)| (*id).clone()).collect(),
    };
    let now = snapshot(places, &exercises);
    // Progress first: it says best why nothing can be written here.
    Store::new(places).put_back(&exercises, &progress_of(&step))?;
    let lock = Lock::take(&places.lock()).map_err(|error| Fault::unlocked(places, &error))?;
    let here = sheets.iter().map(|(id, text)| (places.sheet(id), *text));
    let there = refuges.iter().map(|(id, text)| (places.refuge(id), *text));
    for (target, text) in here.chain(there) {
        replace(&target, text.as_bytes()).map_err(|error| failed(&target, &error))?;
    }
    // Emptied sheets without a mark are nothing that anybody answered.
    let since = !sheets_are_empty(&now.step)
        || exercises
            .iter()
            .any(|id| now.progress.exercises.contains_key(id));
    match way {
        Way::Undo if since => all.redo.push(now.step),
        Way::Undo => {}
        Way::Redo => all.undo.push(now.step),
    }
    write(places, all).map_err(|error| failed(&path, &error))?;
    drop(lock);
    Ok(Undone {
        exercises,
        left,
        since,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::Surroundings;
    use crate::progress::{Event, Mark};

    fn places_in(folder: &Path) -> Places {
        let around = Surroundings {
            current: folder.to_owned(),
            home: Some(folder.to_owned()),
            data: Some(folder.join("data")),
        };
        Places::find(&around, None, None)
    }

    fn answered(store: &Store, exercise: &str, typed: &str) {
        let event = Event::Checked {
            exercise: exercise.to_owned(),
            key: "kernel".to_owned(),
            typed: typed.to_owned(),
            mark: Mark::Right,
        };
        store.record(&[event]).unwrap();
    }

    fn reset(places: &Places, exercise: &str) -> Vec<String> {
        let kept = keep(places, &[exercise.to_owned()]).unwrap();
        let event = Event::Reset {
            exercise: exercise.to_owned(),
            key: None,
        };
        Store::new(places).record(&[event]).unwrap();
        kept
    }

    #[test]
    fn a_verdict_without_a_sheet_comes_back_and_later_work_elsewhere_stays() {
        let folder = tempfile::tempdir().unwrap();
        let places = places_in(folder.path());
        let store = Store::new(&places);
        assert!(reset(&places, "ex22").is_empty());
        assert!(restore(&places, Way::Undo).is_err());
        answered(&store, "ex22", "");
        assert_eq!(reset(&places, "ex22"), ["ex22"]);
        assert!(!store.look().0.has_begun("ex22"));
        answered(&store, "ex2", "1");
        let undone = restore(&places, Way::Undo).unwrap();
        assert_eq!(
            (undone.exercises, undone.left),
            (vec!["ex22".to_owned()], 0)
        );
        let progress = store.look().0;
        assert!(progress.key("ex22", "kernel").solved);
        assert!(progress.key("ex2", "kernel").solved);
    }

    #[test]
    fn resets_come_back_one_by_one_and_the_oldest_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let places = places_in(folder.path());
        let store = Store::new(&places);
        for n in 0..=STEPS {
            answered(&store, &format!("ex{n}"), "1");
            reset(&places, &format!("ex{n}"));
        }
        for n in (1..=STEPS).rev() {
            let undone = restore(&places, Way::Undo).unwrap();
            assert_eq!(undone.exercises, [format!("ex{n}")]);
            assert_eq!(undone.left, n - 1);
        }
        assert!(restore(&places, Way::Undo).is_err());
        assert!(!store.look().0.has_begun("ex0"));
    }

    #[test]
    fn what_was_answered_behind_a_reset_comes_back_as_well() {
        let folder = tempfile::tempdir().unwrap();
        let places = places_in(folder.path());
        let store = Store::new(&places);
        let solved = |key: &str| store.look().0.key("ex4", key).solved;
        let answer = |key: &str| {
            let event = Event::Checked {
                exercise: "ex4".to_owned(),
                key: key.to_owned(),
                typed: "1".to_owned(),
                mark: Mark::Right,
            };
            store.record(&[event]).unwrap();
        };
        answer("before");
        reset(&places, "ex4");
        answer("since");
        assert!(restore(&places, Way::Redo).is_err());
        let undone = restore(&places, Way::Undo).unwrap();
        assert!(undone.since && solved("before") && !solved("since"));
        let redone = restore(&places, Way::Redo).unwrap();
        assert_eq!(redone.exercises, ["ex4"]);
        assert!(solved("since") && !solved("before"));
        // And back again.
        restore(&places, Way::Undo).unwrap();
        assert!(solved("before") && !solved("since"));
        // Another reset is another history: what was kept comes back behind it.
        reset(&places, "ex4");
        assert!(restore(&places, Way::Redo).is_err());
        // Nothing answered since: nothing is said of it.
        assert!(!restore(&places, Way::Undo).unwrap().since);
        assert!(solved("before"));
        assert!(restore(&places, Way::Undo).unwrap().since);
        assert!(solved("since") && !solved("before"));
        assert!(restore(&places, Way::Undo).is_err());
        restore(&places, Way::Redo).unwrap();
        assert!(solved("before") && !solved("since"));
    }
}
