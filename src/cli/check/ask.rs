//! Questions asked one by one at the terminal, each answer kept and judged at once.

use std::io::{BufRead, IsTerminal, Write};

use super::super::args::OutputArgs;
use super::super::desk::{Desk, Runs};
use super::super::failure::Failure;
use super::super::live;
use super::super::show::{introduction, setting};
use super::super::words::wrapped;
use super::{CheckArgs, graded, model};
use course::present::Question;
use course::{Exercise, Key, Phrase, Sheet};

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

/// A question as it is asked, behind `first`: its text, and what to choose from, to fill in
/// or to look at.
pub(in crate::cli) fn question_lines(
    desk: &Desk,
    first: &str,
    exercise: &Exercise,
    key: &Key,
    runs: &Runs,
) -> Result<Vec<String>, Failure> {
    let env = desk.env(&key.setup, runs)?;
    let question = Question::of(exercise, key, &env).map_err(Failure::content)?;
    if question.ask.unshown() {
        desk.has_failed();
    }
    Ok(live::asked(&question, first, desk.ascii))
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
        "{} {}. An empty line leaves a question open; Ctrl-D ends.\n{}\n",
        exercise.id,
        exercise.title,
        setting(exercise)?
    );
    for line in introduction(desk, exercise, runs)? {
        let _ = writeln!(stdout, "{line}");
    }
    let _ = writeln!(stdout);
    for (number, key) in exercise.keys.iter().enumerate() {
        for line in question_lines(desk, &format!("{} ", number + 1), exercise, key, runs)? {
            let _ = writeln!(stdout, "{line}");
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
        desk.keep(sheet, exercise);
        let found = graded(desk, exercise, key, sheet, runs)?;
        let judgement = &found.judgement;
        for line in wrapped(
            &format!("{:<6}  {}", judgement.verdict.word(), judgement.sentence()),
            "  ",
            "          ",
        ) {
            let _ = writeln!(stdout, "{line}");
        }
        for line in model(desk, &found, runs)? {
            let _ = writeln!(stdout, "          {line}");
        }
    }
    let _ = writeln!(stdout);
    Ok(())
}
