//! The lesson page: text and live blocks of one section, beside the lab where
//! there is room.

mod beside;
mod outline;

use std::sync::Arc;

use super::exercise::question::{self, CURSOR};
use super::pen::{Pen, clip};
use super::rows::Row;
use super::theme::Role;
use super::{cards, frame, live};
use app::State;
use app::contents::{number, percent};
use app::lesson::{self, Extent, Focus};
use app::live::{asked, env, takes_keys, withheld};
use app::mouse::Target;
use course::answer::Env;
use course::{Inline, Lesson, Part, Section};
use text::{self, Layout, Resolved};

/// Columns of the lesson where something stands beside it: as many as where it stands
/// alone.
const LEFT: u16 = frame::LEFT;
/// Columns that the sections of the lesson need beside it.
const SECTIONS: u16 = 18;

/// A section laid out.
#[derive(Default)]
pub struct Laid {
    /// The lines, each with its column.
    rows: Vec<(u16, Row)>,
    /// How it came out.
    extent: Arc<Extent>,
}

/// A section while it is laid out.
#[derive(Default)]
struct Laying {
    rows: Vec<(u16, Row)>,
    extent: Extent,
}

impl Laying {
    fn gap(&mut self) {
        if !self.rows.is_empty() {
            self.rows.push((0, Row::default()));
        }
        self.extent.breaks.push(self.rows.len());
    }
}

/// Where the text stands: columns, and lines from which to which.
fn area(state: &State) -> (u16, u16, u16) {
    let (columns, rows) = state.shared.size;
    if state.shared.two_panes() {
        // Rules above and below; the last two rows are message and keys.
        (LEFT, 5, rows.saturating_sub(4))
    } else {
        (columns.min(frame::LEFT), 2, rows.saturating_sub(2))
    }
}

/// Tells the reader how long the section is.
pub fn fit(state: &mut State, laid: &Laid) {
    let turned = state.shared.questions.turned();
    state.reader.fit(Arc::clone(&laid.extent), turned);
}

/// Draws the page.
pub fn draw(state: &State, laid: &Laid, pen: &mut Pen<'_>) {
    let last = pen.height().saturating_sub(1);
    let (columns, top, bottom) = area(state);
    if state.shared.two_panes() {
        frame::panes(pen, LEFT, last - 2);
        heading(state, &mut pen.part(0, 3, LEFT, 1));
        let right = pen.width() - LEFT - 1;
        beside::draw(state, &mut pen.part(LEFT + 1, 3, right, last - 5));
    }
    let room = bottom.saturating_sub(top);
    let free = pen.width().saturating_sub(columns + 1);
    if !state.shared.two_panes() && free >= SECTIONS && state.reader.outline.is_none() {
        let here = state.reader.section;
        pen.upright(columns, top, bottom);
        outline::draw(
            state,
            here,
            false,
            &mut pen.part(columns + 1, top, free, room),
        );
    }
    let mut text = pen.part(0, top, columns, room);
    if let Some(cursor) = state.reader.outline {
        outline::draw(state, cursor, true, &mut text);
    } else {
        let shown = laid.rows.get(state.reader.view()).unwrap_or_default();
        for (y, (x, row)) in (0..room).zip(shown) {
            row.draw(&mut text, *x, y);
            if let Some(needle) = sought(state) {
                mark(&mut text, *x, y, &row.text(), &needle);
            }
        }
        if laid.rows.is_empty() {
            empty(state, &mut text);
        }
    }
    let finding = state.find.as_ref().is_some_and(|f| f.typing);
    if state.shared.two_panes() {
        more(state, pen, bottom);
    } else if state.shared.notes.shown().is_none() && !finding {
        progress(state, pen, last - 1);
        more(state, pen, last - 1);
    }
    frame::message(state, "", "", pen, last - 1);
    cards::draw(state, pen);
}

/// The text that is searched for, once it was typed.
fn sought(state: &State) -> Option<String> {
    let find = state.find.as_ref().filter(|f| !f.typing)?;
    let needle = find.field.text().to_lowercase();
    (!needle.is_empty()).then_some(needle)
}

