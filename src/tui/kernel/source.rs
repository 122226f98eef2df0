//! The source, with the ideas in the gutter and the sentence below.

use crate::app::State;
use crate::app::kernel::source::Source;
use crate::app::kernel::{kernel, source};
use crate::markup;
use crate::markup::code::highlight;
use crate::tui::pen::{Pen, clip, width, wrap};
use crate::tui::theme::Role;

/// Rows that are not lines of source: the file's name and an empty row above,
/// the idea below.
pub(super) const AROUND: usize = 2 + IDEA;
/// Rows of the idea: an empty one, and its sentence.
const IDEA: usize = 4;
/// Columns left of the code: `►`, the number, two spaces.
const GUTTER: u16 = 7;

/// Draws file, lines and idea.
pub(super) fn draw(state: &State, pen: &mut Pen<'_>) {
    let (Some(source), Some(Ok((_, kernel)))) = (source(state), kernel(state)) else {
        return;
    };
    let end = pen.put(1, 0, &source.file, Role::Strong);
    let files = kernel.files.len();
    if files > 1 {
        let text = format!("file {} of {files}, Tab", state.kernel.file + 1);
        let edge = pen.width() - 1;
        if end + 2 + width(&text) as u16 <= edge {
            pen.right(edge, 0, &text, Role::Dim);
        }
    }
    let bottom = pen.height() - IDEA as u16;
    let room = pen.width().saturating_sub(GUTTER + 1);
    let whole: Vec<&str> = source.lines.iter().map(|l| l.text.as_str()).collect();
    let coloured = highlight("cuda", &whole.join("\n"));
    let mut y = 2;
    let lines = source.lines.iter().zip(&coloured).enumerate();
    for (at, (line, spans)) in lines.skip(state.kernel.top) {
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
        for (row, part) in wrapped(spans, usize::from(room)).iter().enumerate() {
            let y = y + row as u16;
            if y >= bottom {
                break;
            }
            let mut x = GUTTER;
            for (text, role) in part {
                x = pen.put(x, y, text, *role);
            }
        }
        y += height(&line.text, room) as u16;
    }
    idea(state, source, pen, bottom);
}

/// What the idea at the cursor is; where there is none, how many there are.
fn idea(state: &State, source: &Source, pen: &mut Pen<'_>, y: u16) {
    let room = usize::from(pen.width()).saturating_sub(4);
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
            (format!("{count} {what} marked here: n and N."), Role::Dim)
        }
    };
    let lines = wrap(&text, room);
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
    let Some(source) = source(state) else {
        return 0;
    };
    let room = columns.saturating_sub(GUTTER + 1);
    let line = state.kernel.line.min(source.lines.len().saturating_sub(1));
    let top = state.kernel.top.min(line);
    // From the cursor upward, as far as the rows go.
    let mut left = rows.max(1);
    let mut least = line + 1;
    for at in (0..=line).rev() {
        let Some(found) = source.lines.get(at) else {
            break;
        };
        let needs = height(&found.text, room);
        if needs > left {
            break;
        }
        left -= needs;
        least = at;
    }
    top.max(least.min(line))
}

/// Rows that a line takes.
fn height(text: &str, room: u16) -> usize {
    width(&text.replace('\t', "    "))
        .div_ceil(usize::from(room.max(1)))
        .max(1)
}

/// Spans cut into rows of a width.
fn wrapped(spans: &[markup::Span], room: usize) -> Vec<Vec<(String, Role)>> {
    let mut rows = vec![Vec::new()];
    let mut left = room.max(1);
    for span in spans {
        let role = role(span.role);
        let mut text = String::new();
        for c in span.text.chars() {
            if left == 0 {
                if let Some(row) = rows.last_mut() {
                    row.push((std::mem::take(&mut text), role));
                }
                rows.push(Vec::new());
                left = room.max(1);
            }
            text.push(c);
            left = left.saturating_sub(width(c.encode_utf8(&mut [0; 4])));
        }
        if let Some(row) = rows.last_mut() {
            row.push((text, role));
        }
    }
    rows
}

/// Code has no colours of its own: those of the screen mean something else.
fn role(role: markup::Role) -> Role {
    match role {
        markup::Role::Comment | markup::Role::Dim => Role::Dim,
        markup::Role::Keyword | markup::Role::Strong => Role::Strong,
        _ => Role::Text,
    }
}
