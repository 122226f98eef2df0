//! Lines that were laid out and wait to be drawn: lesson text, live blocks,
//! forms. Laying out comes first, because only it knows how long a page is.

use ratatui::buffer::Cell;
use ratatui::style::Modifier;

use super::pen::{Pen, clip, width, wrap};
use super::theme::Role;
use app::mouse::Target;

/// Text of one role.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Span {
    /// The characters.
    pub text: String,
    /// What they mean.
    pub role: Role,
    /// Bold, underlined, reversed beyond what the role has.
    pub extra: Modifier,
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Text from left to right.
    pub spans: Vec<Span>,
    /// Cells that were drawn already, in place of text.
    pub cells: Vec<Cell>,
    /// What can be clicked: first column, columns, what it is.
    pub spots: Vec<(u16, u16, Target)>,
}

impl Row {
    /// A line of one role.
    pub fn of(text: impl Into<String>, role: Role) -> Self {
        Row::default().and(text, role)
    }

    /// The line with more text at its end.
    #[must_use]
    pub fn and(mut self, text: impl Into<String>, role: Role) -> Self {
        self.spans.push(Span {
            text: text.into(),
            role,
            extra: Modifier::empty(),
        });
        self
    }

    /// The line, of which the last `columns` can be clicked.
    #[must_use]
    pub fn clicked(mut self, columns: usize, target: Target) -> Self {
        let from = self.width().saturating_sub(columns);
        self.spots.push((from as u16, columns as u16, target));
        self
    }

    /// The line with text that starts at `column` or, where that is passed
    /// already, two columns further.
    #[must_use]
    pub fn at(self, column: usize, text: impl Into<String>, role: Role) -> Self {
        let used = self.width();
        let gap = column
            .saturating_sub(used)
            .max(if used > column { 2 } else { 0 });
        self.and(" ".repeat(gap), Role::Text).and(text, role)
    }

    /// The line with text that ends at `column`, where there is room for it.
    #[must_use]
    pub fn right(self, column: usize, text: &str, role: Role) -> Self {
        let used = self.width();
        let needs = width(text);
        if used + needs > column {
            return self;
        }
        self.and(" ".repeat(column - used - needs), Role::Text)
            .and(text, role)
    }

    /// The line moved right by `columns`.
    #[must_use]
    pub fn indented(mut self, columns: usize) -> Self {
        if columns > 0 && !self.spans.is_empty() {
            for spot in &mut self.spots {
                spot.0 += columns as u16;
            }
            self.spans.insert(
                0,
                Span {
                    text: " ".repeat(columns),
                    ..Span::default()
                },
            );
        }
        self
    }

    /// The line as wide as `columns` where it is shorter.
    #[must_use]
    pub fn padded(self, columns: usize) -> Self {
        let free = columns.saturating_sub(self.width());
        self.and(" ".repeat(free), Role::Text)
    }

    /// The line cut to `columns`, with a mark where something is missing.
    #[must_use]
    fn clipped(mut self, columns: usize) -> Self {
        let mut left = columns;
        let mut full = false;
        self.spans.retain_mut(|span| {
            if full {
                return false;
            }
            let needs = width(&span.text);
            if needs > left {
                span.text = clip(&span.text, left);
                full = true;
            }
            left = left.saturating_sub(needs);
            true
        });
        self
    }

    /// Columns of the text.
    pub fn width(&self) -> usize {
        self.spans.iter().map(|s| width(&s.text)).sum::<usize>() + self.cells.len()
    }

    /// The text without roles.
    pub fn text(&self) -> String {
        self.spans.iter().map(|s| s.text.as_str()).collect()
    }

    /// A line as markup laid it out.
    pub fn of_markup(line: &text::Line) -> Self {
        let spans = line
            .spans
            .iter()
            .map(|s| {
                let (role, extra) = role(s.role);
                Span {
                    text: s.text.clone(),
                    role,
                    extra,
                }
            })
            .collect();
        Row {
            spans,
            ..Row::default()
        }
    }

    /// Draws the line.
    pub fn draw(&self, pen: &mut Pen<'_>, x: u16, y: u16) {
        let mut at = x;
        // What is spelled in more columns takes them from the next gap.
        let mut over = 0;
        for span in &self.spans {
            let wide = width(&span.text);
            let gap = wide > 1 && span.text.bytes().all(|b| b == b' ');
            let less = if gap { over.min(wide - 1) } else { 0 };
            let text = span.text.get(less..).unwrap_or_default();
            let end = pen.put(at, y, text, span.role);
            over = (over - less + usize::from(end - at)).saturating_sub(wide - less);
            if !span.extra.is_empty() {
                pen.add(at, y, end.saturating_sub(at), span.extra);
            }
            at = end;
        }
        pen.cells(at, y, &self.cells);
        for (from, columns, target) in &self.spots {
            pen.spot(x + from, y, *columns, *target);
        }
    }
}