/// Shows what was found in reverse video.
fn mark(pen: &mut Pen<'_>, x: u16, y: u16, row: &str, needle: &str) {
    let row = row.to_lowercase();
    for (at, found) in row.match_indices(needle) {
        let before = row.get(..at).unwrap_or_default();
        let from = x + super::pen::width(before) as u16;
        pen.reverse(from, y, super::pen::width(found) as u16);
    }
}

fn empty(state: &State, pen: &mut Pen<'_>) {
    let text = if state.shared.study.loaded {
        "There is no lesson here. H shows the contents; lint says what is wrong with a course."
    } else {
        "…"
    };
    pen.put(2, 0, text, Role::Dim);
}

/// Number, title and place, where the header has no room for them.
fn heading(state: &State, pen: &mut Pen<'_>) {
    let Some(lesson) = lesson::lesson(&state.reader, &state.shared) else {
        return;
    };
    let mut place = format!(
        "section {} of {}",
        state.reader.section + 1,
        lesson.sections.len()
    );
    if let Some(gpu) = frame::course_gpu(state, LEFT) {
        place = format!("{gpu} · {place}");
    }
    let edge = pen.width().saturating_sub(2);
    let room = usize::from(edge).saturating_sub(super::pen::width(&place) + 4);
    let title = format!("{} {}", number(&lesson.id), lesson.title);
    pen.put(2, 0, &clip(&title, room), Role::Strong);
    pen.right(edge, 0, &place, Role::Dim);
}

/// The line under the text: what lies below, section, and a bar.
fn progress(state: &State, pen: &mut Pen<'_>, y: u16) {
    let Some(lesson) = lesson::lesson(&state.reader, &state.shared) else {
        return;
    };
    const CELLS: usize = 14;
    let (at, of) = (state.reader.section + 1, lesson.sections.len().max(1));
    let edge = pen.width().min(frame::LEFT) - 1;
    let gpu = frame::course_gpu(state, edge).map_or(String::new(), |gpu| format!("{gpu} · "));
    let place = format!("section {at} of {of}");
    let share = format!("{place} · {} %", percent(at, of));
    // The bar takes what stands free, and what does not fit beside what lies below is left out.
    let free = usize::from(edge).saturating_sub(super::pen::width(MORE[0]) + 4);
    let fits = |text: &String| super::pen::width(text) < free;
    let text = [format!("{gpu}{share}"), share].into_iter().find(fits);
    let text = text.unwrap_or(place);
    let cells = free.saturating_sub(super::pen::width(&text)).min(CELLS);
    let eighths = (at * cells * 8 / of) as u64;
    let bar = super::ribbon::bar(eighths, cells as u64, pen.ascii());
    let rest = cells.saturating_sub(super::pen::width(&bar));
    let text = format!("{text} {bar}{}", "·".repeat(rest));
    pen.right(edge, y, text.trim_end(), Role::Dim);
}

/// Said where the section goes on below the page. A block with the keys has its own use for
/// Space, what is typed too, and the lab beside the lesson for both.
const MORE: [&str; 3] = ["▼ more below, Space", "▼ more below, PgDn", "▼ more below"];

/// Says that the section goes on below the page.
fn more(state: &State, pen: &mut Pen<'_>, y: u16) {
    if state.reader.goes_on() && state.reader.outline.is_none() {
        let text = match state.reader.focus {
            Focus::Text => MORE[0],
            Focus::Block(_) => MORE[1],
            Focus::Lab => MORE[2],
        };
        pen.put(2, y, text, Role::Dim);
    }
}

/// Lays the section on the page out.
pub fn lay(state: &State) -> Laid {
    let (columns, top, bottom) = area(state);
    let mut laid = Laying::default();
    let found = lesson::lesson(&state.reader, &state.shared)
        .zip(lesson::section(&state.reader, &state.shared));
    if let Some((lesson, section)) = found {
        lay_section(state, lesson, section, usize::from(columns), &mut laid);
    }
    let Laying { rows, mut extent } = laid;
    extent.lines = rows.len();
    extent.room = usize::from(bottom.saturating_sub(top));
    extent.text = rows.iter().map(|(_, row)| row.text()).collect();
    Laid {
        rows,
        extent: Arc::new(extent),
    }
}

