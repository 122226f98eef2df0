//! Verdicts on the screen and as JSON.

use serde::Serialize;

use super::super::out::Out;
use super::super::words::wrapped;
use super::cell::row;
use course::answer::{Judgement, Side, Verdict};
use course::{Exercise, Marked, Progress, Sheet};
use host::Graded;

/// A line per question, and the sum.
pub(super) fn report(
    progress: &Progress,
    exercise: &Exercise,
    sheet: &Sheet,
    (graded, models, whys): (&[Graded<'_>], &[Vec<String>], &[Vec<String>]),
    plain: bool,
    out: &mut Out,
) {
    let head = match sheet.exists() {
        true => format!("{}. Sheet: {}", exercise.heading(), sheet.shown()),
        false => format!("{}. No sheet yet.", exercise.heading()),
    };
    out.lines(wrapped(&head, "", "  "));
    let width = graded
        .iter()
        .map(|g| g.key.name.text.chars().count())
        .max()
        .unwrap_or(0);
    for (number, ((g, model), why)) in (1..).zip(graded.iter().zip(models).zip(whys)) {
        let j = &g.judgement;
        let name = &g.key.name.text;
        if plain {
            let said = match j.verdict {
                Verdict::Open if j.cells.is_empty() => "not answered.".to_owned(),
                _ => format!("“{}”. {}: {}", j.typed, j.verdict.word(), j.read_as()),
            };
            out.lines(wrapped(&said, &format!("{number} {name}: "), "  "));
        } else {
            let head = format!("{number:>2} {name:<width$}  {:<6}  ", j.verdict.word());
            let indent = " ".repeat(head.chars().count());
            out.lines(wrapped(&j.read_as(), &head, &indent));
        }
        for line in &g.lines {
            // Code stays as it is; where a kernel failed, and what helps, are words.
            let words = line.starts_with("  in `") || line.starts_with("  help: ");
            match line.starts_with([' ', '+', '-']) && !words {
                true => out.line(format!("   {line}")),
                false if words => out.lines(wrapped(line, "     ", "       ")),
                false => out.lines(wrapped(line, "   ", "   ")),
            }
        }
        for (at, step) in why.iter().enumerate() {
            let head = if at == 0 { "   why: " } else { "        " };
            out.lines(wrapped(step, head, "        "));
        }
        if !model.is_empty() {
            out.line("   A worked answer:");
            out.lines(model.iter().map(|line| format!("   {line}")));
        }
    }
    let summed = summary(progress, exercise, sheet, graded);
    out.lines(wrapped(&summed, "", "  "));
}

/// `3 right, 1 slip, 1 open. Hint: …`
fn summary(
    progress: &Progress,
    exercise: &Exercise,
    sheet: &Sheet,
    graded: &[Graded<'_>],
) -> String {
    let mut parts = Vec::new();
    for word in ["right", "kept", "slip", "close", "wrong", "unread", "open"] {
        let n = graded
            .iter()
            .filter(|g| g.judgement.verdict.word() == word)
            .count();
        if n > 0 {
            parts.push(format!("{n} {word}"));
        }
    }
    let mut text = format!("{}.", parts.join(", "));
    let read: Vec<&str> = graded
        .iter()
        .filter(|g| g.judgement.verdict.is_done())
        .map(|g| g.key.name.text.as_str())
        .filter(|name| progress.key(&exercise.id, name).given_up)
        .collect();
    for name in read {
        let counts = progress.as_read(&exercise.id, name);
        text += &format!(" {name} {counts}: its solution was read first.");
    }
    if let Some(marked) = marked(exercise, graded) {
        text += &format!(" {marked}.");
    }
    if graded.iter().all(|g| g.judgement.verdict == Verdict::Open)
        && let Some(first) = graded.first()
    {
        let (way, makes) = match sheet.exists() {
            true => ("Answer in the sheet, or", String::new()),
            false => ("Answer", format!(" (makes {})", sheet.shown())),
        };
        let name = &first.key.name.text;
        let answer = match &first.key.table {
            Some(table) => row(name, table),
            None => format!("--answer {name}=..."),
        };
        text += &format!(
            " {way}: tinyllama-tutor check {} {answer}{makes}",
            exercise.id
        );
    }
    let stuck = graded.iter().find(|g| {
        matches!(
            g.judgement.verdict,
            Verdict::Slip(_) | Verdict::Wrong(_) | Verdict::Close(_)
        )
    });
    if let Some(g) = stuck {
        let seen = progress.key(&exercise.id, &g.key.name.text).hints;
        if seen < g.key.hints.len() as u64 {
            text += &format!(
                " Hint: tinyllama-tutor hint {} {}",
                exercise.id, g.key.name.text
            );
        }
    }
    text
}

/// How an exercise with a pass mark stands after this check.
fn marked(exercise: &Exercise, graded: &[Graded<'_>]) -> Option<Marked> {
    let right = |name: &str| {
        let found = graded.iter().find(|g| g.key.name.text == name);
        found.is_some_and(|g| g.judgement.verdict.is_right())
    };
    exercise.marked(right)
}

/// `check --json`, schema 1. The expected value is never in it.
#[derive(Serialize)]
pub(super) struct Document {
    schema: u32,
    exercise: String,
    variant: usize,
    /// The GPU that its questions ask of, where they ask of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<&'static str>,
    sheet: String,
    keys: Vec<KeyDocument>,
    right: usize,
    kept: usize,
    total: usize,
    /// Whether enough is right, where the exercise has a pass mark.
    #[serde(skip_serializing_if = "Option::is_none")]
    passed: Option<bool>,
}

#[derive(Serialize)]
struct KeyDocument {
    name: String,
    typed: String,
    read: Option<String>,
    verdict: &'static str,
    /// What the plain output says of it; nothing of what was not answered.
    message: Option<String>,
    slip: Option<String>,
    /// Which side of the expected value, where that is said.
    direction: Option<&'static str>,
    hints_seen: u64,
    /// Wrong answers and slips, counted when what was typed changed.
    misses: u64,
    /// The cells of a table.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cells: Vec<CellDocument>,
}

#[derive(Serialize)]
struct CellDocument {
    row: String,
    column: String,
    typed: String,
    read: Option<String>,
    verdict: &'static str,
    message: Option<String>,
    slip: Option<String>,
    direction: Option<&'static str>,
}

/// What the slips say, where there are any.
fn slip(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Slip(fits) => {
            let all: Vec<&str> = fits.iter().map(|f| f.say.as_str()).collect();
            Some(all.join(" Or: "))
        }
        _ => None,
    }
}

/// `high` or `low`, where the plain output says so.
fn direction(verdict: &Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Close(side) | Verdict::Wrong(Some(side)) => Some(match side {
            Side::High => "high",
            Side::Low => "low",
        }),
        _ => None,
    }
}

/// The sentence of the plain output.
fn message(j: &Judgement) -> Option<String> {
    let begun = j.cells.iter().any(|c| c.judgement.verdict != Verdict::Open);
    (begun || j.verdict != Verdict::Open).then(|| j.read_as())
}

/// The document of an exercise, once its verdicts are recorded.
pub(super) fn document(
    progress: &Progress,
    exercise: &Exercise,
    sheet: &Sheet,
    graded: &[Graded<'_>],
) -> Document {
    let keys = graded
        .iter()
        .map(|g| {
            let j = &g.judgement;
            let mark = progress.key(&exercise.id, &g.key.name.text);
            KeyDocument {
                name: g.key.name.text.clone(),
                typed: j.typed.clone(),
                read: j.read.clone(),
                verdict: j.verdict.word(),
                slip: slip(&j.verdict),
                direction: direction(&j.verdict),
                message: message(j),
                hints_seen: mark.hints,
                misses: mark.tries,
                cells: j
                    .cells
                    .iter()
                    .map(|cell| CellDocument {
                        row: cell.row.clone(),
                        column: cell.column.clone(),
                        typed: cell.judgement.typed.clone(),
                        read: cell.judgement.read.clone(),
                        verdict: cell.judgement.verdict.word(),
                        slip: slip(&cell.judgement.verdict),
                        direction: direction(&cell.judgement.verdict),
                        message: message(&cell.judgement),
                    })
                    .collect(),
            }
        })
        .collect();
    Document {
        schema: 1,
        exercise: exercise.id.clone(),
        variant: exercise.number,
        device: exercise.gpu,
        sheet: sheet.shown().to_owned(),
        keys,
        right: graded
            .iter()
            .filter(|g| g.judgement.verdict.is_right())
            .count(),
        kept: graded
            .iter()
            .filter(|g| g.judgement.verdict == Verdict::Kept)
            .count(),
        total: graded.len(),
        passed: marked(exercise, graded).map(|marked| marked.passed()),
    }
}
