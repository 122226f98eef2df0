//! A tree as rows of characters: fractions with a bar, scripts raised and
//! lowered, brackets that grow.

use super::boxes::{Grid, beside, over};
use super::symbols::{Class, Delimiter};
use super::{Formula, Node, Row, Style, classes, gap, linear};
use crate::span::{Role, Span, blanks, push, width};

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
    for (i, (node, class)) in row.iter().zip(&classes).enumerate() {
        if let Node::Space(n) = node {
            parts.push(Grid::text(&blanks(*n), Role::Text));
            continue;
        }
        let mut class = *class;
        // A dot beside a bar of a fraction would be read as part of it.
        let bar = |j: Option<usize>| matches!(j.and_then(|j| row.get(j)), Some(Node::Fraction(..)));
        if class == Class::Tight && (bar(i.checked_sub(1)) || bar(Some(i + 1))) {
            class = Class::Binary;
        }
        if let Some((left, left_class)) = before {
            let right_class = node.opening(class);
            let bars = matches!(left, Node::Fraction(..)) || matches!(node, Node::Fraction(..));
            let operands =
                matches!(left_class, Class::Ordinary) && matches!(right_class, Class::Ordinary);
            let columns = match size {
                Size::Script => 0,
                Size::Full => gap(left_class, right_class, true).max(usize::from(bars && operands)),
            };
            let columns = columns.max(usize::from(linear::words_touch(left, node, style)));
            parts.push(Grid::text(&blanks(columns), Role::Text));
        }
        before = Some((node, class));
        parts.push(node_grid(node, style, size));
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
    let big = base.class() == Class::Big && size == Size::Full;
    // `x²` needs no row of its own; in ASCII, `x^2` does not if nothing stands
    // below that the sign could be taken for part of.
    let level = body.rows.len() == 1 && !big && !(style.ascii && below.is_some());
    let sign = above
        .filter(|_| level)
        .and_then(|row| linear::raised(row, style));
    let below = below
        .map(|row| lay(row, style, Size::Script))
        .unwrap_or_default();
    let above = match sign {
        Some(sign) => Grid::text(sign, Role::Text),
        None => above
            .map(|row| lay(row, style, Size::Script))
            .unwrap_or_default(),
    };
    if big {
        return limits(body, below, above);
    }
    // Both scripts share a column beside the base: a row off it, or level with
    // the outer rows of a tall one.
    let columns = below.width.max(above.width);
    let tall = usize::from(body.rows.len() > 1);
    let raise = above
        .rows
        .len()
        .saturating_sub(tall.max(usize::from(sign.is_some())));
    let top = above.rows.len() - raise;
    let bottom = tall.min(below.rows.len());
    let between = body.rows.len().saturating_sub(top + bottom);
    let mut rows = above.columns(columns);
    rows.extend(vec![vec![Span::new(blanks(columns), Role::Text)]; between]);
    rows.extend(below.columns(columns));
    let scripts = Grid {
        rows,
        base: raise + body.base,
        width: columns,
    };
    beside(vec![body, scripts])
}

/// A sum with what it runs over.
fn limits(body: Grid, below: Grid, above: Grid) -> Grid {
    let columns = body.width.max(below.width).max(above.width);
    let base = above.rows.len() + body.base;
    let rows = [above, body, below]
        .into_iter()
        .flat_map(|grid| grid.centred(columns).rows)
        .collect();
    Grid {
        rows,
        base,
        width: columns,
    }
}
