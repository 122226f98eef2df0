//! What every page shows: header row, message row, footer row, and at 120
//! columns the row of pages and the rules around two panes.

use super::pen::{Pen, clip, width, wrap};
use super::theme::Role;
use app::machine::Condition;
use app::mouse::Target;
use app::{Page, State, Tone, footer};
use app::{exercise, lesson};
use course::Exercise;

/// Columns of the left pane where a page has no reason for others.
pub const LEFT: u16 = 80;

/// Rows that a message may take.
const LONGEST: usize = 5;

/// Columns of a title that are seen in any case.
const TITLE: usize = 24;

/// Draws header and footer.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    header(state, pen);
    if state.shared.two_panes() {
        pages(state, pen, 1);
    }
    let last = pen.height().saturating_sub(1);
    let (line, keys) = state
        .shared
        .keys
        .placed(state.page, &footer(state), pen.width() as usize);
    pen.put(0, last, &line, Role::Text);
    for (x, columns, action) in keys {
        pen.spot(x as u16, last, columns as u16, Target::Key(action));
    }
}

/// Row 1: screen and place; shape, dtype, backend and its state.
fn header(state: &State, pen: &mut Pen<'_>) {
    let wide = state.shared.two_panes();
    let left = if wide {
        "tinyllama-tutor".to_owned()
    } else {
        match state.page.digit() {
            Some(digit) => format!("{digit} {}", state.page.title()),
            None if state.page == Page::Help => {
                let from = state.trail.last().unwrap_or(Page::Home);
                format!("Help · {}", from.title())
            }
            None => state.page.title().to_owned(),
        }
    };
    let end = pen.put(1, 0, &left, Role::Strong);
    let course = if wide && !state.shared.contents.course.is_empty() {
        format!("{} · ", state.shared.contents.course)
    } else {
        String::new()
    };
    let mut right = format!("{course}{} · {}", shape(state), backend(state, wide));
    let edge = pen.width().saturating_sub(1);
    let room = usize::from(edge.saturating_sub(end + 2));
    if width(&right) > room {
        right = clip(&right, room);
    }
    let place = place(state);
    if !place.is_empty() {
        // Where both do not fit, the device goes first, then the title's end.
        if usize::from(end) + width(&place) + 4 + width(&right) > usize::from(edge) {
            let name = state
                .shared
                .machine
                .backend()
                .map(|b| (&b.name, b.condition.word()));
            if let (Some((name, word)), None) = (name, state.shared.runs.running()) {
                right = format!("{} · {name} {word}", shape(state));
            }
            // That a backend is ready goes before the end of a title that fits without it.
            let fits = |right: &str| {
                usize::from(end) + width(&place) + 4 + width(right) <= usize::from(edge)
            };
            let ready = state.shared.machine.backend();
            let ready = ready.is_some_and(|b| b.condition == Condition::Ready);
            let runs =
                state.shared.runs.running().is_some() || state.shared.studies.making().is_some();
            if ready && !runs && !fits(&right) && fits(&shape(state)) {
                right = shape(state);
            }
        }
        // Then all but the shape, and that too, where the title's beginning does not fit.
        let title = width(&place).min(TITLE);
        for shorter in [shape(state), String::new()] {
            if usize::from(end) + title + 4 + width(&right) > usize::from(edge) {
                right = shorter;
            }
        }
        let free = usize::from(edge).saturating_sub(usize::from(end) + 4 + width(&right));
        pen.put(end + 2, 0, &clip(&place, free), Role::Text);
    }
    let x = edge.saturating_sub(width(&right) as u16);
    let role = match state.shared.machine.backend().map(|b| &b.condition) {
        Some(Condition::None) => Role::Warn,
        _ => Role::Dim,
    };
    pen.put(x, 0, &right, role);
}

/// Below so many columns a head has the device's name alone.
const NARROW: u16 = 66;

/// The device that the course speaks of, for the head of a page of so many columns.
pub fn course_gpu(state: &State, columns: u16) -> Option<String> {
    let gpu = state.shared.course_gpu()?;
    Some(match columns < NARROW {
        true => gpu.to_owned(),
        false => format!("course GPU {gpu}"),
    })
}

/// What the page shows, behind its name: the lesson or the exercise.
fn place(state: &State) -> String {
    let text = match state.page {
        Page::Kernel => Some(super::kernel::place(state)),
        _ if state.shared.two_panes() => None,
        Page::Lesson => lesson::lesson(&state.reader, &state.shared)
            .map(|l| format!("{} {}", app::contents::number(&l.id), l.title)),
        Page::Exercises if state.exercises.form.is_some() => {
            exercise::shown(&state.exercises, &state.shared).map(Exercise::heading)
        }
        _ => None,
    };
    text.unwrap_or_default()
}

