//! Questions asked one by one at the terminal, each answer kept and judged at once.

use std::io::{BufRead, IsTerminal, Write};

use super::super::args::OutputArgs;
use super::super::desk::{Desk, Runs};
use super::super::failure::Failure;
use super::super::words::wrapped;
use super::{CheckArgs, graded, keep};
use crate::course::{Exercise, Sheet};

/// Whether questions are asked at the terminal: somebody is there, and nothing
/// was answered yet.
pub(super) fn asks(
    output: &OutputArgs,
    args: &CheckArgs,
    sheet: &Sheet,
    exercise: &Exercise,
) -> bool {
    let open = exercise
        .keys
        .iter()
        .all(|key| sheet.answer(&key.name.text).is_none());
    open && args.answer.is_empty()
        && !args.all
        && !output.json
        && std::io::stdin().is_terminal()
        && std::io::stdout().is_terminal()
}

/// Asks every question; each answer is kept at once and judged.
pub(super) fn ask(
    desk: &Desk,
    exercise: &Exercise,
    sheet: &mut Sheet,
    runs: &mut Runs,
) -> Result<(), Failure> {
    let mut stdout = std::io::stdout();
    let _ = writeln!(
        stdout,
        "{} {}. An empty line leaves a question open; Ctrl-D ends.\n",
        exercise.id, exercise.title
    );
    for (number, key) in exercise.keys.iter().enumerate() {
        let env = desk.env(&key.setup, runs)?;
        let question = format!("{} {}", number + 1, desk.filled(&key.ask.text, &env));
        for line in wrapped(&question, "", "  ") {
            let _ = writeln!(stdout, "{line}");
        }
        if !key.options.is_empty() {
            let options: Vec<&str> = key.options.iter().map(|o| o.text.as_str()).collect();
            let _ = writeln!(stdout, "  {}", options.join(", "));
        }
        let _ = write!(stdout, "  > ");
        let _ = stdout.flush();
        let mut line = String::new();
        match std::io::stdin().lock().read_line(&mut line) {
            Ok(0) | Err(_) => {
                let _ = writeln!(stdout);
                return Ok(());
            }
            Ok(_) if line.trim().is_empty() => continue,
            Ok(_) => {}
        }
        sheet.set(exercise, &key.name.text, line.trim());
        keep(desk, sheet, exercise);
        let judgement = graded(desk, key, sheet, runs)?.judgement;
        for line in wrapped(
            &format!("{:<6}  {}", judgement.verdict.word(), judgement.sentence()),
            "  ",
            "          ",
        ) {
            let _ = writeln!(stdout, "{line}");
        }
    }
    let _ = writeln!(stdout);
    Ok(())
}
