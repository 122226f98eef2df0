//! Answer sheets: `answers/<id>.toml`, one line per key, edited by hand or by the form.
//!
//! Everything in a sheet that is not the answer being saved stays as it is:
//! comments, unknown lines, their order. A sheet is read again, under the
//! lock, before it is written, so that two writers only ever add up.

mod form;

pub(crate) use form::blank;
pub use form::{DEVICE, VARIANT};

use super::answer::{USUAL_GPU, gpu_id};
use super::exercise::{Exercise, renamed};
use super::fault::{Fault, Place};
use super::paths::Places;
use super::text::{LARGEST, obeyed};
use files::{Lock, Staged, Stamp, plain, read_bounded, sweep};
use form::{answer, question};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use toml_edit::{DocumentMut, Item, Key};

/// The answers to one exercise, as typed.
#[derive(Debug, Clone)]
pub struct Sheet {
    id: String,
    path: PathBuf,
    shown: String,
    document: DocumentMut,
    stamp: Option<Stamp>,
    /// Rows of each key that is a table.
    tables: Tables,
    /// The GPU that the questions ask of.
    gpu: Option<&'static str>,
    /// Set here and not on disk yet.
    unsaved: Vec<(String, String)>,
    /// Another variant was begun here, and that is not on disk yet.
    varied: Option<usize>,
}

/// Names of the rows of the keys that are tables: a sheet has a line for each.
type Tables = Vec<(String, Vec<String>)>;

fn tables(exercise: &Exercise) -> Tables {
    let rows = |key: &super::Key| {
        let table = key.table.as_ref()?;
        let rows = table.rows.iter().map(|row| row.text.clone()).collect();
        Some((key.name.text.clone(), rows))
    };
    exercise.keys.iter().filter_map(rows).collect()
}

/// The rows of a key; none where it is no table.
fn rows_of<'t>(tables: &'t Tables, key: &str) -> &'t [String] {
    tables
        .iter()
        .find(|(name, _)| name == key)
        .map_or(&[], |(_, rows)| rows)
}

/// Where a sheet went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Saved {
    /// Into the sheet itself.
    Here {
        /// Its path as a person writes it.
        sheet: String,
    },
    /// Into the state folder, because the sheet's own folder cannot be written.
    Elsewhere {
        /// The folder that cannot be written.
        folder: String,
        /// Why not.
        why: String,
        /// The folder that holds the answers now.
        kept: String,
    },
}

impl std::fmt::Display for Saved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Here { sheet } => write!(f, "Saved to {sheet}."),
            Self::Elsewhere { folder, why, kept } => {
                match why.contains("denied") || why.contains("read-only") {
                    true => write!(f, "{folder}/ is read-only.")?,
                    false => write!(f, "{folder}/ cannot be written: {why}.")?,
                }
                write!(
                    f,
                    " Answers are kept in {kept}; --state DIR chooses another folder."
                )
            }
        }
    }
}

impl Sheet {
    /// Opens the sheet of an exercise. One that does not exist yet is new and
    /// gets a file with the first [`Sheet::save`].
    ///
    /// # Errors
    /// A sheet that is not TOML, with line and column, or cannot be read.
    pub fn open(places: &Places, exercise: &Exercise) -> Result<Self, Fault> {
        let path = places.sheet(&exercise.id);
        let shown = places.shown(&path);
        let stamp = Stamp::of(&path);
        let mut document = match read(&path, &shown)? {
            Some(document) => document,
            None => blank(exercise),
        };
        let gpu = asked_of(&document, exercise, &shown)?;
        // Another variant may ask other questions.
        let answered = exercise.variant(form::variant(&document)).ok();
        let exercise = answered.as_ref().unwrap_or(exercise);
        let tables = tables(exercise);
        // Answers that could not be saved here are in the state folder.
        let refuge = places.refuge(&exercise.id);
        if refuge != path
            && refuge.is_file()
            && !writable(&places.answers())
            && let Some(kept) = read(&refuge, &places.shown(&refuge))?
        {
            for key in &exercise.keys {
                let name = &key.name.text;
                let rows = rows_of(&tables, name);
                if let Some(answer) = answer(&kept, name, rows).filter(|answer| !answer.is_empty())
                {
                    let question = question(exercise, name);
                    form::put(&mut document, name, rows, &answer, &question);
                }
            }
        }
        Ok(Self {
            id: exercise.id.clone(),
            path,
            shown,
            document,
            stamp,
            tables,
            gpu,
            unsaved: Vec::new(),
            varied: None,
        })
    }

    /// The variant of the exercise that its answers belong to; 0 is the printed one.
    pub fn variant(&self) -> usize {
        form::variant(&self.document)
    }

