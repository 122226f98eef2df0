//! The `micro` and `kernel` blocks: figures of an experiment, lines of a source.

use super::tables::grid;
use crate::tui::code::code;
use crate::tui::rows::{Row, words};
use crate::tui::theme::Role;
use app::State;
use app::ask::{Ask, Excerpt, Shown};
use app::live::ask;
use course::present::Grid;
use course::{Block, Lesson, Live};
use plan::run::{Experiment, Metric, MicroReport};
use text::code::highlight;

/// Rows of a `micro` block.
///
/// # Errors
/// An experiment that cannot be.
pub fn micro(
    state: &State,
    lesson: &Lesson,
    live: &Live,
    columns: usize,
) -> Result<Vec<Row>, String> {
    let ask = ask::of(&state.shared, lesson, live)?;
    let Ask::Micro(request) = &ask else {
        return Err("this block runs nothing".to_owned());
    };
    let title = Experiment::find(&request.kernel).map_or("", |e| e.title);
    let mut rows = words(
        &format!("{}: {title}", request.kernel),
        columns,
        Role::Strong,
    );
    let backend = request.backend.name();
    match state.shared.asked.answer(&ask) {
        _ if state.shared.asked.waits(&ask) => {
            rows.extend(words(
                &format!("running on {backend} …"),
                columns,
                Role::Dim,
            ));
        }
        None => {
            let how = format!("not run yet · r runs it on {backend}");
            rows.extend(words(&how, columns, Role::Dim));
        }
        Some(Err(why)) => rows.extend(words(why, columns, Role::Bad)),
        Some(Ok(Shown::Micro(report))) => {
            let shows = match &live.content {
                Ok(Block::Micro { show, .. }) => show.as_slice(),
                _ => &[],
            };
            rows.extend(reported(state, report, shows, columns));
        }
        Some(Ok(Shown::Source(_))) => {}
    }
    Ok(rows)
}

/// What an experiment showed: the figures that are named, or all of them.
pub fn reported(state: &State, report: &MicroReport, shows: &[Metric], columns: usize) -> Vec<Row> {
    let (head, cells) = report.table(shows);
    let table = Grid {
        head,
        rows: cells,
        ..Grid::default()
    };
    let mut rows = vec![Row::default()];
    rows.extend(grid(state, &table, columns).rows);
    rows.push(Row::default());
    rows.extend(words(&report.device, columns, Role::Dim));
    for note in &report.notes {
        rows.extend(words(note, columns, Role::Dim));
    }
    rows
}

/// Rows of a `kernel` block.
///
/// # Errors
/// A setting, a plan or an op that cannot be; why there is no such source.
pub fn kernel(
    state: &State,
    lesson: &Lesson,
    live: &Live,
    columns: usize,
) -> Result<Vec<Row>, String> {
    let ask = ask::of(&state.shared, lesson, live)?;
    match state.shared.asked.answer(&ask) {
        None => Ok(vec![Row::of("looking the source up …", Role::Dim)]),
        Some(Err(why)) => Err(why.clone()),
        Some(Ok(Shown::Source(excerpt))) => Ok(excerpt_rows(excerpt, columns)),
        Some(Ok(Shown::Micro(_))) => Ok(Vec::new()),
    }
}

fn excerpt_rows(excerpt: &Excerpt, columns: usize) -> Vec<Row> {
    let mut rows = vec![Row::of(excerpt.file.clone(), Role::Strong)];
    if !excerpt.idea.is_empty() {
        rows.extend(words(&excerpt.idea, columns, Role::Text));
    }
    let whole: Vec<&str> = excerpt
        .lines
        .iter()
        .map(|(_, text)| text.as_str())
        .collect();
    let coloured = highlight("cuda", &whole.join("\n"));
    for ((number, _), spans) in excerpt.lines.iter().zip(&coloured) {
        let spans = spans
            .iter()
            .map(|s| (s.text.as_str(), crate::tui::kernel::code_role(s.role)));
        rows.extend(code(
            Row::of(format!("{number:4}  "), Role::Dim),
            spans,
            columns,
        ));
    }
    if excerpt.more > 0 {
        rows.push(Row::of(
            format!("      {} more lines; Enter opens the kernel.", excerpt.more),
            Role::Dim,
        ));
    }
    for fact in &excerpt.facts {
        rows.extend(words(fact, columns, Role::Dim));
    }
    rows
}
