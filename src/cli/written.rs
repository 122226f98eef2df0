//! Files that a command writes where the learner says: what stands there is not lost,
//! and a refusal names the way out.

use std::io;
use std::path::Path;

use super::failure::Failure;
use files::{create, end_of, plain, read_bounded};

/// Why a file cannot be written.
pub(super) fn unwritten(path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!(
        "{} cannot be written: {}; name another file, in a folder of yours",
        path.display(),
        plain(error)
    ))
}

/// Refuses a file that stands there already; called before anything long is run for it.
pub(super) fn free(path: &Path) -> Result<(), Failure> {
    match end_of(path)
        .map_err(|error| unwritten(path, &error))?
        .exists()
    {
        true => Err(taken(path)),
        false => Ok(()),
    }
}

/// Whether it holds `text` already; refuses a file that holds something else.
pub(super) fn same(path: &Path, text: &str) -> Result<bool, Failure> {
    if read_bounded(path, text.len()).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(true);
    }
    free(path).map(|()| false)
}

/// Makes the file; one that came to stand there meanwhile is left as it is.
pub(super) fn make(path: &Path, text: &str) -> Result<(), Failure> {
    match create(path, text.as_bytes()).map_err(|error| unwritten(path, &error))? {
        true => Ok(()),
        false => Err(taken(path)),
    }
}

fn taken(path: &Path) -> Failure {
    Failure::usage(format!(
        "{} exists already and was left as it is; name another file, or move that one away",
        path.display()
    ))
}
