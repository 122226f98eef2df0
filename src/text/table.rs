//! Tables: columns aligned, numbers on their decimal point, wide ones wrapped
//! or scrolled sideways by column with the first column held.

use super::element::{Alignment, Table};
use super::math::Style;
use super::span::{Role, Span, blanks, clip, push, width};
use super::wrap::Flow;

/// Columns of words are not narrowed below this.
const NARROWEST: usize = 16;

/// A table laid out.
pub(super) struct Laid {
    pub(super) rows: Vec<Vec<Span>>,
    /// Columns of the table that are not shown.
    pub(super) hidden: usize,
    /// Largest shift that shows something new.
    pub(super) max_shift: usize,
}

struct Column {
    alignment: Alignment,
    /// Every body cell is a number or a placeholder for one.
    numeric: bool,
    /// Columns before and after the decimal point, if `numeric`.
    left: usize,
    right: usize,
    width: usize,
    /// Not narrowed below this.
    least: usize,
}

/// Lays out `table` in at most `columns` columns of the screen; `shift`
/// columns of the table after the first are scrolled away.
pub(super) fn lay(table: &Table, style: &Style<'_>, columns: usize, shift: usize) -> Laid {
    part(table, style, columns, shift, true)
}

/// The same with every column shown: those for which there is no room stand below, behind
/// the first one again.
pub(super) fn parts(table: &Table, style: &Style<'_>, columns: usize) -> Laid {
    let mut rows: Vec<Vec<Span>> = Vec::new();
    let mut shift = 0;
    loop {
        let laid = part(table, style, columns, shift, false);
        if !rows.is_empty() {
            rows.push(Vec::new());
        }
        rows.extend(laid.rows);
        if shift >= laid.max_shift {
            break;
        }
        let shown = table.head.len().saturating_sub(laid.hidden + 1);
        shift = (shift + shown.max(1)).min(laid.max_shift);
    }
    Laid {
        rows,
        hidden: 0,
        max_shift: 0,
    }
}

/// `marked`: signs say where columns are hidden.
fn part(table: &Table, style: &Style<'_>, columns: usize, shift: usize, marked: bool) -> Laid {
    let head: Vec<Flow> = table
        .head
        .iter()
        .map(|c| Flow::of(c, Role::Dim, style))
        .collect();
    let body: Vec<Vec<Flow>> = table
        .rows
        .iter()
        .map(|row| row.iter().map(|c| Flow::of(c, Role::Text, style)).collect())
        .collect();
    let mut cols: Vec<Column> = head
        .iter()
        .enumerate()
        .map(|(i, head)| {
            let alignment = table.alignments.get(i).copied().unwrap_or_default();
            column(head, body.iter().filter_map(|row| row.get(i)), alignment)
        })
        .collect();
    let n = cols.len();
    let natural: usize = cols.iter().map(|c| c.width).sum();
    let gap = if natural + 3 * n.saturating_sub(1) <= columns {
        3
    } else {
        2
    };
    fit(
        &mut cols,
        columns.saturating_sub(gap * n.saturating_sub(1)),
        columns,
    );

    tighten(&mut cols, &head, &body);

    let (show, max_shift) = window(&cols, columns, gap, shift);
    let hidden = n - show.len().min(n);
    let marks = Marks {
        left: marked && show.get(1).is_some_and(|c| *c > 1),
        right: marked && show.last().is_some_and(|c| c + 1 < n),
        ascii: style.ascii,
    };
    let draw = |cells: &[Flow], role| draw_row(cells, &cols, &show, gap, &marks, role);
    let mut rows = Vec::new();
    if table.head.iter().any(|cell| !cell.is_empty()) {
        rows.extend(draw(&head, Role::Dim));
    }
    rows.extend(body.iter().flat_map(|row| draw(row, Role::Text)));
    let rows = rows
        .into_iter()
        .map(|row| clip(&row, 0, columns, style.ascii))
        .collect();
    Laid {
        rows,
        hidden,
        max_shift,
    }
}

