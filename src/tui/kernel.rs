//! The kernel page: source and facts, the comparison with the version before,
//! PTX.

mod facts;
mod flow;
mod source;

pub(super) use source::role as code_role;

use super::frame;
use super::pen::{Pen, clip, width, wrap};
use super::theme::Role;
use app::book::{Book, Kernel};
use app::kernel::diff::{DiffLine, Sign};
use app::kernel::heat;
use app::kernel::{View, before, book, compared, kernel, own_files, replaced};
use app::mouse::Target;
use app::{State, figure};
use plan::cost::Cost;
use plan::model::OpKind;

/// Columns of the source where the facts stand beside it on 80.
const LEFT: u16 = 52;

/// Draws the page.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let last = pen.height().saturating_sub(1);
    let (columns, top) = (pen.width(), top(state));
    let height = last.saturating_sub(1 + top);
    if state.shared.two_panes() {
        pen.rule(0, columns, 2);
    }
    match kernel(&state.kernel, &state.shared) {
        None => {
            pen.put(
                1,
                top + 1,
                "Looking up the kernels of this plan.",
                Role::Dim,
            );
        }
        Some(Err(why)) => missing(why, &mut pen.part(1, top + 1, columns - 2, height)),
        Some(Ok((book, kernel))) => match state.kernel.view {
            View::Source | View::Torch => {
                let left = source_columns(state, columns);
                source::draw(state, &mut pen.part(0, top, left, height));
                if left < columns {
                    pen.upright(left, top, top + height);
                    if state.shared.two_panes() {
                        pen.put(left, 2, "┬", Role::Dim);
                    }
                    let room = columns - left - 1;
                    let mut part = pen.part(left + 1, top, room, height);
                    facts::draw(state, book, kernel, &mut part);
                }
            }
            View::Diff => comparison(state, book, kernel, &mut pen.part(0, top, columns, height)),
            View::Ptx => ptx(state, book, kernel, &mut pen.part(0, top, columns, height)),
        },
    }
    let counts = heat::line(&state.kernel, &state.shared).unwrap_or_default();
    frame::message(state, &counts, "", pen, last - 1);
}

/// Tells the state which lines are on the screen.
pub fn fit(state: &mut State) {
    let (columns, rows) = state.shared.size;
    let height = usize::from(rows.saturating_sub(2 + top(state)));
    let line = state.kernel.line;
    state.kernel.top = match state.kernel.view {
        View::Source | View::Torch => {
            let left = source_columns(state, columns);
            source::first_line(state, left, height.saturating_sub(source::AROUND))
        }
        View::Diff | View::Ptx => {
            let room = height.saturating_sub(HEAD).max(1);
            let top = state.kernel.top.min(line);
            top.max((line + 1).saturating_sub(room))
        }
    };
}

/// The row below the header.
fn top(state: &State) -> u16 {
    if state.shared.two_panes() { 3 } else { 1 }
}

fn source_columns(state: &State, columns: u16) -> u16 {
    match (state.kernel.alone, state.shared.two_panes()) {
        (true, _) => columns,
        (_, true) => columns - 31,
        _ => LEFT,
    }
}

/// Why there are no kernels.
fn missing(why: &str, pen: &mut Pen<'_>) {
    let room = usize::from(pen.width()).min(72);
    let say = "The lab shows what this plan costs; its kernels cannot be shown:";
    pen.put(0, 0, say, Role::Dim);
    for (y, line) in (2..).zip(wrap(why, room)) {
        pen.put(0, y, &line, Role::Warn);
    }
}

/// What the header says behind the page's name: `flash · qk softmax pv`.
pub fn place(state: &State) -> String {
    let Some(group) = app::kernel::group(&state.shared) else {
        return String::new();
    };
    let names: Vec<&str> = app::ribbon::SLOTS
        .iter()
        .take(group.last + 1)
        .skip(group.first)
        .map(|slot| slot.label.trim())
        .collect();
    let ops = if group.is_echo() {
        "res2 norm1".to_owned()
    } else if names.len() > 6 {
        format!("{} … {}", names[0], names[names.len() - 1])
    } else {
        names.join(" ")
    };
    match (kernel(&state.kernel, &state.shared), state.kernel.view) {
        (Some(Ok(_)), View::Diff) => format!("what changed · {ops}"),
        (Some(Ok((_, kernel))), _) => format!("{} · {ops}", kernel.entry),
        _ => ops,
    }
}

/// Rows above the lines of a comparison or of PTX.
const HEAD: usize = 3;

