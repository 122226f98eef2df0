//! A study for the screen: made by this program as a child, which is told to stop as
//! Ctrl-C tells it, and keeps what it measured until then.

use std::path::Path;
use std::time::Duration;

use crate::follow::{Leash, follow_on, sentence};
use study::kept::Kept;

/// A step may be a forward of minutes; the study's own budget ends it before.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Makes the study of these words and keeps it in `state`; `heard` is told how far it is.
///
/// # Errors
/// A sentence: what the command would have said.
pub(crate) fn make(
    words: &[String],
    state: &Path,
    leash: &Leash,
    heard: impl FnMut(&str),
) -> Result<Kept, String> {
    let mut arguments = words.to_vec();
    arguments.extend(["--json", "--progress", "--state"].map(str::to_owned));
    arguments.push(state.display().to_string());
    let ended = follow_on(leash, &arguments, |_| LONGEST, heard)
        .map_err(|e| format!("the study's process cannot be started: {e}"))?;
    serde_json::from_str(&ended.output).map_err(|_| match ended.last.as_str() {
        "" => "the study's process ended without a word; in a shell it says more".to_owned(),
        said => without_usage(&sentence(said)),
    })
}

/// A sentence about a command line without the word that begins it in a shell.
fn without_usage(said: &str) -> String {
    said.trim_start_matches("error: ").to_owned()
}
