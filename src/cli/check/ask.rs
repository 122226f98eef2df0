//! Questions asked one by one at the terminal, each answer kept and judged at once.

use std::io::{BufRead, IsTerminal, Write};

use super::super::args::OutputArgs;
use super::super::desk::{Desk, Runs};
use super::super::failure::Failure;
use super::super::words::wrapped;
use super::{CheckArgs, graded, keep};
use crate::course::{Exercise, Phrase, Sheet};

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
    output: &OutputArgs,
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
        if let Some(kernel) = &key.kernel {
            for line in kernel.listing.excerpt() {
                let _ = writeln!(stdout, "  {:>3}  {}", line.number, line.text);
            }
        } else if !key.options.is_empty() {
            let options: Vec<&str> = key.options.iter().map(|o| o.text.as_str()).collect();
            let _ = writeln!(stdout, "  {}", options.join(", "));
        }
        let prompts: Vec<String> = match &key.table {
            Some(table) => {
                let columns: Vec<&str> = table.columns.iter().map(Phrase::as_str).collect();
                let rows = table.rows.iter();
                rows.map(|row| format!("  {} ({}) > ", row.text, columns.join(" | ")))
                    .collect()
            }
            None => vec!["  > ".to_owned()],
        };
        let mut lines = Vec::new();
        for prompt in prompts {
            let _ = write!(stdout, "{prompt}");
            let _ = stdout.flush();
            let mut line = String::new();
            match std::io::stdin().lock().read_line(&mut line) {
                Ok(0) | Err(_) => {
                    let _ = writeln!(stdout);
                    return Ok(());
                }
                Ok(_) => lines.push(line.trim().to_owned()),
            }
        }
        if lines.iter().all(String::is_empty) {
            continue;
        }
        sheet.set(exercise, &key.name.text, &lines.join("; "));
        keep(desk, sheet, exercise);
        let found = graded(desk, exercise, key, sheet, runs, output)?;
        let judgement = found.judgement;
        for line in wrapped(
            &format!("{:<6}  {}", judgement.verdict.word(), judgement.sentence()),
            "  ",
            "          ",
        ) {
            let _ = writeln!(stdout, "{line}");
        }
        for line in &found.model {
            let _ = writeln!(stdout, "          {line}");
        }
    }
    let _ = writeln!(stdout);
    Ok(())
}
