//! `check`: grades answers from the sheet, from `--answer`, or as they are asked for.

use std::io::{BufRead, IsTerminal, Write};

use clap::Args;

use super::Outcome;
use super::args::OutputArgs;
use super::desk::{Desk, Runs};
use super::failure::Failure;
use super::out::Out;
use super::wrap::wrapped;
use crate::answer::{Judgement, Verdict, grade};
use crate::course::{Event, Exercise, Key, Mark, Saved, Sheet};

/// Grade the answers to exercises.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// Exercises, such as ex1
    #[arg(value_name = "EXERCISE", required_unless_present = "all")]
    exercises: Vec<String>,
    /// All exercises
    #[arg(long, conflicts_with_all = ["exercises", "answer"])]
    all: bool,
    /// Answer a question, by name or number, and keep it in the sheet
    #[arg(long, value_name = "KEY=VALUE")]
    answer: Vec<String>,
}

/// A key with what was found about its answer.
struct Graded<'e> {
    key: &'e Key,
    judgement: Judgement,
}

pub(super) fn check(output: &OutputArgs, args: &CheckArgs, out: &mut Out) -> Outcome {
    let desk = Desk::open(output).whole()?;
    let exercises: Vec<&Exercise> = if args.all {
        desk.course.exercises().collect()
    } else {
        args.exercises
            .iter()
            .map(|id| desk.exercise(id))
            .collect::<Result<_, _>>()?
    };
    if !args.answer.is_empty() && exercises.len() != 1 {
        return Err(Failure::usage(
            "--answer belongs to one exercise; name one, as in check ex1 --answer block=17",
        ));
    }
    let mut runs = Runs::default();
    let mut documents = Vec::new();
    let mut right_everywhere = true;
    for (index, exercise) in exercises.iter().enumerate() {
        let mut sheet = Sheet::open(&desk.places, exercise)
            .map_err(|fault| Failure::usage(fault.to_string()))?;
        for answer in &args.answer {
            let (key, typed) = answer.split_once('=').ok_or_else(|| {
                Failure::usage(format!(
                    "--answer {answer}: write the key, =, and the answer, as in --answer block=17"
                ))
            })?;
            let key = desk.key(exercise, key.trim())?;
            sheet.set(exercise, &key.name.text, typed.trim());
        }
        if sheet.unsaved() {
            keep(&desk, &mut sheet, exercise);
        }
        if asks(output, args, &sheet, exercise) {
            ask(&desk, exercise, &mut sheet, &mut runs)?;
        }
        let graded = grade_all(&desk, exercise, &sheet, &mut runs)?;
        let events: Vec<Event> = graded.iter().filter_map(|g| event(exercise, g)).collect();
        desk.record(&events);
        right_everywhere &= graded.iter().all(|g| g.judgement.verdict.is_right());
        if output.json {
            documents.push(json(&desk, exercise, &sheet, &graded));
        } else {
            if index > 0 {
                out.gap();
            }
            report(&desk, exercise, &sheet, &graded, out);
        }
    }
    if output.json {
        match documents.as_slice() {
            [one] if !args.all => out.json(one),
            several => out.json(&several),
        }
    }
    Ok(u8::from(!right_everywhere))
}

/// Writes the sheet; where it had to go elsewhere, or could not, that is said.
fn keep(desk: &Desk, sheet: &mut Sheet, exercise: &Exercise) {
    match sheet.save(&desk.places, exercise) {
        Ok(Saved::Here { .. }) => {}
        Ok(elsewhere) => super::out::complain(&elsewhere.to_string()),
        Err(fault) => super::out::complain(&fault.to_string()),
    }
}

/// Whether questions are asked at the terminal: somebody is there, and nothing
/// was answered yet.
fn asks(output: &OutputArgs, args: &CheckArgs, sheet: &Sheet, exercise: &Exercise) -> bool {
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
fn ask(
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
            &format!("{}  {}", judgement.verdict.word(), judgement.sentence()),
            "  ",
            "         ",
        ) {
            let _ = writeln!(stdout, "{line}");
        }
    }
    let _ = writeln!(stdout);
    Ok(())
}

fn graded<'e>(
    desk: &Desk,
    key: &'e Key,
    sheet: &Sheet,
    runs: &mut Runs,
) -> Result<Graded<'e>, Failure> {
    let judged = key.judged().map_err(Failure::content)?;
    let typed = sheet.answer(&key.name.text).unwrap_or_default();
    if !typed.is_empty() && judged.answer.asks_for_a_run() {
        let config = desk.env(&key.setup, &*runs)?.setup.config;
        runs.count(&config)?;
    }
    let env = desk.env(&key.setup, &*runs)?;
    let judgement = grade(&typed, &judged, &env)
        .map_err(|e| Failure::content(format!("{}: {e}", key.name.text)))?;
    Ok(Graded { key, judgement })
}

