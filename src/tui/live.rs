//! Live blocks as lines: the pieces of a block in a box, what the reader does there
//! around them; broken ones as their text with what is wrong.

mod chart;
mod lab;
mod piece;
mod scene;
mod trips;

#[cfg(test)]
pub(crate) use chart::rows as picture;
pub use piece::{number, pieces, reported, still};
pub use trips::picture as journeys;

use super::pen::width as columns_of;
use super::rows::{Row, boxed, labelled, words};
use super::theme::Role;
use app::evidence::runs;
use app::live::{predict, presented, running_on, waits_alone};
use app::{Page, State};
use course::guess::said;
use course::present::{Piece, caption};
use course::{Block, Lesson, Live, Typed, present};

/// A block laid out.
#[derive(Default)]
pub struct Laid {
    /// Its lines, `columns` wide at most.
    pub rows: Vec<Row>,
    /// Steps sideways that show something new.
    pub shift: usize,
}

/// Where pieces are drawn: in which block, and whether it has the keys.
#[derive(Clone, Copy)]
pub struct Place<'s> {
    /// Look, runs, what the reader did.
    pub state: &'s State,
    /// The lesson.
    pub lesson: &'s Lesson,
    /// The block.
    pub live: &'s Live,
    /// It has the keys.
    pub keys: bool,
}

/// Lays a block out in `columns` columns. `keys`: it has the keys.
pub fn lay(state: &State, lesson: &Lesson, live: &Live, keys: bool, columns: usize) -> Laid {
    let place = Place {
        state,
        lesson,
        live,
        keys,
    };
    let found = match presented(&state.reader, &state.shared, lesson, live) {
        Ok(found) => found,
        Err(said) => {
            return Laid {
                rows: broken(live, &said, columns),
                shift: 0,
            };
        }
    };
    // Cells and lines of the text's own kind stand as the text does.
    if let Ok(Block::Table { .. } | Block::Roofline { .. } | Block::Chart { .. }) = live.content {
        return pieces(place, &found, columns);
    }
    let inner = columns.saturating_sub(4);
    let hidden = predict::open(&state.shared.study, lesson, live).is_some();
    let mut laid = match hidden {
        true => Laid {
            rows: predictions(place, &found, inner),
            shift: 0,
        },
        false => pieces(place, &found, inner),
    };
    if !hidden {
        if let Some(how) = how(place, &found) {
            laid.rows.extend(words(&how, inner, Role::Dim));
        }
        laid.rows.extend(outcomes(place, &found, inner));
    }
    let title = match caption(live) {
        kind if kind == live.kind => format!("live · {kind}"),
        about => about,
    };
    let title = match own_setup(place) {
        Some(setup) => format!("{title} · {setup}"),
        None => title,
    };
    let hint = match hint(place, hidden) {
        named
            if keys
                || !["Space", "Enter", "r "]
                    .iter()
                    .any(|key| named.starts_with(key)) =>
        {
            named.to_owned()
        }
        named => {
            let long = format!("Tab here: {named}");
            let fits = columns_of(&title) + columns_of(&long) + 8 <= columns;
            if fits { long } else { "Tab here".to_owned() }
        }
    };
    laid.rows = boxed(&title, &hint, keys, columns, laid.rows);
    laid
}

/// The setup of a block's figures, where they do not say it and it is not the header's.
fn own_setup(place: Place<'_>) -> Option<String> {
    let priced = match place.live.content.as_ref().ok()? {
        Block::Lab { ops, .. } => !ops.is_empty(),
        Block::Ribbon { .. } | Block::Compare { .. } | Block::Staircase { .. } => true,
        _ => false,
    };
    let shared = &place.state.shared;
    let env = app::live::env(shared, place.lesson, &place.live.setup).ok()?;
    let own = env.setup.config.title();
    (priced && own != shared.bench.setup().title()).then_some(own)
}

