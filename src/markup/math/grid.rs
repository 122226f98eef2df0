//! A tree as rows of characters: fractions with a bar, scripts raised and
//! lowered, brackets that grow.

use super::symbols::{Class, Delimiter};
use super::{Formula, Node, Row, Style, classes, gap, linear};
use crate::markup::span::{Role, Span, blanks, push, width};

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

impl Formula {
    /// The formula in two dimensions; `None` if it could not be read.
    pub fn grid(&self, style: &Style<'_>) -> Option<Grid> {
        let row = self.tree.as_ref().ok()?;
        let lines: Vec<&[Node]> = row.split(|node| *node == Node::Break).collect();
        if lines.len() == 1 && !row.contains(&Node::Align) {
            return Some(lay(row, style, Size::Full));
        }
        Some(align(&lines, style))
    }
}

/// Rows of a formula under each other, parted at `&` and lined up there.
fn align(lines: &[&[Node]], style: &Style<'_>) -> Grid {
    let cells: Vec<Vec<Grid>> = lines
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line| {
            let parts: Vec<&[Node]> = line.split(|node| *node == Node::Align).collect();
            let mut grids = Vec::new();
            for (i, part) in parts.iter().enumerate() {
                let mut grid = lay(part, style, Size::Full);
                // A part that begins with a relation keeps its distance.
                let class = classes(part).first().copied().unwrap_or(Class::Open);
                if i > 0 && matches!(class, Class::Relation | Class::Binary | Class::Ordinary) {
                    let space = if class == Class::Relation { 2 } else { 0 };
                    grid = beside(vec![Grid::text(&blanks(space), Role::Text), grid]);
                }
                grids.push(grid);
            }
            grids
        })
        .collect();
    let columns = cells.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|c| {
            cells
                .iter()
                .filter_map(|line| line.get(c))
                .map(|g| g.width)
                .max()
                .unwrap_or(0)
        })
        .collect();
    let mut out = Grid::default();
    for line in cells {
        let padded: Vec<Grid> = widths
            .iter()
            .zip(line.into_iter().map(Some).chain(std::iter::repeat(None)))
            .enumerate()
            .map(|(i, (width, grid))| grid.unwrap_or_default().widened(*width, i % 2 == 0))
            .collect();
        let line = beside(padded);
        out = if out.rows.is_empty() {
            line
        } else {
            over(out, line)
        };
    }
    out.base = out.rows.len() / 2;
    out
}

/// Scripts are set without spaces and without fractions of their own.
#[derive(Clone, Copy, PartialEq)]
enum Size {
    Full,
    Script,
}

fn lay(row: &[Node], style: &Style<'_>, size: Size) -> Grid {
    let classes = classes(row);
    let mut parts: Vec<Grid> = Vec::new();
    let mut before: Option<(&Node, Class)> = None;
    for (node, class) in row.iter().zip(classes) {
        if let Node::Space(n) = node {
            parts.push(Grid::text(&blanks(*n), Role::Text));
            continue;
        }
        let grid = node_grid(node, style, size);
        if let Some((left, left_class)) = before {
            let mut columns = match size {
                Size::Full => gap(left_class, class, true),
                Size::Script => 0,
            };
            let loose = |c| {
                matches!(
                    c,
                    Class::Ordinary | Class::Tight | Class::Function | Class::Big
                )
            };
            let bar = matches!(left, Node::Fraction(..)) || matches!(node, Node::Fraction(..));
            if columns == 0 && bar && loose(left_class) && loose(class) {
                columns = 1;
            }
            if columns == 0 && linear::words_touch(left, node, style) {
                columns = 1;
            }
            parts.push(Grid::text(&blanks(columns), Role::Text));
        }
        before = Some((node, class));
        parts.push(grid);
    }
    beside(parts)
}

fn node_grid(node: &Node, style: &Style<'_>, size: Size) -> Grid {
    match node {
        Node::Sign { text, ascii, .. } => {
            Grid::text(if style.ascii { ascii } else { text }, Role::Text)
        }
        Node::Value(value) => {
            let shown = (style.resolve)(value);
            let text = shown.clean(style.ascii);
            Grid::text(&text, shown.role)
        }
        Node::Space(n) => Grid::text(&blanks(*n), Role::Text),
        Node::Align | Node::Break => Grid::default(),
        Node::Group(row) => lay(row, style, size),
        Node::Fraction(above, below) => match size {
            Size::Full => fraction(lay(above, style, size), lay(below, style, size), style),
            Size::Script => Grid::of(linear::line(std::slice::from_ref(node), style, true)),
        },
        Node::Root(row) => root(row, lay(row, style, size), style),
        Node::Fence(open, row, close) => fence(*open, lay(row, style, size), *close, style),
        Node::Script { base, below, above } => {
            script(base, below.as_ref(), above.as_ref(), style, size)
        }
    }
}

fn fraction(above: Grid, below: Grid, style: &Style<'_>) -> Grid {
    let columns = above.width.max(below.width) + 2;
    let bar = if style.ascii { "-" } else { "─" };
    let mut rows = above.centred(columns).rows;
    let base = rows.len();
    rows.push(vec![Span::new(bar.repeat(columns), Role::Text)]);
    rows.extend(below.centred(columns).rows);
    Grid {
        rows,
        base,
        width: columns,
    }
}