fn column<'a>(head: &Flow, cells: impl Iterator<Item = &'a Flow>, alignment: Alignment) -> Column {
    let texts: Vec<String> = cells.map(|c| text(&c.line())).collect();
    let points: Vec<Option<(usize, usize)>> = texts.iter().map(|t| point(t)).collect();
    let numbers = matches!(alignment, Alignment::Auto | Alignment::Right)
        && texts
            .iter()
            .any(|t| t.contains(|c: char| c.is_ascii_digit()))
        && points.iter().all(Option::is_some);
    // Numbers of one unit stand with their points below each other; flush right
    // is what the author asked for.
    let numeric = numbers && alignment == Alignment::Auto;
    let (mut left, mut right) = (0, 0);
    if numeric {
        left = points.iter().flatten().map(|p| p.0).max().unwrap_or(0);
        right = points.iter().flatten().map(|p| p.1).max().unwrap_or(0);
    }
    let body = texts
        .iter()
        .map(|t| width(t))
        .max()
        .unwrap_or(0)
        .max(left + right);
    let head = text(&head.line());
    let width_wanted = body.max(width(&head));
    // Numbers are never parted, the words above them are.
    let longest = head.split(' ').map(width).max().unwrap_or(0);
    let least = if numbers {
        body.max(longest)
    } else {
        width_wanted.min(NARROWEST)
    };
    Column {
        alignment,
        numeric,
        left,
        right,
        width: width_wanted,
        least,
    }
}

/// Columns before and after the decimal point of a cell that is a number with
/// at most a sign and a unit, or a placeholder for a number.
pub(super) fn point(cell: &str) -> Option<(usize, usize)> {
    let cell = cell.trim();
    if matches!(cell, "" | "·" | "–" | "—" | "-" | "*" | "?") {
        return Some((width(cell), 0));
    }
    let signs = cell.len()
        - cell
            .trim_start_matches(['+', '-', '−', 'x', '×', '~', '≈', '<', '>', ' '])
            .len();
    let number = cell.get(signs..)?;
    let whole = number
        .find(|c: char| !(c.is_ascii_digit() || c == ','))
        .unwrap_or(number.len());
    if whole == 0 {
        return None;
    }
    let (_, rest) = number.split_at(whole);
    let digits = |s: &str| s.find(|c: char| !c.is_ascii_digit()).unwrap_or(s.len());
    let fraction = match rest.strip_prefix('.') {
        Some(after) => 1 + digits(after),
        None => 0,
    };
    let unit = rest.get(fraction..)?.trim_start();
    let plain =
        width(unit) <= 8 && !unit.contains(|c: char| c.is_whitespace() || c.is_ascii_digit());
    let before = width(cell.get(..signs + whole)?);
    plain.then(|| (before, width(cell) - before))
}

/// Narrows columns, the widest first, until all fit into `room`; if
/// that is not enough they scroll, and none is wider than can stand beside
/// the first in `columns`.
fn fit(cols: &mut [Column], room: usize, columns: usize) {
    let total = |cols: &[Column]| cols.iter().map(|c| c.width).sum::<usize>();
    if cols.iter().map(|c| c.least).sum::<usize>() <= room {
        while total(cols) > room {
            let over = total(cols) - room;
            let slack = cols.iter_mut().filter(|c| c.width > c.least);
            let Some(widest) = slack.max_by_key(|c| c.width) else {
                return;
            };
            // By halves of what is over, so that equals stay near each other.
            widest.width = widest
                .width
                .saturating_sub(over.div_ceil(2))
                .max(widest.least);
        }
        return;
    }
    let first_most = (columns / 2).max(1);
    let mut first = 0;
    for (i, col) in cols.iter_mut().enumerate() {
        if i == 0 {
            col.width = col.width.min(first_most);
            first = col.width;
        } else {
            col.width = col.width.min(columns.saturating_sub(first + 4).max(1));
        }
    }
}

/// Takes what wrapping left over at the right of columns of words.
fn tighten(cols: &mut [Column], head: &[Flow], body: &[Vec<Flow>]) {
    for (i, col) in cols.iter_mut().enumerate() {
        let cells = body
            .iter()
            .filter(|_| !col.numeric)
            .filter_map(|row| row.get(i));
        let lines = cells
            .chain(head.get(i))
            .flat_map(|cell| cell.wrap(col.width));
        let used = lines.map(|line| width(&text(&line))).max().unwrap_or(0);
        let least = if col.numeric { col.least } else { used };
        col.width = used.max(least).min(col.width);
    }
}

