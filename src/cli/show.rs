//! `show LESSON`: a lesson as plain text, in reading order; `show EXERCISE`: its
//! questions, without what answers them.

use std::cell::Cell;
use std::io::{BufRead, IsTerminal, Write};

use clap::Args;

use super::Outcome;
use super::args::{OutputArgs, whole};
use super::check;
use super::desk::{Desk, Runs, complaints};
use super::failure::Failure;
use super::ids::Ids;
use super::live;
use super::out::{Out, complain};
use super::words::wrapped;
use app::Setup;
use course::answer::Env;
use course::present::{Piece, caption, example, outcome};
use course::{Exercise, Guess, Inline, Lesson, Live, Part, Typed, guess};
use text::{Plain, Resolved, Role, Value, parse};

/// Columns of a line of prose.
const MEASURE: usize = 79;

/// Said in place of a block whose prediction nobody can make.
const VEILED: &str = "  (What it shows comes after your guess: --answers shows it here.)";

/// A lesson, or the questions of an exercise, as plain text.
#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// The lesson, by id or number, or the exercise, by id
    #[arg(value_name = "LESSON|EXERCISE", value_parser = Ids::Texts, hide_possible_values = true)]
    text: String,
    /// One section only, or one question of an exercise, by number
    #[arg(value_name = "SECTION", value_parser = whole::<usize>)]
    section: Option<usize>,
    /// The variant of the exercise; the one that the sheet answers where none is named
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    variant: Option<usize>,
    /// What blocks with a prediction show, and what is true of the claims; without this a
    /// terminal is asked first, and a pipe gets the questions only
    #[arg(long)]
    answers: bool,
}

/// What becomes of a block that asks for a prediction.
#[derive(Clone, Copy, PartialEq)]
enum Veil {
    /// It is shown.
    Lifted,
    /// It is shown once the reader has guessed.
    Asked,
    /// Nobody is there who could guess: the question stands alone.
    Closed,
}

impl Veil {
    fn of(answers: bool) -> Self {
        let reader = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        match (answers, reader) {
            (true, _) => Self::Lifted,
            (false, true) => Self::Asked,
            (false, false) => Self::Closed,
        }
    }
}

/// A line that was typed; none: the input has ended.
fn typed() -> Option<String> {
    let mut stdout = std::io::stdout();
    let _ = write!(stdout, "  > ");
    let _ = stdout.flush();
    let mut line = Vec::new();
    let read = std::io::stdin().lock().read_until(b'\n', &mut line);
    let some = read.is_ok_and(|bytes| bytes > 0);
    some.then(|| String::from_utf8_lossy(&line).into_owned())
}

/// The questions of a block, each followed by the guess that was made before, or by a
/// prompt; what is typed is kept as in the workshop. Whoever ends the input reads on
/// without being asked.
fn predictions(
    desk: &Desk,
    (lesson, block): (&Lesson, &Live),
    asks: &[Piece],
    veil: &mut Veil,
    out: &mut Out,
) -> Result<Vec<Guess>, Failure> {
    let runs = Runs::default();
    let env = desk.env(&lesson.setup.with(&block.setup), &runs)?;
    let gpu = desk.course.gpu();
    let mut all = block.guesses(desk.progress(), lesson, gpu);
    for (at, (ask, predict)) in asks.iter().zip(&block.predict).enumerate() {
        out.lines(live::lines(std::slice::from_ref(ask), desk.ascii));
        let unit = predict.unit.as_ref().map(Typed::as_str);
        if let Some(made) = all.get(at) {
            out.line(format!("  you said {}", guess::said(made, unit)));
            continue;
        }
        let example = unit.map(example).filter(|e| !e.is_empty());
        let example = example.map_or_else(String::new, |e| format!(" ({e})"));
        if *veil == Veil::Asked {
            out.line(format!(
                "  Type your number{example}, Enter keeps it; nothing: “I do not know”. Not graded."
            ));
        }
        while *veil == Veil::Asked && all.len() == at {
            out.print()
                .map_err(|e| Failure::lacking(format!("the lesson cannot be written: {e}")))?;
            let Some(line) = typed() else {
                *veil = Veil::Lifted;
                break;
            };
            match guess::read(&line, predict, Some(&env)) {
                Ok(typed) => {
                    let outcome = outcome(predict, &env).unwrap_or_default();
                    all.push(Guess { typed, outcome });
                    desk.record(&[block.guessed(lesson, gpu, &all)]);
                }
                Err(why) => out.lines(wrapped(&why, "  ", "  ")),
            }
        }
    }
    Ok(all)
}