/// The screen's role for a role of the text; what has no colour of its own has
/// a modifier.
fn role(role: text::Role) -> (Role, Modifier) {
    use text::Role as M;
    let none = Modifier::empty();
    match role {
        M::Text | M::Code => (Role::Text, none),
        M::String => (Role::String, none),
        M::Number => (Role::Number, none),
        M::Type => (Role::Type, none),
        M::Builtin => (Role::Builtin, none),
        M::Dim | M::Comment => (Role::Dim, none),
        M::Accent => (Role::Accent, none),
        M::Strong | M::Heading | M::Keyword => (Role::Strong, none),
        M::Emphasis => (Role::Text, Modifier::ITALIC),
        M::Link => (Role::Text, Modifier::UNDERLINED),
        M::Value => (Role::Modelled, none),
        M::Error => (Role::Bad, none),
    }
}

/// Words in lines of at most `columns`, all of one role.
pub fn words(text: &str, columns: usize, role: Role) -> Vec<Row> {
    wrap(text, columns.max(8))
        .into_iter()
        .map(|line| Row::of(line, role))
        .collect()
}

/// A word in its own role, and behind it a text wrapped beside it.
pub fn labelled(label: &str, role: Role, text: &str, columns: usize, gap: usize) -> Vec<Row> {
    let room = columns.saturating_sub(gap).max(12);
    let lines = wrap(text, room);
    let mut rows: Vec<Row> = lines
        .into_iter()
        .enumerate()
        .map(|(i, line)| {
            let head = if i == 0 { label } else { "" };
            Row::of(head, role).at(gap, line, Role::Text)
        })
        .collect();
    if rows.is_empty() {
        rows.push(Row::of(label, role));
    }
    rows
}

/// Lines in a box with a title in its upper wall; the box that has the keys
/// shows its title marked and reversed.
pub fn boxed(title: &str, hint: &str, keys: bool, columns: usize, rows: Vec<Row>) -> Vec<Row> {
    let inner = columns.saturating_sub(4);
    let title = clip(title, inner.saturating_sub(4));
    let hint = if width(&title) + width(hint) + 8 <= columns {
        hint
    } else {
        ""
    };
    let mut top = Row::of("┌", Role::Dim);
    top.spans.push(Span {
        // Seen without colour too.
        text: format!("{}{title} ", if keys { "►" } else { " " }),
        role: if keys { Role::Accent } else { Role::Dim },
        extra: if keys {
            Modifier::REVERSED
        } else {
            Modifier::empty()
        },
    });
    let tail = if hint.is_empty() {
        String::new()
    } else {
        format!(" {hint} ")
    };
    let line = columns.saturating_sub(top.width() + width(&tail) + 1);
    top = top
        .and("─".repeat(line), Role::Dim)
        .and(tail, Role::Dim)
        .and("┐", Role::Dim);
    let mut out = vec![top];
    for row in rows {
        let row = row.clipped(inner);
        let pad = inner.saturating_sub(row.width());
        let mut boxed = Row::of("│ ", Role::Dim);
        let moved = row.spots.iter().map(|(x, w, target)| (x + 2, *w, *target));
        boxed.spots = moved.collect();
        if row.cells.is_empty() {
            boxed.spans.extend(row.spans);
            boxed = boxed.and(" ".repeat(pad), Role::Text).and(" │", Role::Dim);
        } else {
            boxed.cells = row.cells;
            boxed.cells.resize_with(inner, Cell::default);
            let mut wall = Cell::default();
            wall.set_symbol("│");
            boxed.cells.extend([Cell::default(), wall]);
        }
        out.push(boxed);
    }
    out.push(
        Row::of("└", Role::Dim)
            .and("─".repeat(columns.saturating_sub(2)), Role::Dim)
            .and("┘", Role::Dim),
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_as_wide_as_it_is_told() {
        let rows = boxed(
            "live · lab",
            "Space flips",
            false,
            30,
            words("one two", 26, Role::Text),
        );
        let text: Vec<String> = rows.iter().map(Row::text).collect();
        assert_eq!(
            text,
            [
                "┌ live · lab ─── Space flips ┐",
                "│ one two                    │",
                "└────────────────────────────┘",
            ]
        );
    }

    #[test]
    fn what_is_spelled_in_more_columns_moves_nothing_at_the_right_edge() {
        let look = app::Look {
            ascii: true,
            ..app::Look::default()
        };
        let area = ratatui::layout::Rect::new(0, 0, 24, 1);
        let mut buffer = ratatui::buffer::Buffer::empty(area);
        let row = Row::of("S²/√M", Role::Text).right(24, "right", Role::Good);
        row.draw(&mut Pen::new(&mut buffer, area, look), 0, 0);
        let shown: String = buffer.content.iter().map(Cell::symbol).collect();
        assert_eq!(shown, "S^2/sqrt(M)        right");
    }

    #[test]
    fn text_at_a_column_never_runs_into_what_stands_before_it() {
        assert_eq!(
            Row::of("ab", Role::Text).at(4, "c", Role::Text).text(),
            "ab  c"
        );
        assert_eq!(
            Row::of("abcdef", Role::Text).at(4, "c", Role::Text).text(),
            "abcdef  c"
        );
        assert_eq!(
            Row::of("ab", Role::Text).right(6, "c", Role::Text).text(),
            "ab   c"
        );
    }
}