/// The columns shown at `shift`, and the largest shift of use.
fn window(cols: &[Column], columns: usize, gap: usize, shift: usize) -> (Vec<usize>, usize) {
    let n = cols.len();
    let all = cols.iter().map(|c| c.width).sum::<usize>() + gap * n.saturating_sub(1);
    if all <= columns || n < 2 {
        return ((0..n).collect(), 0);
    }
    // Two columns are kept for the mark at the right.
    let first = cols.first().map_or(0, |c| c.width);
    let shown = |from: usize| {
        let mut used = first;
        let mut show = vec![0];
        for (i, col) in cols.iter().enumerate().skip(from) {
            let mark = if i + 1 < n { 2 } else { 0 };
            if used + gap + col.width + mark > columns && show.len() > 1 {
                break;
            }
            used += gap + col.width;
            show.push(i);
        }
        show
    };
    let max_shift = (0..n - 1)
        .find(|s| shown(1 + s).last().is_some_and(|l| l + 1 == n))
        .unwrap_or(n - 2);
    (shown(1 + shift.min(max_shift)), max_shift)
}

struct Marks {
    left: bool,
    right: bool,
    ascii: bool,
}

/// One row of the table, as many lines as its tallest cell.
fn draw_row(
    cells: &[Flow],
    cols: &[Column],
    show: &[usize],
    gap: usize,
    marks: &Marks,
    role: Role,
) -> Vec<Vec<Span>> {
    let is_head = role == Role::Dim;
    let (left_mark, right_mark) = if marks.ascii {
        ("<", ">")
    } else {
        ("◄", "►")
    };
    let wrapped: Vec<(usize, Vec<Vec<Span>>)> = show
        .iter()
        .filter_map(|i| Some((*i, cols.get(*i)?, cells.get(*i)?)))
        .map(|(i, col, cell)| {
            (
                i,
                if col.numeric && !is_head {
                    vec![cell.line()]
                } else {
                    cell.wrap(col.width)
                },
            )
        })
        .collect();
    let height = wrapped
        .iter()
        .map(|(_, lines)| lines.len())
        .max()
        .unwrap_or(0);
    let mut out = Vec::new();
    for r in 0..height {
        let mut line = Vec::new();
        for (nth, (i, lines)) in wrapped.iter().enumerate() {
            let Some(col) = cols.get(*i) else { continue };
            if nth > 0 {
                let mark = nth == 1 && marks.left && r == 0 && is_head;
                let free = gap - usize::from(mark);
                push(&mut line, blanks(free), Role::Text);
                if mark {
                    push(&mut line, left_mark, Role::Dim);
                }
            }
            // Words of several lines stand at the top, heads at the bottom.
            let skip = if is_head { height - lines.len() } else { 0 };
            let cell = r.checked_sub(skip).and_then(|r| lines.get(r));
            let cell = cell
                .map(|spans| clip(spans, 0, col.width, marks.ascii))
                .unwrap_or_default();
            place(&mut line, cell, col, is_head);
        }
        if marks.right && is_head && r + 1 == height {
            push(&mut line, " ", Role::Text);
            push(&mut line, right_mark, Role::Dim);
        }
        trim(&mut line);
        out.push(line);
    }
    out
}

fn place(line: &mut Vec<Span>, cell: Vec<Span>, col: &Column, is_head: bool) {
    let spare = col
        .width
        .saturating_sub(cell.iter().map(|s| width(&s.text)).sum());
    let before = if col.numeric && !is_head {
        let shown = text(&cell);
        let (left, _) = point(&shown).unwrap_or((0, 0));
        // The whole column stands at the right of a wider head.
        let ahead = col.width.saturating_sub(col.left + col.right);
        (ahead + col.left.saturating_sub(left)).min(spare)
    } else {
        match col.alignment {
            _ if col.numeric => spare,
            Alignment::Right => spare,
            Alignment::Centre => spare / 2,
            Alignment::Auto | Alignment::Left => 0,
        }
    };
    push(line, blanks(before), Role::Text);
    for span in &cell {
        push(line, &span.text, span.role);
    }
    push(line, blanks(spare - before), Role::Text);
}

/// Takes blanks from the end of a line.
fn trim(line: &mut Vec<Span>) {
    while let Some(last) = line.last_mut() {
        let kept = last.text.trim_end_matches(' ').len();
        last.text.truncate(kept);
        if kept > 0 {
            break;
        }
        line.pop();
    }
}

fn text(spans: &[Span]) -> String {
    spans.iter().map(|s| s.text.as_str()).collect()
}
