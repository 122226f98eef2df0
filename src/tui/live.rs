//! Live blocks as lines: each kind in its own few rows, broken ones as their
//! text with what is wrong.

mod chart;
mod claim;
mod kernels;
mod lab;
mod tables;

pub use kernels::reported;

use super::exercise::question;
use super::rows::{Row, boxed, labelled, words};
use super::theme::Role;
use app::State;
use app::live::{env, predict};
use course::{Block, Ledger, Lesson, Live, Phrase, Typed};
use text::{self, Layout};

/// A block laid out.
#[derive(Default)]
pub struct Laid {
    /// Its lines, `columns` wide at most.
    pub rows: Vec<Row>,
    /// Steps sideways that show something new.
    pub shift: usize,
}

/// Lays a block out in `columns` columns. `keys`: it has the keys.
pub fn lay(state: &State, lesson: &Lesson, live: &Live, keys: bool, columns: usize) -> Laid {
    let content = match &live.content {
        Ok(content) => content,
        Err(faults) => {
            let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
            return plain(broken(live, &said, columns));
        }
    };
    let inner = columns.saturating_sub(4);
    let hidden = predict::open(&state.shared.study.progress, lesson, live).is_some();
    let rows = match content {
        _ if hidden => Ok(predictions(state, lesson, live, keys, inner)),
        Block::Lab { .. } => lab::rows(state, lesson, live, keys, inner),
        Block::Ribbon { prices, .. } => lab::ribbon(state, lesson, live, *prices, inner),
        Block::Compare { .. } => tables::compare(state, lesson, live, inner),
        Block::Steps { title, steps } => Ok(steps_rows(
            state,
            lesson,
            live,
            title.as_ref(),
            steps,
            inner,
        )),
        Block::Question { exercise: id, key } => {
            let asked = state
                .shared
                .study
                .question(&id.text, key.as_ref().map(|k| &*k.text));
            asked
                .map(|asked| question::in_lesson(state, &asked, keys, inner))
                .ok_or_else(|| format!("The course has no question {}.", id.text))
        }
        Block::Micro { .. } => kernels::micro(state, lesson, live, inner),
        Block::Kernel { .. } => kernels::kernel(state, lesson, live, inner),
        Block::Profile(sample) => tables::profile(state, lesson, live, sample, inner),
        Block::Table { .. } | Block::Roofline { .. } => {
            return tables::rows(state, lesson, live, columns);
        }
        Block::Claim { id } => claim::rows(state, id, inner),
        Block::Chart { .. } => match chart::rows(state, lesson, live, columns) {
            Ok(rows) => return plain(rows),
            Err(why) => Err(why),
        },
    };
    match rows {
        Ok(mut rows) => {
            if !hidden && !live.predict.is_empty() {
                rows.extend(outcomes(state, lesson, live, inner));
            }
            plain(boxed(
                &title(live),
                hint(state, lesson, live, content, keys, hidden),
                keys,
                columns,
                rows,
            ))
        }
        Err(why) => plain(broken(live, &[why], columns)),
    }
}

fn plain(rows: Vec<Row>) -> Laid {
    Laid { rows, shift: 0 }
}

/// The words in the upper wall.
fn title(live: &Live) -> String {
    match &live.content {
        Ok(Block::Question { exercise, key }) => match key {
            Some(key) => format!("question {} {}", exercise.text, key.text),
            None => format!("question {}", exercise.text),
        },
        Ok(Block::Claim { id }) => match Ledger::built_in().get(&id.text) {
            Some(claim) => format!("claim · {} · {}", claim.title, id.text),
            None => format!("claim {}", id.text),
        },
        _ => format!("live · {}", live.kind),
    }
}

/// What Space or Enter does in the block.
fn hint(
    state: &State,
    lesson: &Lesson,
    live: &Live,
    content: &Block,
    keys: bool,
    hidden: bool,
) -> &'static str {
    match content {
        _ if hidden => "before you look",
        Block::Lab { toggles, .. } if !toggles.is_empty() => "Space flips",
        Block::Lab { .. } | Block::Compare { .. } | Block::Micro { .. } => "r runs",
        Block::Kernel { op: Some(_), .. } => "Enter opens it",
        Block::Steps { steps, .. } => {
            let shown = state.reader.block(&lesson.id, live.number).steps + 1;
            match (shown < steps.len(), keys) {
                (true, true) => "Space next step",
                (true, false) => "Tab, then Space: next step",
                (false, _) => "all steps",
            }
        }
        Block::Ribbon { .. } => "Enter opens it in the lab",
        Block::Claim { .. } => "Enter: the court",
        _ => "",
    }
}

/// A block that cannot be shown: its source, and what is wrong with it.
fn broken(live: &Live, said: &[String], columns: usize) -> Vec<Row> {
    let mut rows = vec![Row::of(
        format!("{} (as it is written)", live.kind),
        Role::Dim,
    )];
    for line in live.source.lines().take(12) {
        let line: String = line.replace('\t', "    ");
        let line = super::pen::clip(&line, columns.saturating_sub(2));
        rows.push(Row::of(format!("  {line}"), Role::Dim));
    }
    for say in said {
        rows.extend(words(say, columns, Role::Bad));
    }
    rows
}