/// What came out, each beside what was guessed.
fn outcomes(block: &Live, came: &[Piece], guesses: &[Guess], ascii: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, (piece, predict)) in came.iter().zip(&block.predict).enumerate() {
        let unit = predict.unit.as_ref().map(Typed::as_str);
        lines.extend(guesses.get(at).map(|made| {
            let said = guess::said(made, unit);
            match came.len() {
                1 => format!("  you said {said}"),
                _ => format!("  to question {} you said {said}", at + 1),
            }
        }));
        lines.extend(live::lines(std::slice::from_ref(piece), ascii));
    }
    lines
}

/// An inline number evaluated in `env`, or why that cannot be.
pub(super) fn resolved(value: &Value, env: &Env<'_>) -> Resolved {
    match Inline::of(value).show(env) {
        Ok(shown) => Resolved::value(shown),
        Err((_, say)) => Resolved::error(format!("({say})")),
    }
}

fn noted(shown: Resolved, failed: &Cell<bool>) -> Resolved {
    failed.set(failed.get() || shown.role == Role::Error);
    shown
}

/// Markdown as plain lines, its inline numbers evaluated in `env`.
///
/// `failed` is set where one of them has no value.
pub(super) fn plain_text(
    text: &str,
    line: usize,
    ascii: bool,
    env: &Env<'_>,
    failed: &Cell<bool>,
) -> Vec<String> {
    let resolve = |value: &Value| noted(resolved(value, env), failed);
    let document = parse(text, line, &[]);
    let plain = Plain {
        width: MEASURE,
        ascii,
        resolve: &resolve,
        live: &|_| Vec::new(),
    };
    let mut lines = Vec::new();
    for section in &document.sections {
        lines.extend(plain.section(section));
    }
    lines
}

pub(super) fn show(output: &OutputArgs, args: &ShowArgs, out: &mut Out) -> Outcome {
    let desk = Desk::open(output).whole()?;
    match (desk.lesson(&args.text), desk.course.exercise(&args.text)) {
        (_, Ok(named)) => {
            let varied = desk.varied(named, args.variant)?;
            desk.say_device(&varied);
            exercise(&desk, &varied, args.section, out)
        }
        (Ok(_), _) if args.variant.is_some() => Err(Failure::usage(
            "--variant belongs to an exercise; a lesson has none",
        )),
        (Ok(named), _) => lesson(&desk, named, args, output, out),
        (Err(unknown), Err(said)) => match args.text.starts_with("ex") {
            true => Err(Failure::usage(said)),
            false => Err(unknown),
        },
    }
}

/// Title, setup, text and questions of an exercise.
fn exercise(desk: &Desk, exercise: &Exercise, only: Option<usize>, out: &mut Out) -> Outcome {
    let total = exercise.keys.len();
    within(&exercise.id, "questions", only, total)?;
    let runs = Runs::default();
    head(desk, exercise, &runs, out)?;
    let keys = (1..).zip(&exercise.keys);
    for (number, key) in keys.filter(|(n, _)| only.is_none_or(|only| only == *n)) {
        let first = format!("{number} ");
        out.lines(check::question_lines(desk, &first, exercise, key, &runs)?);
        if let Some(table) = &key.table {
            let ways = format!("In a shell, {}", check::ways(&key.name.text, table));
            out.lines(wrapped(&ways, "  ", "  "));
        }
    }
    out.gap();
    let variant = match exercise.number {
        0 => String::new(),
        number => format!(" --variant {number}"),
    };
    let answer = format!(
        "Answer in {}, or: tinyllama-tutor check {}{variant}",
        desk.places.shown(&desk.places.sheet(&exercise.id)),
        exercise.id
    );
    out.lines(wrapped(&answer, "", "  "));
    Ok(complaints(&exercise.faults).max(invalid(desk)))
}

/// What every question of an exercise is read with: its title, setup and introduction.
/// The device of a figure may be named there and nowhere else.
pub(super) fn head(
    desk: &Desk,
    exercise: &Exercise,
    runs: &Runs,
    out: &mut Out,
) -> Result<(), Failure> {
    out.lines(wrapped(&format!("## {}", exercise.heading()), "", "   "));
    out.line(setting(exercise)?);
    out.gap();
    out.lines(introduction(desk, exercise, runs)?);
    out.gap();
    Ok(())
}