fn root(row: &Row, body: Grid, style: &Style<'_>) -> Grid {
    let sign = if style.ascii { "sqrt" } else { "√" };
    if body.rows.len() > 1 && !style.ascii {
        let mut rows = vec![vec![Span::new(
            format!(" ┌{}", "─".repeat(body.width + 1)),
            Role::Text,
        )]];
        let last = body.rows.len();
        for (i, spans) in body.rows.into_iter().enumerate() {
            let mut line = Vec::new();
            push(
                &mut line,
                if i + 1 == last { "√│ " } else { " │ " },
                Role::Text,
            );
            line.extend(spans);
            rows.push(line);
        }
        return Grid {
            rows,
            base: body.base + 1,
            width: body.width + 3,
        };
    }
    let bare = !style.ascii && linear::is_atom(row);
    let delimiter = if bare {
        Delimiter::None
    } else {
        Delimiter::Round
    };
    beside(vec![
        Grid::text(sign, Role::Text),
        fence(delimiter, body, delimiter, style),
    ])
}

fn fence(open: Delimiter, body: Grid, close: Delimiter, style: &Style<'_>) -> Grid {
    let height = body.rows.len().max(1);
    let base = body.base;
    let side = |delimiter: Delimiter, closing| {
        let texts = delimiter.tall(height, closing, style.ascii);
        let columns = texts.iter().map(|t| width(t)).max().unwrap_or(0);
        let rows = texts
            .into_iter()
            .map(|t| vec![Span::new(t, Role::Text)])
            .collect();
        Grid {
            rows,
            base,
            width: columns,
        }
    };
    let word = if height > 1 {
        open.word(style.ascii)
    } else {
        ""
    };
    beside(vec![
        Grid::text(word, Role::Text),
        side(open, false),
        body,
        side(close, true),
    ])
}

fn script(
    base: &Node,
    below: Option<&Row>,
    above: Option<&Row>,
    style: &Style<'_>,
    size: Size,
) -> Grid {
    let mut body = node_grid(base, style, size);
    if body.rows.is_empty() {
        body.rows.push(Vec::new());
    }
    if let (None, Some(above), 1) = (below, above, body.rows.len())
        && let Some(raised) = linear::raised(above, style)
    {
        return beside(vec![body, Grid::text(raised, Role::Text)]);
    }
    let below = below.map(|row| lay(row, style, Size::Script));
    let above = above.map(|row| lay(row, style, Size::Script));
    if base.class() == Class::Big && size == Size::Full {
        return limits(body, below, above);
    }
    // Scripts share a column beside the base, one row off it, or level with
    // its outer rows where it is tall.
    let columns = below
        .iter()
        .chain(&above)
        .map(|g| g.width)
        .max()
        .unwrap_or(0);
    let lap = usize::from(body.rows.len() > 1);
    let height = body.rows.len();
    let mut rows: Vec<Vec<Span>> = Vec::new();
    let raise = above
        .as_ref()
        .map_or(0, |g| g.rows.len().saturating_sub(lap));
    let lower = below
        .as_ref()
        .map_or(0, |g| g.rows.len().saturating_sub(lap));
    let below_at = raise + height - lap.min(height);
    for r in 0..raise + height + lower {
        let mut line = match r.checked_sub(raise).and_then(|r| body.rows.get(r)) {
            Some(spans) => spans.clone(),
            None => vec![Span::new(blanks(body.width), Role::Text)],
        };
        let upper = above
            .as_ref()
            .and_then(|g| g.rows.get(r).map(|s| (s, g.width)));
        let under = below.as_ref().and_then(|g| {
            r.checked_sub(below_at)
                .and_then(|i| g.rows.get(i))
                .map(|s| (s, g.width))
        });
        match upper.or(under) {
            Some((spans, w)) => {
                line.extend(spans.iter().cloned());
                push(&mut line, blanks(columns - w), Role::Text);
            }
            None => push(&mut line, blanks(columns), Role::Text),
        }
        rows.push(line);
    }
    Grid {
        rows,
        base: raise + body.base,
        width: body.width + columns,
    }
}

/// A sum with what it runs over.
fn limits(body: Grid, below: Option<Grid>, above: Option<Grid>) -> Grid {
    let columns = below
        .iter()
        .chain(&above)
        .map(|g| g.width)
        .max()
        .unwrap_or(0)
        .max(body.width);
    let base = above.as_ref().map_or(0, |g| g.rows.len()) + body.base;
    let rows = above
        .into_iter()
        .chain([body])
        .chain(below)
        .flat_map(|grid| grid.centred(columns).rows)
        .collect();
    Grid {
        rows,
        base,
        width: columns,
    }
}

/// Grids side by side, their base rows on one line.
fn beside(parts: Vec<Grid>) -> Grid {
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
fn over(above: Grid, below: Grid) -> Grid {
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

    fn of(spans: Vec<Span>) -> Self {
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

    fn padded(self, left: usize, right: usize) -> Self {
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

    fn centred(self, columns: usize) -> Self {
        let spare = columns.saturating_sub(self.width);
        self.padded(spare / 2, spare - spare / 2)
    }

    fn widened(self, columns: usize, right: bool) -> Self {
        let spare = columns.saturating_sub(self.width);
        if self.rows.is_empty() {
            return Self::text(&blanks(columns), Role::Text);
        }
        if right {
            self.padded(spare, 0)
        } else {
            self.padded(0, spare)
        }
    }
}
