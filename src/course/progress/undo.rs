//! What a reset took away, until the next one: progress and sheets as they were.

use crate::fault::Fault;
use crate::file::{Lock, plain, read_bounded, replace};
use crate::paths::Places;
use std::io;
use std::path::PathBuf;
use toml::{Table, Value};

/// Largest file that is kept or restored.
const LARGEST: usize = 32 * 1024 * 1024;

fn path(places: &Places) -> PathBuf {
    places.state.join("undo.toml")
}

/// Keeps progress and these sheets as they are now.
///
/// # Errors
/// The state folder cannot be written; then nothing should be reset.
pub fn keep(places: &Places, exercises: &[String]) -> Result<(), Fault> {
    let text = |path: PathBuf| {
        read_bounded(&path, LARGEST)
            .ok()
            .and_then(|b| String::from_utf8(b).ok())
    };
    let mut kept = Table::new();
    if let Some(progress) = text(places.progress()) {
        kept.insert("progress".into(), Value::String(progress));
    }
    let sheets = exercises.iter().filter_map(|id| {
        let sheet = text(places.sheet(id))?;
        Some((id.clone(), Value::String(sheet)))
    });
    kept.insert("sheets".into(), Value::Table(sheets.collect()));
    let path = path(places);
    std::fs::create_dir_all(&places.state)
        .and_then(|()| replace(&path, kept.to_string().as_bytes()))
        .map_err(|error| {
            Fault::whole(
                places.shown(&path),
                format!("cannot be written: {}. Nothing was reset.", plain(&error)),
            )
        })
}

/// Puts back what the last reset took away; the sheets that came back.
///
/// # Errors
/// There is nothing to put back, or a file cannot be written.
pub fn restore(places: &Places) -> Result<Vec<String>, Fault> {
    let path = path(places);
    let failed = |shown: String, error: &io::Error| {
        Fault::whole(shown, format!("cannot be written: {}.", plain(error)))
    };
    let bytes = read_bounded(&path, LARGEST).map_err(|_| {
        let say = "there is no reset to undo; only the last one can be.";
        Fault::whole(places.shown(&path), say)
    })?;
    let text = String::from_utf8_lossy(&bytes);
    let kept: Table = text.parse().map_err(|_| {
        let say = "it is not TOML, so the reset cannot be undone; remove it.";
        Fault::whole(places.shown(&path), say)
    })?;
    let lock = Lock::take(&places.lock());
    let mut back = Vec::new();
    if let Some(Value::Table(sheets)) = kept.get("sheets") {
        for (id, sheet) in sheets {
            // Ids that are no names would lead out of the folder.
            let Some(sheet) = sheet.as_str().filter(|_| crate::is_name(id)) else {
                continue;
            };
            let target = places.sheet(id);
            replace(&target, sheet.as_bytes())
                .map_err(|error| failed(places.shown(&target), &error))?;
            back.push(id.clone());
        }
    }
    if let Some(progress) = kept.get("progress").and_then(Value::as_str) {
        let target = places.progress();
        replace(&target, progress.as_bytes())
            .map_err(|error| failed(places.shown(&target), &error))?;
    }
    let _ = std::fs::remove_file(&path);
    drop(lock);
    Ok(back)
}
