//! The list of lessons on the contents page.

use crate::tui::pen::{Pen, width, within};
use crate::tui::theme::Role;
use app::State;
use app::contents::{LessonLine, Read, percent};
use app::mouse::Target;
use course::Tally;

/// Where the columns of the list stand that ends at `edge`: shows, time, read, and the
/// right edge of the answers. Where there is little room the title has it.
pub(super) fn columns(edge: u16) -> [u16; 4] {
    match edge {
        0..66 => [
            edge.saturating_sub(12),
            u16::MAX,
            edge.saturating_sub(11),
            edge,
        ],
        _ => [edge - 26, edge - 19, edge - 11, edge],
    }
}

/// The heads of the list.
pub(super) fn heads(columns: [u16; 4], pen: &mut Pen<'_>, y: u16) {
    let [shows, time, read, edge] = columns;
    pen.put(6, y, "lesson", Role::Dim);
    if time < edge {
        pen.put(shows, y, "shows", Role::Dim);
        pen.right(time + 6, y, "reading", Role::Dim);
    }
    pen.put(read - 1, y, "read", Role::Dim);
    pen.right(edge, y, "done", Role::Dim);
}

/// The lessons that fit, the one under the cursor among them with its whole title, and
/// others in two rows as long as rows are free; the rows that they take. Columns: shows,
/// time, read, and the right edge of the answers.
pub(super) fn lines(state: &State, pen: &mut Pen<'_>, columns: [u16; 4]) -> u16 {
    let cursor = state.home.cursor;
    let lessons = &state.shared.contents.lessons;
    let room = usize::from(pen.height());
    let title = |lesson: &LessonLine, rows| titled(lesson, usize::from(columns[0]) - 6, rows);
    // From the middle of the list down to its end there is room for it.
    let most = room.div_ceil(2);
    let here = lessons
        .get(cursor)
        .map_or(0, |here| title(here, most).len());
    let more = here.saturating_sub(1);
    let first = cursor
        .saturating_sub(room / 2)
        .min((lessons.len() + more).saturating_sub(room));
    let mut spare = room.saturating_sub(lessons.len() + more);
    let mut y = 0;
    let mut shown = first;
    for (i, lesson) in lessons.iter().enumerate().skip(first) {
        let title = match i == cursor {
            true => title(lesson, most),
            false => title(lesson, spare + 1),
        };
        if usize::from(y) + title.len() > room {
            break;
        }
        if i != cursor {
            spare -= title.len() - 1;
        }
        line(lesson, &title, i == cursor, pen, y, columns);
        for _ in &title {
            pen.spot(0, y, pen.width(), Target::Row(i));
            y += 1;
        }
        shown += 1;
    }
    if first > 0 {
        pen.put(0, 0, "▲", Role::Dim);
    }
    if shown < lessons.len() {
        pen.put(0, pen.height().saturating_sub(1), "▼", Role::Dim);
    }
    if lessons.is_empty() {
        pen.put(
            2,
            0,
            "No lessons were found; Doctor says where they are looked for.",
            Role::Warn,
        );
    }
    y
}

/// A lesson's number and title in at most so many rows, the title below its beginning.
fn titled(lesson: &LessonLine, columns: usize, rows: usize) -> Vec<String> {
    let number = format!("{}  ", lesson.number);
    let indent = width(&number);
    let title = within(&lesson.title, columns.saturating_sub(indent), rows);
    let lines = title.iter().enumerate().map(|(at, line)| match at {
        0 => format!("{number}{line}"),
        _ => format!("{:indent$}{line}", ""),
    });
    lines.collect()
}

fn line(
    lesson: &LessonLine,
    title: &[String],
    here: bool,
    pen: &mut Pen<'_>,
    y: u16,
    columns: [u16; 4],
) {
    let [shows, time, read, edge] = columns;
    let (sign, how_far) = match lesson.read {
        _ if lesson.minutes == 0 => (" ", String::new()),
        Read::Done => ("●", "done".to_owned()),
        Read::Part(n, of) => ("•", format!("{} %", percent(n, of))),
        Read::Not => ("·", String::new()),
    };
    if here {
        pen.put(1, y, "►", Role::Accent);
    }
    let role = if here { Role::Accent } else { Role::Text };
    let sign_role = if lesson.read == Read::Done {
        Role::Good
    } else {
        Role::Dim
    };
    pen.put(2, y, sign, sign_role);
    if lesson.on_path {
        pen.put(3, y, "+", Role::Accent);
    }
    for (y, title) in (y..).zip(title) {
        pen.put(4, y, title, role);
    }
    if time < edge {
        pen.put(shows, y, &lesson.version, Role::Dim);
    }
    // A reference page is looked up, not read to the end.
    if lesson.minutes > 0 {
        if time < edge {
            let minutes = format!("{:>3} min", lesson.minutes);
            pen.right(time + 6, y, &minutes, Role::Dim);
        }
        pen.right(read + 4, y, &how_far, Role::Text);
    }
    let Tally { all, .. } = lesson.tally;
    if all > 0 {
        let done = lesson.tally.done();
        let role = if done == all { Role::Good } else { Role::Text };
        pen.right(edge, y, &format!("{done}/{all}"), role);
    }
}