/// The kernels of the version before beside this one's.
fn comparison(state: &State, new_book: &Book, new: &Kernel, pen: &mut Pen<'_>) {
    let cut = state.shared.bench.cut();
    let Some(older) = before(cut) else { return };
    let old_book = match book(&state.kernel, &state.shared, older) {
        None => {
            pen.put(1, 0, "Looking up the previous version.", Role::Dim);
            return;
        }
        Some(Err(why)) => return missing(why, pen),
        Some(Ok(book)) => book,
    };
    let old = replaced(old_book, new);
    let old_cost = state.shared.bench.price_of(older).ok();
    let files = |book, kernels: &[&Kernel]| {
        let files: Vec<&str> = own_files(book, kernels)
            .iter()
            .map(|s| s.file.as_str())
            .collect();
        files.join(", ")
    };
    let heads = [
        (older.title(), files(old_book, &old), old_cost.as_ref()),
        (
            cut.title(),
            files(new_book, &[new]),
            Some(state.shared.bench.cost()),
        ),
    ];
    let sums: Vec<Option<Sum>> = heads
        .iter()
        .map(|(_, _, cost)| cost.map(|cost| sum(cost, &new.ops)))
        .collect();
    let largest = sums.iter().flatten().map(|s| s.bytes).max().unwrap_or(0);
    let column = figure::byte_column(largest);
    let edge = pen.width() - 1;
    for (y, ((title, files, _), sum)) in (0..).zip(heads.iter().zip(&sums)) {
        let end = pen.put(1, y, title, Role::Strong);
        let text = sum.as_ref().map_or(String::new(), |sum| {
            format!(
                "{}   {} {} =",
                figure::counted(sum.launches, "launch", "launches"),
                figure::bytes(column, sum.bytes),
                column.unit().symbol()
            )
        });
        let saved = match (y, &sums[..]) {
            (1, [Some(a), Some(b)]) => figure::saved(a.bytes as f64, b.bytes as f64, 2),
            _ => String::new(),
        };
        let at = edge - 12;
        pen.right(at, y, &text, Role::Modelled);
        pen.right(edge, y, &saved, Role::Text);
        let room = usize::from((at - width(&text) as u16).saturating_sub(end + 3));
        pen.put(end + 2, y, &clip(files, room), Role::Text);
    }
    let lines = compared(&state.kernel, &state.shared).unwrap_or_default();
    if lines.is_empty() {
        let before = old.first().map_or("none".to_owned(), |k| defined(k));
        let say = if before == defined(new) {
            "The same source, compiled alike: what differs is what it is launched with.".to_owned()
        } else {
            format!(
                "The same source, compiled differently: {} now, {before} before.",
                defined(new)
            )
        };
        for (y, line) in (HEAD as u16..).zip(wrap(&say, usize::from(edge) - 1)) {
            pen.put(1, y, &line, Role::Text);
        }
    }
    let room = pen.height().saturating_sub(HEAD as u16);
    for (row, (at, line)) in (0..room).zip(lines.iter().enumerate().skip(state.kernel.top)) {
        let y = HEAD as u16 + row;
        pen.spot(0, y, pen.width(), Target::Row(at));
        changed(line, at == state.kernel.line, y, pen);
    }
}

fn defined(kernel: &Kernel) -> String {
    match kernel.defines.as_str() {
        "" => "nothing defined".to_owned(),
        defines => defines.to_owned(),
    }
}

/// A line of a comparison: its sign, and the line.
fn changed(line: &DiffLine, here: bool, y: u16, pen: &mut Pen<'_>) {
    let (sign, role) = match line.sign {
        Sign::Same => (" ", Role::Dim),
        Sign::Less => ("-", Role::Warn),
        Sign::More => ("+", Role::Good),
        Sign::Gap => ("…", Role::Dim),
    };
    if here {
        pen.put(0, y, "►", Role::Accent);
    }
    pen.put(2, y, sign, role);
    let room = usize::from(pen.width()).saturating_sub(5);
    pen.put(4, y, &clip(&plain(&line.text), room), role);
}

/// A line as it can be drawn: tabs as spaces, nothing that is obeyed.
fn plain(text: &str) -> String {
    text.replace('\t', "    ")
        .chars()
        .filter(|c| !c.is_control())
        .collect()
}

/// Sums over the kernels of a block that compute any of some ops.
struct Sum {
    launches: u64,
    bytes: u64,
}

fn sum(cost: &Cost, ops: &[OpKind]) -> Sum {
    let mut sum = Sum {
        launches: 0,
        bytes: 0,
    };
    for k in &cost.block.kernels {
        if k.flop_terms.iter().any(|t| ops.contains(&t.op)) {
            sum.launches += 1;
            sum.bytes += k.bytes();
        }
    }
    sum
}

/// The compiler's text.
fn ptx(state: &State, book: &Book, kernel: &Kernel, pen: &mut Pen<'_>) {
    let Some(text) = &kernel.ptx else { return };
    // The text says what it is for: the archive's PTX is older than the device.
    let target = text.lines().find_map(|l| l.trim().strip_prefix(".target "));
    let head = format!(
        "PTX of {} for {}, {}",
        kernel.entry,
        target.unwrap_or(&book.arch).trim(),
        figure::counted(text.lines().count() as u64, "line", "lines")
    );
    pen.put(1, 0, &head, Role::Strong);
    pen.put(1, 1, &clip(&kernel.defines, 78), Role::Dim);
    let room = pen.height().saturating_sub(HEAD as u16);
    let wide = usize::from(pen.width()).saturating_sub(9);
    for (row, (at, line)) in (0..room).zip(text.lines().enumerate().skip(state.kernel.top)) {
        let y = HEAD as u16 + row;
        pen.spot(0, y, pen.width(), Target::Row(at));
        if at == state.kernel.line {
            pen.put(0, y, "►", Role::Accent);
        }
        pen.right(7, y, &(at + 1).to_string(), Role::Dim);
        let role = match line.trim_start().starts_with("//") {
            true => Role::Dim,
            false => Role::Text,
        };
        pen.put(8, y, &clip(&plain(line), wide), role);
    }
}
