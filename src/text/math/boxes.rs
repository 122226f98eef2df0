//! Blocks of characters, put beside and above each other.

use crate::span::{Role, Span, blanks, push, width};

/// Characters in two dimensions, every row `width` columns wide.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// From top to bottom.
    pub rows: Vec<Vec<Span>>,
    /// Row that lines up with the text around it.
    pub base: usize,
    /// Columns of every row.
    pub width: usize,
}

/// Grids side by side, their base rows on one line.
pub(super) fn beside(parts: Vec<Grid>) -> Grid {
    let parts: Vec<Grid> = parts.into_iter().filter(|g| !g.rows.is_empty()).collect();
    let base = parts.iter().map(|g| g.base).max().unwrap_or(0);
    let deep = parts
        .iter()
        .map(|g| g.rows.len() - g.base.min(g.rows.len()))
        .max()
        .unwrap_or(0);
    let mut rows: Vec<Vec<Span>> = vec![Vec::new(); base + deep];
    for part in &parts {
        let top = base - part.base;
        for (r, row) in rows.iter_mut().enumerate() {
            match r.checked_sub(top).and_then(|i| part.rows.get(i)) {
                Some(spans) => {
                    for span in spans {
                        push(row, &span.text, span.role);
                    }
                }
                None => push(row, blanks(part.width), Role::Text),
            }
        }
    }
    Grid {
        rows,
        base,
        width: parts.iter().map(|g| g.width).sum(),
    }
}

/// One grid above another, both from the left.
pub(super) fn over(above: Grid, below: Grid) -> Grid {
    let columns = above.width.max(below.width);
    let base = above.base;
    let mut rows = above.widened(columns, false).rows;
    rows.extend(below.widened(columns, false).rows);
    Grid {
        rows,
        base,
        width: columns,
    }
}

impl Grid {
    /// One row of `text`; no rows if it is empty.
    pub(super) fn text(text: &str, role: Role) -> Self {
        Self::of(if text.is_empty() {
            Vec::new()
        } else {
            vec![Span::new(text, role)]
        })
    }

    pub(super) fn of(spans: Vec<Span>) -> Self {
        let columns = spans.iter().map(|s| width(&s.text)).sum();
        let rows = if spans.is_empty() {
            Vec::new()
        } else {
            vec![spans]
        };
        Self {
            rows,
            base: 0,
            width: columns,
        }
    }

    pub(super) fn padded(self, left: usize, right: usize) -> Self {
        let rows = self
            .rows
            .into_iter()
            .map(|spans| {
                let mut line = Vec::new();
                push(&mut line, blanks(left), Role::Text);
                for span in spans {
                    push(&mut line, &span.text, span.role);
                }
                push(&mut line, blanks(right), Role::Text);
                line
            })
            .collect();
        Self {
            rows,
            base: self.base,
            width: self.width + left + right,
        }
    }

    pub(super) fn centred(self, columns: usize) -> Self {
        let spare = columns.saturating_sub(self.width);
        self.padded(spare / 2, spare - spare / 2)
    }

    /// The rows, filled up to `columns`.
    pub(super) fn columns(self, columns: usize) -> Vec<Vec<Span>> {
        let spare = columns.saturating_sub(self.width);
        self.padded(0, spare).rows
    }

    pub(super) fn widened(self, columns: usize, right: bool) -> Self {
        if self.rows.is_empty() {
            return Self::text(&blanks(columns), Role::Text);
        }
        let spare = columns.saturating_sub(self.width);
        if right {
            self.padded(spare, 0)
        } else {
            self.padded(0, spare)
        }
    }
}