fn grade_all<'e>(
    desk: &Desk,
    exercise: &'e Exercise,
    sheet: &Sheet,
    runs: &mut Runs,
) -> Result<Vec<Graded<'e>>, Failure> {
    exercise
        .keys
        .iter()
        .map(|key| graded(desk, key, sheet, runs))
        .collect()
}

/// What is kept of a verdict.
fn event(exercise: &Exercise, graded: &Graded<'_>) -> Option<Event> {
    let mark = match graded.judgement.verdict {
        Verdict::Open | Verdict::Kept => return None,
        Verdict::Right { .. } => Mark::Right,
        Verdict::Slip(_) => Mark::Slip,
        Verdict::Close(_) => Mark::Close,
        Verdict::Wrong(_) => Mark::Wrong,
        Verdict::Unread { .. } => Mark::Unread,
    };
    Some(Event::Checked {
        exercise: exercise.id.clone(),
        key: graded.key.name.text.clone(),
        mark,
    })
}

fn report(desk: &Desk, exercise: &Exercise, sheet: &Sheet, graded: &[Graded<'_>], out: &mut Out) {
    out.line(format!(
        "{} {}. Sheet: {}",
        exercise.id,
        exercise.title,
        sheet.shown()
    ));
    let width = graded
        .iter()
        .map(|g| g.key.name.text.chars().count())
        .max()
        .unwrap_or(0);
    for (number, g) in graded.iter().enumerate() {
        let j = &g.judgement;
        let read = match (&j.read, &j.verdict) {
            (Some(read), Verdict::Slip(_) | Verdict::Wrong(_) | Verdict::Close(_))
                if *read != j.typed =>
            {
                format!(" Read as {read}.")
            }
            _ => String::new(),
        };
        let head = format!(
            "{:>2} {:<width$}  {:<6}  ",
            number + 1,
            g.key.name.text,
            j.verdict.word()
        );
        let indent = " ".repeat(head.chars().count());
        let text = format!("{}{read}", j.sentence());
        for line in wrapped(&text, &head, &indent) {
            out.line(line);
        }
    }
    out.line(summary(desk, exercise, graded));
}

/// `3 right, 1 slip, 1 open. Hint: …`
fn summary(desk: &Desk, exercise: &Exercise, graded: &[Graded<'_>]) -> String {
    let mut parts = Vec::new();
    for word in ["right", "slip", "close", "wrong", "unread", "open"] {
        let n = graded
            .iter()
            .filter(|g| g.judgement.verdict.word() == word)
            .count();
        if n > 0 {
            parts.push(format!("{n} {word}"));
        }
    }
    let mut text = format!("{}.", parts.join(", "));
    let stuck = graded.iter().find(|g| {
        matches!(
            g.judgement.verdict,
            Verdict::Slip(_) | Verdict::Wrong(_) | Verdict::Close(_)
        )
    });
    if let Some(g) = stuck {
        let seen = desk.progress().key(&exercise.id, &g.key.name.text).hints;
        if seen < g.key.hints.len() as u64 {
            text += &format!(
                " Hint: tinyllama-tutor hint {} {}",
                exercise.id, g.key.name.text
            );
        }
    }
    text
}

fn json(
    desk: &Desk,
    exercise: &Exercise,
    sheet: &Sheet,
    graded: &[Graded<'_>],
) -> serde_json::Value {
    let keys: Vec<_> = graded
        .iter()
        .map(|g| {
            let mark = desk.progress().key(&exercise.id, &g.key.name.text);
            let slip = match &g.judgement.verdict {
                Verdict::Slip(fits) => Some(
                    fits.iter()
                        .map(|f| f.say.clone())
                        .collect::<Vec<_>>()
                        .join(" Or: "),
                ),
                _ => None,
            };
            let message = match &g.judgement.verdict {
                Verdict::Unread { message, .. } => Some(message.clone()),
                _ => None,
            };
            serde_json::json!({
                "name": g.key.name.text,
                "typed": g.judgement.typed,
                "read": g.judgement.read,
                "verdict": g.judgement.verdict.word(),
                "slip": slip,
                "message": message,
                "hints_seen": mark.hints,
                "tries": mark.tries + u64::from(g.judgement.verdict.is_try()),
            })
        })
        .collect();
    serde_json::json!({
        "schema": 1,
        "exercise": exercise.id,
        "sheet": sheet.shown(),
        "keys": keys,
        "right": graded.iter().filter(|g| g.judgement.verdict.is_right()).count(),
        "total": graded.len(),
    })
}
