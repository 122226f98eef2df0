//! The source, with the ideas in the gutter and the sentence below.

use super::flow::flow;
use crate::tui::pen::{Pen, clip, width, wrap};
use crate::tui::ribbon::bar;
use crate::tui::theme::Role;
use app::book::Torch;
use app::kernel::heat::{self, Metric};
use app::kernel::{View, files, kernel, metric, source};
use app::mouse::Target;
use app::source::Source;
use app::{State, figure};
use plan::run::KernelReport;
use text::code::{extension, highlight};

/// Rows that are not lines of source: the file's name and an empty row above,
/// the idea below.
pub(super) const AROUND: usize = 2 + IDEA;
/// Rows of the idea: an empty one, and its sentence.
const IDEA: usize = 4;
/// Columns left of the code: `►`, the number, two spaces.
const GUTTER: u16 = 7;
/// The same with a column of counts.
const HEATED: u16 = 16;
/// Where counts end.
const COUNTS: u16 = 14;

/// Draws file, lines and idea.
pub(super) fn draw(state: &State, pen: &mut Pen<'_>) {
    let (Some(source), Some(Ok((_, kernel)))) = (
        source(&state.kernel, &state.shared),
        kernel(&state.kernel, &state.shared),
    ) else {
        return;
    };
    let end = pen.put(1, 0, &source.file, Role::Strong);
    let files = files(&state.kernel, &state.shared).len();
    if files > 1 {
        let text = match part_of_file(state, &source.file) {
            Some(part) => format!("file {} of {files}, {part}, Tab", state.kernel.file + 1),
            None => format!("file {} of {files}, Tab", state.kernel.file + 1),
        };
        let edge = pen.width() - 1;
        if end + 2 + width(&text) as u16 <= edge {
            pen.right(edge, 0, &text, Role::Dim);
        }
    }
    let bottom = pen.height() - IDEA as u16;
    let gutter = gutter(state);
    let column = Column::of(state);
    if let Some(metric) = metric(&state.kernel) {
        pen.put(6, 1, metric.name(), Role::Issued);
    }
    let room = pen.width().saturating_sub(gutter + 1);
    let shown = flow(
        source.lines.iter().map(|l| l.text.as_str()),
        usize::from(room),
    );
    let coloured = highlight(extension(&source.file), &shown.join("\n"));
    let mut y = 2;
    let lines = source.lines.iter().zip(&shown).zip(&coloured).enumerate();
    for (at, ((line, text), spans)) in lines.skip(state.kernel.top) {
        if y >= bottom {
            break;
        }
        let here = at == state.kernel.line;
        if line.idea.is_some() {
            pen.put(0, y, "►", Role::Accent);
        }
        let number = if here { Role::Accent } else { Role::Dim };
        pen.right(5, y, &line.number.to_string(), number);
        if here {
            pen.reverse(1, y, 4);
        }
        if let Some(column) = &column {
            column.draw(&source.file, line.number, pen, y);
        }
        for (row, part) in wrapped(spans, usize::from(room)).iter().enumerate() {
            let y = y + row as u16;
            if y >= bottom {
                break;
            }
            pen.spot(0, y, pen.width(), Target::Row(at));
            let mut x = gutter;
            for (text, role) in part {
                x = pen.put(x, y, text, *role);
            }
        }
        y += height(text, room) as u16;
    }
    match (state.kernel.view, &kernel.torch) {
        (View::Torch, Some(torch)) => below(&operations(torch), Role::Text, pen, bottom),
        _ => idea(state, source, pen, bottom),
    }
}

/// What PyTorch makes of a function.
fn operations(torch: &Torch) -> String {
    let launches = match torch.ops {
        1 => "about a launch",
        _ => "about a launch each",
    };
    format!(
        "{} in PyTorch: {}, {launches}, counted in the lines. This kernel is one launch.",
        torch.function,
        figure::counted(torch.ops, "operation", "operations"),
    )
}

/// Columns left of the code.
fn gutter(state: &State) -> u16 {
    match metric(&state.kernel) {
        Some(_) => HEATED,
        None => GUTTER,
    }
}

/// How much of the kernel's instructions is of a file.
fn part_of_file(state: &State, file: &str) -> Option<String> {
    metric(&state.kernel)?;
    let kernel = heat::counts(&state.shared)?;
    let all = kernel.work?.instructions.max(1) as f64;
    let here = heat::of_file(kernel, file).instructions as f64;
    Some(format!("{:.0} % of instr. #", 100.0 * here / all))
}