/// Model and shape: those of the exercise where one is shown, which states
/// its own, else those of what runs, else those of the bench.
fn shape(state: &State) -> String {
    match exercise::shown(&state.exercises, &state.shared) {
        Some(found) if state.page == Page::Exercises && state.exercises.form.is_some() => {
            super::exercise::setup(found)
        }
        _ => match state.shared.runs.running() {
            Some(running) => running.setup.title(),
            None => state.shared.bench.setup().title(),
        },
    }
}

/// Backend, device and its state, or how far its run is.
fn backend(state: &State, wide: bool) -> String {
    let text = state.shared.machine.header(wide);
    if let Some(making) = state.shared.studies.making() {
        return match making.steps() {
            Some((done, total)) => format!("study {} {done}/{total}", making.name()),
            None => format!("study {} …", making.name()),
        };
    }
    let Some(running) = state.shared.runs.running() else {
        return text;
    };
    let name = running.backend.name();
    match &running.progress {
        Some(p) if p.total > 1 => format!("{name} running {}/{}", p.done, p.total),
        Some(p) => format!("{name} {}", p.phase.name()),
        None => format!("{name} running"),
    }
}

/// The row of pages, the present one marked.
pub fn pages(state: &State, pen: &mut Pen<'_>, y: u16) {
    let court = state.shared.study.course.court_off().is_none();
    let page = state.page;
    let mut x = 0;
    for p in Page::LISTED {
        if p == Page::Claims && !court {
            continue;
        }
        let (Some(digit), title) = (p.digit(), p.title()) else {
            continue;
        };
        let here = p == page;
        let role = if here { Role::Accent } else { Role::Dim };
        pen.put(x, y, if here { "►" } else { " " }, role);
        let end = pen.put(x + 1, y, &format!("{digit} {title}"), role);
        pen.spot(x, y, end - x, Target::Page(p));
        x = end + 1;
    }
}

/// The rules around two panes whose left one has `left` columns.
pub fn panes(pen: &mut Pen<'_>, left: u16, bottom: u16) {
    let edge = pen.width();
    pen.rule(0, edge, 2);
    pen.rule(0, edge, bottom);
    pen.upright(left, 3, bottom);
    pen.put(left, 2, "┬", Role::Dim);
    pen.put(left, bottom, "┴", Role::Dim);
}

/// The message row: what is searched for, else the message, else `hint` with
/// something at the right edge.
pub fn message(state: &State, hint: &str, aside: &str, pen: &mut Pen<'_>, y: u16) {
    if let Some(find) = state.find.as_ref().filter(|f| f.typing) {
        let (before, behind) = find.field.halves();
        let x = pen.put(1, y, "/ ", Role::Accent);
        let x = pen.put(x, y, &before, Role::Text);
        let x = pen.cursor(x, y);
        let x = pen.put(x, y, &behind, Role::Text);
        pen.put(x + 2, y, "Enter finds · Esc closes", Role::Dim);
        return;
    }
    let edge = pen.width();
    let Some(note) = state.shared.notes.shown() else {
        let end = pen.put(1, y, &clip(hint, usize::from(edge) - 1), Role::Text);
        if !aside.is_empty() && end + 1 + width(aside) as u16 <= edge {
            pen.right(edge, y, aside, Role::Dim);
        }
        return;
    };
    let role = match note.tone {
        Tone::Plain => Role::Text,
        Tone::Good => Role::Good,
        Tone::Warn => Role::Warn,
        Tone::Bad => Role::Bad,
    };
    // A sentence keeps its end, which is the way out: what does not fit takes rows above
    // that are empty, and the keys below, until the next key. Never a result.
    let mut lines = if width(&note.text) < usize::from(edge) {
        vec![note.text.clone()]
    } else {
        wrap(&note.text, usize::from(edge) - 2)
    };
    let wanted = lines.len().min(LONGEST);
    let empty = (1..wanted as u16)
        .take_while(|up| pen.is_blank(y.saturating_sub(*up)))
        .count();
    let below = usize::from(pen.height().saturating_sub(y + 1));
    // Sixty columns may have too few of both: there the way out is worth the text above it,
    // which comes back with the next key.
    let more = match edge < LEFT {
        true => wanted.saturating_sub(1 + empty + below),
        false => 0,
    };
    let above = empty + more;
    let room = wanted.min(1 + above + below);
    if lines.len() > room {
        lines.truncate(room);
        if let Some(last) = lines.last_mut() {
            *last = clip(&format!("{last} …"), usize::from(edge) - 2);
        }
    }
    let rows = lines.len() as u16;
    let top = y.saturating_sub((above as u16).min(rows.saturating_sub(1)));
    pen.part(0, top, edge, rows).clear();
    for (row, line) in (top..).zip(&lines) {
        pen.put(1, row, line, role);
    }
}
