//! Numbers in rows, laid out as the tables of the text are.

use super::{Laid, broken};
use crate::tui::pen;
use crate::tui::rows::{Row, labelled, words};
use crate::tui::theme::Role;
use app::State;
use app::live::env;
use app::live::table;
use course::present::Grid;
use course::{Lesson, Live, Sample};
use text::{self, Alignment, Block, Element, Inline, Layout, Place, Resolved, Value};

/// A `table` or `roofline` block.
pub fn rows(state: &State, lesson: &Lesson, live: &Live, columns: usize) -> Laid {
    match table::grid(&state.shared, lesson, live) {
        Ok(table) => grid(state, &table, columns),
        Err(why) => failed(live, why, columns),
    }
}

/// The rows inside the box of a `compare` block.
pub fn compare(
    state: &State,
    lesson: &Lesson,
    live: &Live,
    columns: usize,
) -> Result<Vec<Row>, String> {
    let table = table::grid(&state.shared, lesson, live)?;
    // A row is of one unit, a column is not.
    Ok(aligned(state, &table, Alignment::Right, columns).rows)
}

/// The rows inside the box of a `profile` block: the top of the file, and what
/// is made of it.
pub fn profile(
    state: &State,
    lesson: &Lesson,
    live: &Live,
    sample: &Sample,
    columns: usize,
) -> Result<Vec<Row>, String> {
    let env = env(&state.shared, lesson, &live.setup)?;
    let shown = sample.show(&env.setup.config, env.gpus)?;
    let mut rows = words(&shown.caption, columns, Role::Dim);
    if shown.excerpt.head.is_empty() {
        for line in &shown.excerpt.rows {
            rows.push(Row::of(pen::clip(&line.concat(), columns), Role::Text));
        }
        rows.extend(words(&shown.rest, columns, Role::Dim));
    } else {
        let table = Grid {
            head: shown.excerpt.head,
            rows: shown.excerpt.rows,
            foot: shown.rest,
            ..Grid::default()
        };
        rows.extend(grid(state, &table, columns).rows);
    }
    if !shown.said.is_empty() {
        rows.push(Row::default());
    }
    for said in &shown.said {
        rows.extend(labelled(said.about, Role::Strong, &said.text, columns, 10));
    }
    Ok(rows)
}

fn failed(live: &Live, why: String, columns: usize) -> Laid {
    Laid {
        rows: broken(live, &[why], columns),
        shift: 0,
    }
}

/// A grid laid out, its columns each of one unit.
pub(super) fn grid(state: &State, grid: &Grid, columns: usize) -> Laid {
    aligned(state, grid, Alignment::Auto, columns)
}

/// A grid laid out; `rest`: how the columns behind the first stand.
fn aligned(state: &State, grid: &Grid, rest: Alignment, columns: usize) -> Laid {
    let nothing = |_: &Value| Resolved::value("");
    let layout = Layout::new(columns, &nothing)
        .ascii(state.shared.look.ascii)
        .shift(state.reader.shift);
    let cell = |text: &String| {
        vec![Inline::Words {
            text: text.clone(),
            place: Place::default(),
        }]
    };
    let element = Element::Table(text::Table {
        alignments: (0..grid.head.len())
            .map(|at| if at == 0 { Alignment::Auto } else { rest })
            .collect(),
        head: grid.head.iter().map(cell).collect(),
        rows: grid
            .rows
            .iter()
            .map(|row| row.iter().map(cell).collect())
            .collect(),
    });
    let page = layout.blocks(&[Block {
        place: Place::default(),
        element,
    }]);
    let mut rows: Vec<Row> = page.lines.iter().map(Row::of_markup).collect();
    if !grid.foot.is_empty() {
        rows.extend(
            words(&grid.foot, columns.saturating_sub(4), Role::Dim)
                .into_iter()
                .map(|r| r.indented(2)),
        );
    }
    Laid {
        rows,
        shift: page.max_shift,
    }
}