/// What Space, Enter or `r` does in the block once it has the keys.
fn hint(place: Place<'_>, hidden: bool) -> &'static str {
    let Ok(content) = &place.live.content else {
        return "";
    };
    let lacks = |page: Page| place.state.shared.lacks(page.least());
    match content {
        _ if hidden => "before you look",
        Block::Lab { toggles, .. } if !toggles.is_empty() => "Space flips",
        Block::Lab { .. } | Block::Compare { .. } | Block::Micro { .. } => "r runs",
        Block::Staircase { .. } if lacks(Page::Compare) => "r runs",
        Block::Staircase { .. } => "r runs · Enter: move its steps",
        Block::Study(_) if lacks(Page::Studies) => "r makes it",
        Block::Study(_) => "r makes it · Enter: studies",
        Block::Occupancy(_) if lacks(Page::Studies) => "r goes on with a copy",
        Block::Occupancy(_) => "r goes on with a copy · Enter: studies",
        Block::Kernel { .. } if lacks(Page::Kernel) => "",
        Block::Kernel { op: Some(_), .. } => "Enter opens it",
        Block::Trips(_) if !place.keys => "Space goes kernel by kernel",
        Block::Trips(asked) => match (through(place), asked.toggles.is_empty()) {
            (false, true) => "Space goes kernel by kernel",
            (false, false) => "Space goes kernel by kernel · Enter flips",
            (true, true) => "all kernels",
            (true, false) => "all kernels · Enter flips",
        },
        Block::Steps { steps, .. } if place.steps() < steps.len() => "Space next step",
        Block::Steps { .. } => "all steps",
        Block::Ribbon { .. } if lacks(Page::Lab) => "",
        Block::Ribbon { .. } => "Enter opens it in the lab",
        Block::Claim { id } => {
            let judged = place.state.shared.study.looked_at(id.as_str());
            match (runs(id.as_str()), judged) {
                (true, false) => "r runs · Enter judges it",
                (true, true) => "r runs · Enter opens it",
                (false, false) => "Enter judges it",
                (false, true) => "Enter opens it",
            }
        }
        _ => "",
    }
}

/// Whether one has walked through the kernels of a `trips` block.
fn through(place: Place<'_>) -> bool {
    let (reader, shared) = (&place.state.reader, &place.state.shared);
    app::live::walked_through(reader, shared, place.lesson, place.live)
}

/// What is still to be done, or being done, before all pieces are there.
pub fn how(place: Place<'_>, found: &[Piece]) -> Option<String> {
    let shared = &place.state.shared;
    match &place.live.content {
        Ok(Block::Lab { backend, .. }) => {
            let cut = found.iter().find_map(|piece| match piece {
                Piece::Lab(lab) if lab.ran.is_none() => Some(lab.cut),
                _ => None,
            })?;
            if let Some(backend) = running_on(shared, place.lesson, place.live, cut) {
                return Some(format!("running on {backend} …"));
            }
            // A block may name the backend that it runs on.
            let named = backend.as_ref().map(|named| named.text.as_str());
            let backend = named.or(shared.machine.backend().map(|b| b.name.as_str()));
            let on = backend.map_or(String::new(), |name| format!(" on {name}"));
            let lab = match shared.lacks(Page::Lab.least()) {
                true => "",
                false => " · Enter opens it in the lab",
            };
            Some(match place.keys {
                true => format!("not run yet · r runs it{on}{lab}"),
                false => format!("not run yet · Tab here: r runs it{on}{lab}"),
            })
        }
        Ok(Block::Micro { .. }) => {
            let (backend, runs) = app::live::ask::experiment(shared, place.lesson, place.live)?;
            Some(match runs {
                true => format!("running on {} …", backend.name()),
                false if place.keys => format!("not run yet · r runs it on {}", backend.name()),
                false => format!("not run yet · Tab here: r runs it on {}", backend.name()),
            })
        }
        Ok(Block::Study(made)) => {
            let words = made.words(shared.study.course.gpu());
            let making = shared.studies.making();
            if let Some(making) = making.filter(|m| m.words == words) {
                return Some(format!("being made: {} …", making.said));
            }
            let none = shared.studies.of_words(&words).is_none();
            none.then(|| match place.keys {
                true => "not made yet on this machine · r makes it".to_owned(),
                false => "not made yet on this machine".to_owned(),
            })
        }
        Ok(Block::Kernel { .. }) if found.is_empty() => Some("looking the source up …".to_owned()),
        _ => None,
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

impl Place<'_> {
    /// What was done in the block.
    fn block(&self) -> app::live::Block {
        self.state.reader.block(&self.lesson.id, self.live.number)
    }

    /// Steps that are revealed.
    fn steps(&self) -> usize {
        self.block().steps + 1
    }

    /// What was typed of a prediction and not kept.
    fn begun(&self) -> &str {
        let progress = &self.state.shared.study.progress;
        progress.begun(&self.lesson.id, self.live.number as u64)
    }

    fn guesses(&self) -> Vec<predict::Guess> {
        predict::guesses(&self.state.shared.study, self.lesson, self.live)
    }
}

/// The questions asked before the block shows anything.
fn predictions(place: Place<'_>, found: &[Piece], columns: usize) -> Vec<Row> {
    let made = place.guesses();
    let state = place.state;
    let field = state
        .reader
        .block(&place.lesson.id, place.live.number)
        .field;
    let mut rows = Vec::new();
    let asks = found.iter().filter(|piece| matches!(piece, Piece::Ask(_)));
    for (i, (ask, predict)) in asks.zip(&place.live.predict).enumerate() {
        rows.extend(piece::piece(place, ask, columns).rows);
        if let Some(guess) = made.get(i) {
            let unit = predict.unit.as_ref().map(Typed::as_str);
            rows.push(Row::of("  you said  ", Role::Dim).and(said(guess, unit), Role::Text));
            continue;
        }
        match &field {
            Some(field) if place.keys => {
                let unit = predict.unit.as_ref().map_or("", Typed::as_str);
                let (before, behind) = field.halves();
                rows.push(
                    Row::of("  > ", Role::Accent)
                        .and(before, Role::Text)
                        .and("▌", Role::Accent)
                        .and(behind, Role::Text)
                        .at(24, present::example(unit), Role::Dim),
                );
                rows.extend(typed_so_far(place, &field.text(), columns));
            }
            _ => {
                let alone = || waits_alone(&state.reader, &state.shared, place.live);
                let begun = place.begun();
                let how = match (begun.is_empty(), place.keys) {
                    (false, true) => format!("{begun}: typed, not entered; Enter goes on with it."),
                    (false, false) => {
                        format!(
                            "{begun}: typed, not entered; Tab here, then Enter goes on with it."
                        )
                    }
                    (_, true) => "Enter, then type your number; the figures show after it.".into(),
                    _ if alone() => "Type your number; the figures show after it.".into(),
                    _ => {
                        "Tab here, then Enter: type your number; the figures show after it.".into()
                    }
                };
                rows.extend(words_in(&how, columns));
            }
        }
        break;
    }
    rows
}

/// Below the field of a guess: how what is typed reads, as a question says it.
fn typed_so_far(place: Place<'_>, text: &str, columns: usize) -> Vec<Row> {
    if text.trim().is_empty() {
        let how = "Enter keeps it. Nothing typed: “I do not know”. It is not graded.";
        return words_in(how, columns);
    }
    match predict::echo(&place.state.shared, place.lesson, place.live, text) {
        Ok(read) => words_in(
            &format!("read as {read}. Enter keeps it; it is not graded."),
            columns,
        ),
        Err(why) => words_in(&why, columns),
    }
}

/// A line two columns further in, wrapped.
fn words_in(text: &str, columns: usize) -> Vec<Row> {
    let rows = words(text, columns.saturating_sub(2), Role::Dim).into_iter();
    rows.map(|row| row.indented(2)).collect()
}

/// Guesses beside what came out, with the author's sentence.
fn outcomes(place: Place<'_>, found: &[Piece], columns: usize) -> Vec<Row> {
    let asks = found.iter().filter(|piece| matches!(piece, Piece::Ask(_)));
    let came = found.iter().filter_map(|piece| match piece {
        Piece::Outcome(value, note) => Some((value, note)),
        _ => None,
    });
    let mut rows = Vec::new();
    let guesses = place.guesses();
    for (((guess, predict), ask), (value, note)) in
        guesses.iter().zip(&place.live.predict).zip(asks).zip(came)
    {
        if rows.is_empty() {
            rows.push(Row::default());
        }
        let ask = piece::piece(place, ask, columns).rows.into_iter();
        rows.extend(ask.map(|row| Row::of(row.text(), Role::Dim)));
        let unit = predict.unit.as_ref().map(Typed::as_str);
        // A blank behind it, also where it ends at the column of what it is.
        let yours = Row::of("you said ", Role::Dim)
            .and(said(guess, unit), Role::Text)
            .and(" ", Role::Text);
        // What cannot be had again is shown as it was then.
        let then = |why| match &guess.outcome {
            kept if kept.is_empty() || kept == why => Err(why),
            kept => Ok(kept),
        };
        match value.as_ref().or_else(then) {
            Ok(value) => {
                let is = |row: Row| {
                    row.at(28, "it is ", Role::Dim)
                        .and(value.as_str(), Role::Modelled)
                        .and(" =", Role::Modelled)
                };
                let beside = is(yours.clone());
                // A long guess stands above what it is.
                match beside.width() <= columns {
                    true => rows.push(beside),
                    false => rows.extend([yours, is(Row::default())]),
                }
            }
            // A sentence in the place of a number would be cut, and is none.
            Err(why) => {
                rows.push(yours);
                rows.extend(words_in(&format!("not known here: {why}"), columns));
            }
        }
        if let Some(note) = note {
            let note = words(note, columns.saturating_sub(2), Role::Text);
            rows.extend(note.into_iter().map(|row| row.indented(2)));
        }
    }
    rows
}

/// A label in its role, and behind it a text wrapped beside it; for notes.
pub(super) fn note(label: &str, role: Role, text: &str, columns: usize) -> Vec<Row> {
    labelled(label, role, text, columns, 8)
}