    /// The GPU that its questions ask of; none where they ask of none.
    pub fn gpu(&self) -> Option<&'static str> {
        self.gpu
    }

    /// The exercise as its answers belong to it: in their variant, asked of their GPU.
    ///
    /// # Errors
    /// A sentence: there is no such variant.
    pub fn of(&self, exercise: &Exercise) -> Result<Exercise, String> {
        self.in_variant(exercise, self.variant())
    }

    /// The same in another variant.
    ///
    /// # Errors
    /// A sentence: there is no such variant.
    pub fn in_variant(&self, exercise: &Exercise, number: usize) -> Result<Exercise, String> {
        let on = self.gpu.map(|gpu| exercise.on(gpu));
        on.as_ref().unwrap_or(exercise).variant(number)
    }

    /// Begins another variant: every question is open again. `exercise` is the
    /// exercise in that variant, asked of the GPU that it is to ask of.
    pub fn vary(&mut self, exercise: &Exercise, variant: usize) {
        self.gpu = exercise.gpu;
        if asks_otherwise(&self.document, exercise, variant) {
            self.document = blank(exercise);
        }
        self.tables = tables(exercise);
        self.unsaved.clear();
        for key in &exercise.keys {
            self.set(exercise, &key.name.text, "");
        }
        form::put_variant(&mut self.document, variant);
        if let Some(gpu) = self.gpu {
            form::put_device(&mut self.document, gpu);
        }
        self.varied = Some(variant);
    }

    /// Id of the exercise.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The sheet's path as a person writes it.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// What is typed for a key; None while it is open.
    pub fn answer(&self, key: &str) -> Option<String> {
        answer(&self.document, key, rows_of(&self.tables, key))
            .filter(|answer| !answer.trim().is_empty())
    }

    /// Whether it was ever saved: otherwise its file is only where one would be.
    pub fn exists(&self) -> bool {
        self.stamp.is_some() || self.begun()
    }

    /// Whether anything is typed in it.
    pub fn begun(&self) -> bool {
        begun(&self.document)
    }

    /// Types an answer; an empty one opens the key again.
    pub fn set(&mut self, exercise: &Exercise, key: &str, typed: &str) {
        let typed: String = typed
            .chars()
            .filter(|c| !obeyed(*c) && *c != '\n')
            .collect();
        let rows = rows_of(&self.tables, key);
        form::put(
            &mut self.document,
            key,
            rows,
            &typed,
            &question(exercise, key),
        );
        self.unsaved.retain(|(name, _)| name != key);
        self.unsaved.push((key.to_owned(), typed));
    }

    /// Is there anything that [`Sheet::save`] would write?
    pub fn unsaved(&self) -> bool {
        !self.unsaved.is_empty() || self.varied.is_some()
    }

    /// Did someone else write the file since it was read?
    pub fn changed_on_disk(&self) -> bool {
        Stamp::of(&self.path) != self.stamp
    }

    /// Writes what was typed into the sheet on disk, as it is there now.
    ///
    /// # Errors
    /// The sheet on disk is not TOML, or answers another variant by now (then nothing is
    /// written), or neither its folder nor the state folder can be written. What was typed stays in
    /// `self` and the next save tries again.
    pub fn save(&mut self, places: &Places, exercise: &Exercise) -> Result<Saved, Fault> {
        let ((document, stamp), saved) = match self.write(places, exercise, &self.path.clone())? {
            Ok(written) => (
                written,
                Saved::Here {
                    sheet: self.shown.clone(),
                },
            ),
            Err(error) => {
                let refuge = places.refuge(&self.id);
                let failed = |second: &io::Error| {
                    Fault::whole(
                        &self.shown,
                        format!(
                            "cannot be written: {}; nor can {}: {}. Nothing was kept; --state DIR chooses another folder.",
                            plain(&error),
                            places.shown(&refuge),
                            plain(second)
                        ),
                    )
                };
                if refuge == self.path {
                    return Err(Fault::whole(
                        &self.shown,
                        format!(
                            "cannot be written: {}. Nothing was kept; --state DIR chooses another folder.",
                            plain(&error)
                        ),
                    ));
                }
                let written = match self.write(places, exercise, &refuge)? {
                    Ok(written) => written,
                    Err(second) => return Err(failed(&second)),
                };
                let saved = Saved::Elsewhere {
                    folder: places.shown(&places.answers()),
                    why: plain(&error),
                    kept: places.shown(&places.state),
                };
                (written, saved)
            }
        };
        if matches!(saved, Saved::Here { .. }) {
            self.document = document;
            self.stamp = stamp;
        }
        self.unsaved.clear();
        self.varied = None;
        Ok(saved)
    }

    /// Read, merge, write, under the lock. The outer error is a broken sheet, the inner one the system's.
    fn write(
        &self,
        places: &Places,
        exercise: &Exercise,
        path: &Path,
    ) -> Result<io::Result<(DocumentMut, Option<Stamp>)>, Fault> {
        let folder = path.parent().unwrap_or(Path::new("."));
        if let Err(error) = fs::create_dir_all(folder) {
            return Ok(Err(error));
        }
        let _ = fs::create_dir_all(&places.state);
        let lock = Lock::take(&places.lock()).map_err(|error| Fault::unlocked(places, &error))?;
        let read = read(path, &places.shown(path))?;
        // Put there since this sheet was read: its questions are others.
        let other = read.as_ref().filter(|_| path == self.path);
        let other = other.is_some_and(|read| form::variant(read) != self.variant());
        if self.varied.is_none() && other {
            let text = "holds another variant by now; what was typed here was not written.";
            return Err(Fault::whole(&self.shown, text));
        }
        let read = read.filter(|read| {
            let begun = self.varied;
            !begun.is_some_and(|variant| asks_otherwise(read, exercise, variant))
        });
        let mut document = read.unwrap_or_else(|| blank(exercise));
        for (key, typed) in &self.unsaved {
            let rows = rows_of(&self.tables, key);
            let question = question(exercise, key);
            form::put(&mut document, key, rows, typed, &question);
        }
        if let Some(variant) = self.varied {
            form::put_variant(&mut document, variant);
        }
        if let Some(gpu) = self.gpu {
            form::put_device(&mut document, gpu);
        }
        let text = document.to_string();
        if text.len() > LARGEST {
            return Err(Fault::whole(
                places.shown(path),
                format!(
                    "would have {} kB with this answer, and no sheet larger than {} kB is read; nothing was kept of it, shorten it.",
                    text.len() / 1024,
                    LARGEST / 1024
                ),
            ));
        }
        // The stamp is taken before the new version can be seen: an edit that
        // follows at once is an edit, not ours.
        let written = Staged::new(path, text.as_bytes()).and_then(|staged| {
            let stamp = staged.stamp();
            staged.commit().map(|()| stamp)
        });
        if lock.is_some() {
            sweep(path);
        }
        Ok(written.map(|stamp| (document, stamp)))
    }
}