/// Setup, lesson and minutes of an exercise, in a line.
pub(super) fn setting(exercise: &Exercise) -> Result<String, Failure> {
    let config = exercise.setup.answer()?.config;
    let mut facts = vec![match exercise.tasks.len() {
        0 => Setup::of(&config, 0).title(),
        further => format!("{} tasks", 1 + further),
    }];
    let lesson = exercise.lesson.as_ref();
    facts.extend(lesson.map(|l| format!("lesson {}", l.text)));
    facts.extend((exercise.minutes > 0).then(|| format!("{} min", exercise.minutes)));
    Ok(facts.join(", "))
}

/// What an exercise says before its questions.
pub(super) fn introduction(
    desk: &Desk,
    exercise: &Exercise,
    runs: &Runs,
) -> Result<Vec<String>, Failure> {
    let env = desk.env(&exercise.setup, runs)?;
    let (text, line) = (exercise.shown_body(desk.gpus()?), exercise.body_line);
    Ok(plain_text(&text, line, desk.ascii, &env, &desk.failed))
}

/// 4 where an expression of the course has no value, and 0 otherwise.
fn invalid(desk: &Desk) -> u8 {
    if desk.failed.get() { 4 } else { 0 }
}

/// Refuses a number that names no part.
fn within(id: &str, parts: &str, asked: Option<usize>, total: usize) -> Result<(), Failure> {
    match asked {
        Some(n) if !(1..=total).contains(&n) => {
            Err(Failure::usage(format!("{id} has {parts} 1 to {total}")))
        }
        _ => Ok(()),
    }
}

fn lesson(
    desk: &Desk,
    lesson: &Lesson,
    args: &ShowArgs,
    output: &OutputArgs,
    out: &mut Out,
) -> Outcome {
    let only = args.section;
    let mut veil = Veil::of(args.answers);
    let runs = Runs::default();
    let env = desk.env(&lesson.setup, &runs)?;
    let resolve = |value: &Value| noted(resolved(value, &env), &desk.failed);
    let plain = Plain {
        width: MEASURE,
        ascii: output.ascii,
        resolve: &resolve,
        live: &|_| Vec::new(),
    };
    let total = lesson.sections.len();
    within(&lesson.id, "sections", only, total)?;
    for (number, section) in (1..).zip(&lesson.sections) {
        if only.is_some_and(|n| n != number) {
            continue;
        }
        if number > 1 && only.is_none() {
            out.gap();
        }
        let head = format!(
            "{} {}, section {number} of {total}: {}",
            lesson.id, lesson.title, section.title
        );
        out.lines(wrapped(&head, "## ", "   "));
        for (part, claim) in section.told() {
            // What is said of a claim is its answer.
            if claim.is_some() && veil != Veil::Lifted {
                continue;
            }
            match part {
                Part::Prose { body, .. } => out.lines(plain.section(body)),
                Part::Live(block) => {
                    match live::pieces(desk, lesson, block, veil == Veil::Lifted) {
                        Ok(pieces) => {
                            if block.content.is_ok() {
                                out.line(format!("Live block {}:", caption(block)));
                            }
                            let asks = pieces.iter().filter(|p| matches!(p, Piece::Ask(_))).count();
                            let (asked, rest) = pieces.split_at(asks);
                            if asks == 0 || veil != Veil::Asked {
                                out.lines(live::lines(asked, output.ascii));
                                match asks > 0 && veil == Veil::Closed {
                                    true => out.line(VEILED),
                                    false => out.lines(live::lines(rest, output.ascii)),
                                }
                                continue;
                            }
                            let at = (lesson, block);
                            let guesses = predictions(desk, at, asked, &mut veil, out)?;
                            let (shown, came) = rest.split_at(rest.len().saturating_sub(asks));
                            out.lines(live::lines(shown, output.ascii));
                            out.lines(outcomes(block, came, &guesses, output.ascii));
                        }
                        Err(failure) => {
                            let (kind, number) = (&block.kind, block.number);
                            let sentence = failure.sentence();
                            out.line(format!(
                                "Live block {kind}, which cannot be shown: {sentence}"
                            ));
                            complain(&format!("{}, block {number}: {sentence}", lesson.id));
                            desk.failed.set(true);
                        }
                    }
                }
            }
        }
    }
    Ok(complaints(&lesson.faults).max(invalid(desk)))
}