/// The counts of a kernel beside its lines.
struct Column<'s> {
    kernel: &'s KernelReport,
    metric: Metric,
    most: f64,
}

impl<'s> Column<'s> {
    fn of(state: &'s State) -> Option<Self> {
        let metric = metric(&state.kernel)?;
        let kernel = heat::counts(&state.shared)?;
        Some(Self {
            kernel,
            metric,
            most: heat::most(kernel, metric),
        })
    }

    /// A bar against the largest of the kernel, and the number.
    fn draw(&self, file: &str, number: usize, pen: &mut Pen<'_>, y: u16) {
        let work = heat::of_line(self.kernel, file, number);
        let Some(value) = work.and_then(|work| self.metric.value(work)) else {
            return;
        };
        let share = if self.most > 0.0 {
            value / self.most
        } else {
            0.0
        };
        let eighths = (share * 8.0).round() as u64;
        let eighths = eighths.max(u64::from(value > 0.0));
        pen.put(6, y, &bar(eighths, 1, pen.ascii()), Role::Compute);
        let role = if value > 0.0 { Role::Issued } else { Role::Dim };
        pen.right(COUNTS, y, &self.metric.text(value), role);
    }
}

/// What the idea at the cursor is; where there is none, how many there are.
fn idea(state: &State, source: &Source, pen: &mut Pen<'_>, y: u16) {
    let count = source.ideas.len();
    let (text, role) = match source.idea_at(state.kernel.line) {
        Some((at, idea)) => (
            format!(
                "► idea {} of {count}: {}. {}",
                at + 1,
                idea.name,
                idea.sentence
            ),
            Role::Text,
        ),
        None if count == 0 => return,
        None => {
            let what = if count == 1 { "idea is" } else { "ideas are" };
            // The keys are those of what is searched for.
            let first = state.find.as_ref().map_or("", |_| "/ and Esc, then ");
            let text = format!("{count} {what} marked here: {first}n and N.");
            (text, Role::Dim)
        }
    };
    below(&text, role, pen, y);
}

/// Words below the lines.
fn below(text: &str, role: Role, pen: &mut Pen<'_>, y: u16) {
    let room = usize::from(pen.width()).saturating_sub(4);
    let lines = wrap(text, room);
    let rows = IDEA - 1;
    for (row, line) in lines.iter().take(rows).enumerate() {
        let cut = row + 1 == rows && lines.len() > rows;
        let line = match cut {
            true => clip(&format!("{line} …"), room),
            false => line.clone(),
        };
        let x = if row == 0 { 1 } else { 3 };
        pen.put(x, y + 1 + row as u16, &line, role);
    }
}

/// The first line to show, so that the cursor is on the screen and the lines
/// move only when they must.
pub(super) fn first_line(state: &State, columns: u16, rows: usize) -> usize {
    let Some(source) = source(&state.kernel, &state.shared) else {
        return 0;
    };
    let room = columns.saturating_sub(gutter(state) + 1);
    let line = state.kernel.line.min(source.lines.len().saturating_sub(1));
    let top = state.kernel.top.min(line);
    let shown = flow(
        source.lines.iter().map(|l| l.text.as_str()),
        usize::from(room),
    );
    // From the cursor upward, as far as the rows go.
    let mut left = rows.max(1);
    let mut least = line + 1;
    for at in (0..=line).rev() {
        let Some(found) = shown.get(at) else {
            break;
        };
        let needs = height(found, room);
        if needs > left {
            break;
        }
        left -= needs;
        least = at;
    }
    top.max(least.min(line))
}

/// Columns that the rest of a long line of code stands further in.
const HANGS: usize = 4;

/// How far the rest of a line stands further in: that of a comment below its words.
fn hangs(text: &str) -> usize {
    let code = text.trim_start();
    match code.strip_prefix("//") {
        Some(words) => text.len() - words.trim_start().len(),
        None => text.len() - code.len() + HANGS,
    }
}

/// Rows that a line takes.
fn height(text: &str, room: u16) -> usize {
    cuts(&text.replace('\t', "    "), usize::from(room)).0.len() + 1
}

