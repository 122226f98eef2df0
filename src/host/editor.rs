//! The learner's editor, in the terminal that the workshop lends it.

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

/// How often it is looked whether the editor has ended.
const LOOK: Duration = Duration::from_millis(50);

/// Opens a file in `$VISUAL`, `$EDITOR` or vi, and waits for its end. `stopped`
/// says whether the terminal was asked to stop every program in front of it
/// (Ctrl-Z): then this one stops too, so that the shell gets its terminal.
///
/// # Errors
/// A sentence: no editor could be started, or it failed.
pub fn edit(file: &Path, mut stopped: impl FnMut() -> bool) -> Result<String, String> {
    let named = ["VISUAL", "EDITOR"].into_iter().find_map(|name| {
        let value = std::env::var(name).ok()?;
        (!value.trim().is_empty()).then_some(value)
    });
    let editor = named.unwrap_or_else(|| "vi".to_owned());
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let failed = |why: String| {
        format!(
            "{program} {why}. Set EDITOR to your editor, or edit {} in another window: it is \
             judged whenever it is saved.",
            file.display()
        )
    };
    let mut child = Command::new(program)
        .args(words)
        .arg(file)
        .spawn()
        .map_err(|error| failed(format!("cannot be started ({error})")))?;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => {
                return Ok("Back from the editor. Enter judges the kernel.".to_owned());
            }
            Ok(Some(status)) => return Err(failed(format!("ended with {status}"))),
            Err(error) => return Err(failed(format!("cannot be waited for ({error})"))),
            Ok(None) => {}
        }
        if stopped() {
            let _ = signal_hook::low_level::raise(signal_hook::consts::SIGSTOP);
        }
        thread::sleep(LOOK);
    }
}