/// The questions asked before the block shows anything.
fn predictions(
    state: &State,
    lesson: &Lesson,
    live: &Live,
    keys: bool,
    columns: usize,
) -> Vec<Row> {
    let made = predict::guesses(&state.shared.study.progress, lesson, live);
    let field = state.reader.block(&lesson.id, live.number).field;
    let mut rows = Vec::new();
    for (i, asked) in live.predict.iter().enumerate() {
        rows.extend(inline(state, lesson, live, &asked.ask.text, columns));
        if let Some(guess) = made.get(i) {
            let typed = if guess.typed.is_empty() {
                "I do not know"
            } else {
                &guess.typed
            };
            rows.push(Row::of("  you said  ", Role::Dim).and(typed, Role::Text));
            continue;
        }
        let unit = question::written(asked.unit.as_ref().map_or("", Typed::as_str));
        match &field {
            Some(field) if keys => {
                let (before, behind) = field.halves();
                rows.push(
                    Row::of("  > ", Role::Accent)
                        .and(before, Role::Text)
                        .and("▌", Role::Accent)
                        .and(behind, Role::Text)
                        .at(24, unit, Role::Dim),
                );
                rows.push(Row::of(
                    "  Enter keeps it. Nothing typed: “I do not know”. It is not graded.",
                    Role::Dim,
                ));
            }
            _ => {
                let how = if keys {
                    "  Enter, then type your number; the block opens after it."
                } else {
                    "  Tab, then Enter: type your number; the block opens after it."
                };
                rows.push(Row::of(how, Role::Dim));
            }
        }
        break;
    }
    rows
}

/// Guesses beside what came out, with the author's sentence.
fn outcomes(state: &State, lesson: &Lesson, live: &Live, columns: usize) -> Vec<Row> {
    let mut rows = vec![Row::default()];
    let made = predict::guesses(&state.shared.study.progress, lesson, live);
    for (guess, asked) in made.iter().zip(&live.predict) {
        let ask = inline(state, lesson, live, &asked.ask.text, columns);
        rows.extend(ask.into_iter().map(|row| Row::of(row.text(), Role::Dim)));
        let typed = match (guess.typed.as_str(), asked.unit.as_ref().map(Typed::as_str)) {
            ("", _) => "I do not know".to_owned(),
            (typed, Some("%")) if typed.chars().all(|c| c.is_ascii_digit() || c == '.') => {
                format!("{typed} %")
            }
            (typed, _) => typed.to_owned(),
        };
        rows.push(
            Row::of("you said ", Role::Dim)
                .and(typed, Role::Text)
                .at(28, "it is ", Role::Dim)
                .and(guess.outcome.clone(), Role::Modelled)
                .and(" =", Role::Modelled),
        );
        if let Some(note) = &asked.note {
            rows.extend(
                words(&note.text, columns.saturating_sub(2), Role::Text)
                    .into_iter()
                    .map(|r| r.indented(2)),
            );
        }
    }
    rows
}

/// Steps up to the one that was reached.
fn steps_rows(
    state: &State,
    lesson: &Lesson,
    live: &Live,
    title: Option<&Phrase>,
    steps: &[Phrase],
    columns: usize,
) -> Vec<Row> {
    let shown = state.reader.block(&lesson.id, live.number).steps + 1;
    let mut rows = Vec::new();
    if let Some(title) = title {
        rows.push(Row::of(title.text.clone(), Role::Strong));
    }
    for (i, step) in steps.iter().take(shown).enumerate() {
        let text = inline(state, lesson, live, &step.text, columns.saturating_sub(4));
        for (line, row) in text.into_iter().enumerate() {
            let head = if line == 0 {
                format!("{:2}  ", i + 1)
            } else {
                "    ".to_owned()
            };
            let mut numbered = Row::of(head, Role::Dim);
            numbered.spans.extend(row.spans);
            rows.push(numbered);
        }
    }
    let left = steps.len().saturating_sub(shown);
    if left > 0 {
        rows.push(Row::of(format!("    {left} more"), Role::Dim));
    }
    rows
}

/// A text with inline numbers, in the block's configuration.
fn inline(state: &State, lesson: &Lesson, live: &Live, text: &str, columns: usize) -> Vec<Row> {
    let env = env(&state.shared, lesson, &live.setup);
    let resolve = |value: &text::Value| super::lesson::resolved(&env, value);
    let parsed = text::parse(text, 1, &[]);
    let layout = Layout::new(columns, &resolve).ascii(state.shared.look.ascii);
    parsed
        .sections
        .iter()
        .flat_map(|s| layout.blocks(&s.blocks).lines)
        .map(|line| Row::of_markup(&line))
        .collect()
}

/// A label in its role, and behind it a text wrapped beside it; for notes.
pub(super) fn note(label: &str, role: Role, text: &str, columns: usize) -> Vec<Row> {
    labelled(label, role, text, columns, 8)
}