/// Where the rows of a long line begin behind the first, and how far in they stand. The
/// rows of a comment are about equally long: none is one word that was broken off.
fn cuts(text: &str, room: usize) -> (Vec<usize>, usize) {
    let hang = hangs(text).min(room / 2);
    let found = breaks(text, room, hang);
    if found.is_empty() || !text.trim_start().starts_with("//") {
        return (found, hang);
    }
    let even = (room / 2..room).map(|narrow| breaks(text, narrow, hang));
    let even = even.into_iter().find(|starts| starts.len() == found.len());
    (even.unwrap_or(found), hang)
}

/// Where the rows of a long line begin, behind the first: characters from its
/// start. Words stay whole where that leaves more than half of a row.
fn breaks(text: &str, room: usize, hang: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut used, mut left) = (0, room.max(1));
    // Behind the last space of this row, and the columns up to there.
    let mut space = (0, 0);
    for (at, c) in text.chars().enumerate() {
        let wide = width(c.encode_utf8(&mut [0; 4]));
        if used + wide > left {
            // What goes down with the word must fit into the row below.
            let below = room.saturating_sub(hang).max(1);
            let (start, before) = match space {
                (behind, before) if before > left / 2 && used - before + wide <= below => {
                    (behind, before)
                }
                _ => (at, used),
            };
            found.push(start);
            used -= before;
            left = below;
            space = (start, 0);
        }
        used += wide;
        if c == ' ' {
            space = (at + 1, used);
        }
    }
    found
}

/// Spans cut into rows of a width.
fn wrapped(spans: &[text::Span], room: usize) -> Vec<Vec<(String, Role)>> {
    let whole: String = spans.iter().map(|s| s.text.as_str()).collect();
    let (breaks, hang) = cuts(&whole, room);
    let mut breaks = breaks.into_iter().peekable();
    let mut rows = vec![Vec::new()];
    let mut at = 0;
    for span in spans {
        let role = role(span.role);
        let mut text = String::new();
        for c in span.text.chars() {
            if breaks.next_if_eq(&at).is_some() {
                if let Some(row) = rows.last_mut() {
                    row.push((std::mem::take(&mut text), role));
                }
                rows.push(vec![(" ".repeat(hang), Role::Text)]);
            }
            text.push(c);
            at += 1;
        }
        if let Some(row) = rows.last_mut() {
            row.push((text, role));
        }
    }
    rows
}

/// The screen's role for a part of code.
pub(in crate::tui) fn role(role: text::Role) -> Role {
    match role {
        text::Role::Comment | text::Role::Dim => Role::Dim,
        text::Role::Keyword | text::Role::Strong => Role::Strong,
        text::Role::Type => Role::Type,
        text::Role::Number => Role::Number,
        text::Role::String => Role::String,
        text::Role::Builtin => Role::Builtin,
        _ => Role::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::{HANGS, breaks, cuts};
    use proptest::prelude::*;

    #[test]
    fn long_lines_break_behind_words() {
        assert_eq!(breaks("short", 10, HANGS), [0usize; 0]);
        assert_eq!(breaks("int value = other;", 14, HANGS), [12]);
        // No space, or one too early: in the middle of the word.
        assert_eq!(breaks("abcdefghijkl", 10, HANGS), [10]);
        assert_eq!(breaks("a bcdefghijkl", 10, HANGS), [10]);
        // A word that the row below would not hold.
        assert_eq!(breaks(" aA Aaa", 6, HANGS), [6]);
    }

    #[test]
    fn a_comment_is_broken_evenly_below_its_words() {
        let text = "// one two three four five six";
        // 30 columns in a row of 28: `six` alone would be left over.
        assert_eq!(breaks(text, 28, 3), [27]);
        // Narrowest with two rows: 17 columns, then 13 and the three below `//`.
        assert_eq!(cuts(text, 28), (vec![17], 3));
        // Code is filled as before.
        assert_eq!(cuts("int one = two + three * four;", 28).1, HANGS);
    }

    proptest! {
        #[test]
        fn rows_are_never_wider_than_the_room(text in "[ -~]{0,120}", room in 6usize..60) {
            let mut starts = vec![0];
            starts.extend(breaks(&text, room, HANGS));
            starts.push(text.len());
            for (row, pair) in starts.windows(2).enumerate() {
                let most = if row == 0 { room } else { room - 4 };
                prop_assert!(pair[1] - pair[0] <= most, "{starts:?}");
                prop_assert!(row == 0 || pair[1] > pair[0], "{starts:?}");
            }
        }
    }
}
