//! Numbers in rows, laid out as the tables of the text are.

use super::{Laid, broken};
use crate::app::State;
use crate::app::live::table::{self, Grid};
use crate::course::{Lesson, Live};
use crate::markup::{self, Alignment, Block, Element, Inline, Layout, Place, Resolved, Value};
use crate::tui::rows::{Row, words};
use crate::tui::theme::Role;

/// A `table` block.
pub fn table(state: &State, lesson: &Lesson, live: &Live, columns: usize) -> Laid {
    match table::table(state, lesson, live) {
        Ok(table) => grid(state, &table, columns),
        Err(why) => failed(live, why, columns),
    }
}

/// A `roofline` block.
pub fn roofline(state: &State, lesson: &Lesson, live: &Live, columns: usize) -> Laid {
    match table::roofline(state, lesson, live) {
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
    let table = table::compare(state, lesson, live)?;
    Ok(grid(state, &table, columns).rows)
}

fn failed(live: &Live, why: String, columns: usize) -> Laid {
    Laid {
        rows: broken(live, &[why], columns),
        shift: 0,
    }
}

/// A grid laid out.
pub(super) fn grid(state: &State, grid: &Grid, columns: usize) -> Laid {
    let nothing = |_: &Value| Resolved::value("");
    let layout = Layout::new(columns, &nothing)
        .ascii(state.look.ascii)
        .shift(state.reader.shift);
    let cell = |text: &String| {
        vec![Inline::Words {
            text: text.clone(),
            place: Place::default(),
        }]
    };
    let element = Element::Table(markup::Table {
        alignments: vec![Alignment::Auto; grid.head.len()],
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
