//! Figures of merit of plans side by side, and the kernels of one of them by time.

use super::frame;
use super::pen::{Pen, clip, width, wrap};
use super::theme::Role;
use app::figure::Origin;
use app::merit::Pane;
use app::mouse::Target;
use study::lab::merit::{Merit, NAME, apart, cached, hotspots, rows, sources};

/// Where the columns of plans begin, and where the last of four ends.
const PLANS: [u16; 2] = [22, 78];
/// Columns of a plan at most: a long title has room, and its figures stay near the labels.
const WIDEST: u16 = 28;
/// Right edges of the columns of hotspots, behind the kernels' names.
const HOT: [u16; 7] = [31, 40, 47, 55, 63, 71, 79];
/// Columns more for the names of kernels, at most.
const MORE: u16 = 24;

/// What is drawn: plans with their figures, the one under the cursor.
pub struct Plans<'s> {
    /// What people call them.
    pub titles: Vec<String>,
    /// Their figures; none where one was not run.
    pub merits: Vec<Option<Merit>>,
    /// The one under the cursor.
    pub at: usize,
    /// What a run would give, while nothing was run.
    pub before: &'s [String],
}

impl Plans<'_> {
    /// Draws the pane of a page: figures with what of the hotspots there is room for, or
    /// hotspots alone.
    pub fn draw(&self, pane: Pane, pen: &mut Pen<'_>) {
        if self.merits.iter().all(Option::is_none) {
            self.nothing(pane, pen);
        } else if pane == Pane::Hotspots {
            self.hotspots(pen, true);
        } else {
            let y = self.figures(pen) + 1;
            let room = pen.height().saturating_sub(y);
            if room >= 8 {
                self.hotspots(&mut pen.part(0, y, pen.width(), room), false);
            }
        }
    }

    fn nothing(&self, pane: Pane, pen: &mut Pen<'_>) {
        let page = match pane {
            Pane::Hotspots => "Hotspots, the kernels by time",
            _ => "Figures of merit",
        };
        let text = format!("{page}: nothing was run yet.");
        pen.put(1, 0, &text, Role::Strong);
        for (y, line) in (2..).zip(self.before) {
            let (x, role) = if y == 2 {
                (1, Role::Accent)
            } else {
                (3, Role::Text)
            };
            pen.put(x, y, &clip(line, usize::from(pen.width() - x)), role);
        }
    }

    /// The figures of all plans, what they are of below; the row behind them.
    pub fn figures(&self, pen: &mut Pen<'_>) -> u16 {
        pen.put(1, 0, "per forward", Role::Strong);
        let [from, to] = PLANS;
        let many = u16::try_from(self.titles.len()).unwrap_or(1).max(1);
        let each = ((to - from) / many).min(WIDEST);
        let edges = || (1..=many).map(|at| from + at * each);
        for ((at, edge), title) in edges().enumerate().zip(&self.titles) {
            let (role, mark) = match at == self.at {
                true => (Role::Accent, "▼"),
                false => (Role::Text, ""),
            };
            let title = clip(title, usize::from(each) - 2);
            let long = width(&title) as u16;
            let end = pen.put(edge - long, 0, &title, role);
            pen.spot(edge - long, 0, long, Target::Column(at));
            pen.put(end, 0, mark, Role::Accent);
        }
        let mut y = 1;
        for row in rows(&self.merits) {
            pen.put(1, y, &row.label, Role::Text);
            for (edge, cell) in edges().zip(&row.cells) {
                pen.right(edge, y, cell, role(row.origin));
            }
            y += 1;
        }
        for said in sources(&self.merits) {
            for line in wrap(&said, usize::from(pen.width()).min(80) - 2) {
                pen.put(1, y, &line, Role::Dim);
                y += 1;
            }
        }
        y
    }

    /// The figures of the plan under the cursor alone.
    pub fn narrow(&self, pen: &mut Pen<'_>) {
        let own: Vec<Option<Merit>> = self.merits.get(self.at).cloned().into_iter().collect();
        let rows = rows(&own);
        if rows.is_empty() {
            return;
        }
        pen.put(1, 0, "figures of merit, per forward", Role::Strong);
        for (y, row) in (1..pen.height()).zip(rows) {
            pen.put(1, y, &row.label, Role::Text);
            let cell = row.cells.first().map_or("", String::as_str);
            pen.right(37, y, cell, role(row.origin));
        }
    }

    /// The kernels of the plan under the cursor; `alone`: what its shares are of stands
    /// nowhere else.
    pub fn hotspots(&self, pen: &mut Pen<'_>, alone: bool) {
        let title = self.titles.get(self.at).map_or("", String::as_str);
        let merit = self.merits.get(self.at).and_then(Option::as_ref);
        let Some(times) = merit.and_then(|m| m.times.as_ref()) else {
            let text = match merit {
                None => format!("{title} was not run yet."),
                Some(m) if m.tokens_per_second.is_none() => {
                    format!("What ran {title} has no clock: no times of its kernels.")
                }
                Some(_) => format!("When the kernels of {title} ran was not recorded."),
            };
            pen.put(1, 0, &text, Role::Dim);
            return;
        };
        let more = pen.width().saturating_sub(frame::LEFT).min(MORE);
        let room = NAME + usize::from(more);
        let table = hotspots(times, room);
        let head = format!("{title}, kernels");
        pen.put(1, 0, &clip(&head, room), Role::Strong);
        let edges = || HOT.into_iter().map(|edge| edge + more);
        for (edge, head) in edges().zip(table.head.iter().skip(1)) {
            pen.right(edge, 0, head, Role::Dim);
        }
        let said = [cached(times), apart(times).filter(|_| alone)];
        let room = usize::from(pen.width()).min(80) - 2;
        let said: Vec<String> = said
            .iter()
            .flatten()
            .flat_map(|said| wrap(said, room))
            .collect();
        let rows = usize::from(pen.height().saturating_sub(1)).saturating_sub(said.len());
        let shown = match table.rows.len() > rows {
            true => rows.saturating_sub(1),
            false => table.rows.len(),
        };
        let mut y = 1;
        for row in table.rows.iter().take(shown) {
            let name = row.first().map_or("", String::as_str);
            pen.put(1, y, &clip(name, room), Role::Text);
            for (edge, cell) in edges().zip(row.iter().skip(1)) {
                pen.right(edge, y, cell, Role::Measured);
            }
            y += 1;
        }
        if let left @ 1.. = table.rows.len() - shown {
            pen.put(1, y, &format!("{left} more of less time"), Role::Dim);
            y += 1;
        }
        for line in said {
            pen.put(1, y, &line, Role::Dim);
            y += 1;
        }
    }
}

fn role(origin: Origin) -> Role {
    match origin {
        Origin::Modelled => Role::Modelled,
        Origin::Issued => Role::Issued,
        Origin::Measured => Role::Measured,
    }
}
