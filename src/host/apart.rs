//! A study or a report for the screen: made by this program as a child. A study is told to
//! stop as Ctrl-C tells it, and keeps what it measured until then.

use std::time::Duration;

use crate::follow::{Leash, follow, follow_on, sentence};
use course::Places;
use serde::Deserialize;
use study::kept::Kept;

/// A step may be a forward of minutes; the study's own budget ends it before.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Makes the study of these words for the device of the course, and keeps it in the state folder; `heard` is told how far it is.
///
/// # Errors
/// A sentence: what the command would have said.
pub(crate) fn make(
    words: &[String],
    places: &Places,
    leash: &Leash,
    heard: impl FnMut(&str),
) -> Result<Kept, String> {
    let ended = follow_on(leash, &arguments(words, places), |_| LONGEST, heard)
        .map_err(|e| format!("the study's process cannot be started: {e}"))?;
    serde_json::from_str(&ended.output).map_err(|_| match ended.last.as_str() {
        "" => "the study's process ended without a word; in a shell it says more".to_owned(),
        said => without_usage(&sentence(said)),
    })
}

/// The command with what the workshop knows: its state folder, and the device of the
/// course where the command names none.
fn arguments(words: &[String], places: &Places) -> Vec<String> {
    let mut arguments = words.to_vec();
    arguments.extend(["--json", "--progress", "--state"].map(str::to_owned));
    arguments.push(places.state.display().to_string());
    let named = words.iter().any(|word| word == "--gpu");
    if let Some(gpu) = places.gpu.filter(|_| !named) {
        arguments.extend(["--gpu".to_owned(), gpu.to_owned()]);
    }
    arguments
}

/// A report asks every library of a GPU for its devices.
const REPORT: Duration = Duration::from_secs(120);

/// What `report --json` says.
#[derive(Deserialize)]
struct Reported {
    files: Vec<Written>,
}

#[derive(Deserialize)]
struct Written {
    file: String,
    replaced: bool,
}

/// Writes the report of the session where the program was started; which files that are.
///
/// # Errors
/// A sentence: what the command would have said.
pub(crate) fn report(places: &Places) -> Result<String, String> {
    let mut arguments = vec!["report".to_owned(), "--json".to_owned()];
    arguments.extend(["--state".to_owned(), places.state.display().to_string()]);
    // Several are found again from the folder that one stands in.
    if let [course] = places.overlays.as_slice() {
        arguments.extend(["--course".to_owned(), course.display().to_string()]);
    }
    if let Some(gpu) = places.gpu {
        arguments.extend(["--gpu".to_owned(), gpu.to_owned()]);
    }
    let ended = follow(&arguments, |_| REPORT, |_| {})
        .map_err(|e| format!("the report's process cannot be started: {e}"))?;
    let told: Reported = serde_json::from_str(&ended.output).map_err(|_| {
        let error: Option<serde_json::Value> = serde_json::from_str(&ended.last).ok();
        let said = error.and_then(|e| Some(e.get("error")?.as_str()?.to_owned()));
        said.unwrap_or_else(|| "the report's process ended without a word".to_owned())
    })?;
    let files = told.files.iter().map(|written| match written.replaced {
        true => format!("{} (replaced)", written.file),
        false => written.file.clone(),
    });
    let files: Vec<String> = files.collect();
    Ok(format!("Written: {}.", files.join(" and ")))
}

/// A sentence about a command line without the word that begins it in a shell.
fn without_usage(said: &str) -> String {
    said.trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use course::Surroundings;

    #[test]
    fn a_study_names_one_device() {
        let mut places = Places::find(&Surroundings::default(), None, None);
        places.gpu = Some("mi300a");
        let named = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let all = arguments(&words, &places);
            let at = all.iter().position(|word| word == "--gpu");
            let gpus = all.iter().filter(|word| *word == "--gpu").count();
            (gpus, at.and_then(|at| all.get(at + 1).cloned()))
        };
        let own = Some("mi300a".to_owned());
        assert_eq!(named("study occupancy"), (1, own));
        let other = Some("h200".to_owned());
        assert_eq!(named("study occupancy --gpu h200"), (1, other));
    }
}