/// Whether what stands in a sheet asks something else than this variant: drawn questions are
/// others, and the numbers in listed ones are.
fn asks_otherwise(document: &DocumentMut, exercise: &Exercise, variant: usize) -> bool {
    exercise.draw.is_some() || form::variant(document) != variant
}

/// The GPU that a sheet's questions ask of: the one that it names, the usual one where it
/// names none and has answers, else that of the exercise.
fn asked_of(
    document: &DocumentMut,
    exercise: &Exercise,
    shown: &str,
) -> Result<Option<&'static str>, Fault> {
    if exercise.gpu.is_none() {
        return Ok(None);
    }
    if let Some(named) = form::device(document) {
        let found = gpu_id(named).map(Some);
        return found.map_err(|why| Fault::whole(shown, format!("{DEVICE}: {why}.")));
    }
    let mut lines = document.iter().filter(|(name, _)| *name != VARIANT);
    Ok(match lines.any(|(_, item)| filled(item)) {
        true => Some(USUAL_GPU),
        false => exercise.gpu,
    })
}

/// Whether anything is typed in a sheet.
fn begun(document: &DocumentMut) -> bool {
    let named = |name: &str| matches!(name, VARIANT | DEVICE);
    let mut lines = document.iter().filter(|(name, _)| !named(name));
    lines.any(|(_, item)| filled(item))
}

/// The same of a sheet's text; one that cannot be read may hold something.
pub(crate) fn holds_answers(text: &str) -> bool {
    text.parse().map_or(true, |document| begun(&document))
}

/// Whether somebody wrote something there.
fn filled(item: &Item) -> bool {
    match (item.as_str(), item.as_table_like()) {
        (Some(text), _) => !text.trim().is_empty(),
        (None, Some(rows)) => rows.iter().any(|(_, row)| filled(row)),
        (None, None) => !item.is_none(),
    }
}

/// Reads a sheet; None where there is none.
fn read(path: &Path, shown: &str) -> Result<Option<DocumentMut>, Fault> {
    let bytes = match read_bounded(path, LARGEST) {
        Ok(bytes) => bytes,
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(None);
        }
        Err(error) => {
            return Err(Fault::whole(
                shown,
                format!("cannot be read: {}; nothing was changed.", plain(&error)),
            ));
        }
    };
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let good = error.utf8_error().valid_up_to();
            let before = String::from_utf8_lossy(error.as_bytes().get(..good).unwrap_or_default())
                .into_owned();
            let at = Place { line: 1, column: 1 }.after(&before);
            return Err(Fault::at(
                shown,
                at,
                "this is not UTF-8; nothing was changed. Save the file as UTF-8.",
            ));
        }
    };
    match text.parse::<DocumentMut>() {
        Ok(mut document) => {
            let id = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
            for (from, to) in renamed(id) {
                if !document.contains_key(to)
                    && let Some((key, item)) = document.remove_entry(from)
                {
                    let key = Key::new(to).with_leaf_decor(key.leaf_decor().clone());
                    document.insert_formatted(&key, item);
                }
            }
            Ok(Some(document))
        }
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            let at = Place { line: 1, column: 1 }.after(text.get(..at).unwrap_or(&text));
            let what = error.message().lines().next().unwrap_or("unexpected text");
            let what = what
                .split(", expected literal string")
                .next()
                .unwrap_or(what)
                .to_owned();
            Err(Fault::at(
                shown,
                at,
                format!(
                    "not TOML here ({what}); nothing was changed. Write answers in quotes, such as bytes = \"1.250 MB\"."
                ),
            ))
        }
    }
}

/// Can a file be made here? Asked of the system, since permission bits do not tell.
pub(crate) fn writable(folder: &Path) -> bool {
    tempfile::tempfile_in(folder).is_ok()
}