fn lay_section(
    state: &State,
    lesson: &Lesson,
    section: &Section,
    columns: usize,
    laid: &mut Laying,
) {
    let width = columns.saturating_sub(4);
    let env = env(&state.shared, lesson, &course::Setup::default());
    let resolve = |value: &text::Value| resolved(&env, value);
    let layout = Layout::new(width, &resolve)
        .ascii(state.shared.look.ascii)
        .shift(state.reader.shift);
    let first = state.reader.section == 0;
    if !first || section.title != lesson.title || !section.parts.is_empty() {
        laid.extent.breaks.push(0);
        laid.rows
            .push((2, Row::of(section.title.clone(), Role::Strong)));
    }
    let mut keys = 0;
    for (part, claim) in section.told() {
        if claim.is_some_and(|claim| withheld(&state.reader, &state.shared, claim)) {
            // Lint lets nothing that takes keys stand there; what did would have none.
            match part {
                Part::Live(block) if takes_keys(block) => {}
                _ => continue,
            }
        }
        match part {
            Part::Prose { body, .. } => {
                for block in &body.blocks {
                    laid.gap();
                    let page = layout.blocks(std::slice::from_ref(block));
                    laid.extent.shift = laid.extent.shift.max(page.max_shift);
                    laid.rows
                        .extend(page.lines.iter().map(|l| (2, Row::of_markup(l))));
                }
            }
            Part::Live(block) => {
                laid.gap();
                let focused = takes_keys(block) && state.reader.focus == Focus::Block(keys);
                let shown = live::lay(state, lesson, block, focused, columns.saturating_sub(2));
                laid.extent.shift = laid.extent.shift.max(shown.shift);
                let from = laid.rows.len();
                let done = state.reader.block(&lesson.id, block.number);
                if focused && (done.field.is_some() || state.shared.questions.field.is_some()) {
                    let typed = |row: &Row| row.text().contains(CURSOR);
                    let at = shown.rows.iter().position(typed);
                    laid.extent.field = at.map(|at| from + at);
                }
                if let Some(asked) = asked(&state.shared, block).filter(|_| focused) {
                    let at = question::cursor(state, &asked, &shown.rows);
                    laid.extent.cursor = at.map(|(at, lines)| (from + at, lines));
                } else if focused {
                    // A fusion of its list.
                    let here = |row: &Row| row.text().contains("►[");
                    let at = shown.rows.iter().position(here);
                    laid.extent.cursor = at.map(|at| (from + at, 1));
                }
                let whole = takes_keys(block).then_some(Target::Block(keys));
                laid.rows.extend(shown.rows.into_iter().map(|mut row| {
                    let width = row.width() as u16;
                    let spot = whole.map(|target| (0, width, target));
                    match focused {
                        // What is inside is clicked once the block has the keys.
                        true => row.spots.splice(0..0, spot).for_each(drop),
                        // A chart takes no keys; its points say their values.
                        false if whole.is_none() => {}
                        false => row.spots = spot.into_iter().collect(),
                    }
                    (1, row)
                }));
                if takes_keys(block) {
                    laid.extent.blocks.push((from, laid.rows.len() - from));
                    keys += 1;
                }
            }
        }
    }
}

/// An inline number as the page shows it, or what is wrong with it.
pub fn resolved(env: &Result<Env<'_>, String>, value: &text::Value) -> Resolved {
    let shown = match env {
        Ok(env) => Inline::of(value).show(env).map_err(|(_, why)| why),
        Err(why) => Err(why.clone()),
    };
    match shown {
        Ok(text) => Resolved::value(text),
        Err(why) => Resolved::error(format!("[{}: {why}]", value.expression)),
    }
}
