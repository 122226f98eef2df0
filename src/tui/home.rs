//! Contents and progress; at 120 columns also where the learner was and what
//! this machine has.

mod beside;
mod list;

use self::list::{columns, heads, lines};
use super::frame;
use super::pen::{Pen, clip, width, within, wrap};
use super::ribbon::bar;
use super::theme::Role;
use app::State;
use app::claims::judged;
use app::contents::ended;
use app::machine::Condition;
use course::Tally;

/// Columns of the right pane at least; at 120 columns it has these.
const RIGHT: u16 = 51;
/// Columns of the list at most.
const WIDEST: u16 = 100;

/// Draws the page.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    if state.shared.two_panes() {
        let bottom = pen.height() - 2;
        let left = (pen.width() - RIGHT - 1).min(WIDEST);
        frame::panes(pen, left, bottom);
        wide(state, &mut pen.part(0, 3, left, bottom - 3));
        let right = (pen.width() - left - 1).min(frame::LEFT);
        beside::draw(state, &mut pen.part(left + 1, 3, right, bottom - 3));
        if state.shared.notes.shown().is_some() || state.find.is_some() {
            frame::message(state, "", "", pen, bottom - 1);
        }
    } else {
        narrow(state, pen);
    }
}

/// One column of 80: contents, a summary, and what Enter does.
fn narrow(state: &State, pen: &mut Pen<'_>) {
    let last = pen.height() - 1;
    let edge = pen.width().min(WIDEST) - 1;
    let columns = columns(edge);
    let summary = format!(
        "{} of {} read · {}",
        state.shared.contents.read().0,
        state.shared.contents.read().1,
        state.shared.contents.tally.line()
    );
    contents(state, edge, &summary, pen, 2);
    heads(columns, pen, 3);
    // Below the list: a blank row, the summary, a blank row, what Space and Enter do.
    let room = (last - 10).saturating_sub(4);
    let listed = lines(state, &mut pen.part(0, 4, edge + 1, room), columns);
    let y = 4 + listed + 1;
    path(state, pen, y);
    exercises(state, pen, y + 1);
    let court = state.shared.study.course.court_off().is_none();
    if court {
        claims(state, pen, y + 2);
    }
    let room = usize::from(pen.width()) - 2;
    let (space, enter) = (space_does(state), enter_does(state));
    let space = wrap(&space, room);
    let enter = wrap(&enter, room);
    // Both in full where there are rows for them.
    let rows = (space.len() + enter.len()).max(2) as u16;
    let lowest = last.saturating_sub(rows);
    let free = usize::from(lowest.saturating_sub(y + 5));
    let more = machine(state, pen, y + 2 + u16::from(court), free);
    let y = (y + 5 + more).min(lowest);
    let note = state.shared.notes.shown();
    let note = note.map_or(0, |note| wrap(&note.text, room).len());
    // A note that needs the rows has them.
    let above = match space.len() + note <= usize::from(last - y) {
        true => space.len() as u16,
        false => 0,
    };
    for (y, line) in (y..y + above).zip(&space) {
        pen.put(1, y, line, Role::Accent);
    }
    if note > 0 || state.find.as_ref().is_some_and(|find| find.typing) {
        frame::message(state, "", "", pen, y + above);
        return;
    }
    for (y, line) in (y + above..last).zip(&enter) {
        pen.put(1, y, line, Role::Text);
    }
}

/// The heading of the list, with the device that the course speaks of.
fn contents(state: &State, edge: u16, summary: &str, pen: &mut Pen<'_>, y: u16) {
    let end = pen.put(1, y, "Contents", Role::Strong);
    let gpu = frame::course_gpu(state, edge).map(|gpu| format!(" · {gpu}"));
    // The device goes before the summary is cut.
    let fits = |gpu: &String| usize::from(end) + width(gpu) + width(summary) < usize::from(edge);
    if let Some(gpu) = gpu.filter(fits) {
        pen.put(end, y, &gpu, Role::Dim);
    }
    pen.right(edge, y, summary, Role::Text);
}

/// How far one is on the path.
fn path(state: &State, pen: &mut Pen<'_>, y: u16) {
    let Some(followed) = &state.shared.contents.route else {
        return;
    };
    pen.put(1, y, "+ Path", Role::Text);
    let room = usize::from(pen.width().saturating_sub(14));
    pen.put(13, y, &followed.line(room), Role::Text);
}

/// What Space does: it goes on with the path.
fn space_does(state: &State) -> String {
    let leads = state.reader.leads(&state.shared);
    match (&state.shared.contents.route, leads) {
        (None, _) => String::new(),
        (Some(followed), None) => followed.through(),
        (Some(_), Some(next)) => format!("Space goes on with the path: {next}"),
    }
}

fn exercises(state: &State, pen: &mut Pen<'_>, y: u16) {
    pen.put(1, y, "7 Exercises", Role::Text);
    let room = usize::from(pen.width().saturating_sub(14));
    let contents = &state.shared.contents;
    let text = standing(contents.tally, &contents.slips, room);
    pen.put(13, y, &clip(&text, room), Role::Text);
}

/// `5 right · 1 kept · 2 slips to look at again (ex3, ex21) · 1 wrong · 420 open`: as much
/// of it as there is room for, the exercises with a slip before the words around them.
fn standing(tally: Tally, slips: &[String], room: usize) -> String {
    let part = |n: usize, word: &str| match n {
        0 => String::new(),
        n => format!(" · {n} {word}"),
    };
    let line = |again: &str, ids: &str| {
        let word = if tally.slip == 1 { "slip" } else { "slips" };
        let kept = part(tally.kept, "kept");
        let slip = part(tally.slip, &format!("{word}{again}{ids}"));
        let wrong = part(tally.wrong, "wrong");
        format!(
            "{} right{kept}{slip}{wrong} · {} open",
            tally.right,
            tally.open()
        )
    };
    let named = |n: usize| match slips.get(..n).map(|ids| ids.join(", ")) {
        Some(ids) if n == slips.len() => format!(" ({ids})"),
        Some(ids) if n > 0 => format!(" ({ids}, …)"),
        _ => String::new(),
    };
    let all = slips.len();
    let long = line(" to look at again", &named(all));
    let mut shorter = (1..=all).rev().map(|n| line("", &named(n)));
    match long.chars().count() <= room {
        true => long,
        false => shorter
            .find(|line| line.chars().count() <= room)
            .unwrap_or_else(|| line("", "")),
    }
}

fn claims(state: &State, pen: &mut Pen<'_>, y: u16) {
    pen.put(1, y, "8 Claims", Role::Text);
    let text = match judged(&state.shared.study) {
        0 => "what the documents say, none judged yet".to_owned(),
        1 => "1 judged".to_owned(),
        n => format!("{n} judged"),
    };
    pen.put(13, y, &text, Role::Text);
}

/// Who computes here; the rows behind the first that it takes, of so many free ones.
fn machine(state: &State, pen: &mut Pen<'_>, y: u16, free: usize) -> u16 {
    pen.put(1, y, "9 Doctor", Role::Text);
    let ready: Vec<String> = state
        .shared
        .machine
        .backends
        .iter()
        .map(|b| match b.condition {
            Condition::None => format!("{} none", b.name),
            _ if b.device.is_empty() => b.name.clone(),
            _ => format!("{} {}", b.name, b.device),
        })
        .collect();
    let room = usize::from(pen.width().saturating_sub(14));
    let lines = within(&ready.join(" · "), room, free + 1);
    for (y, line) in (y..).zip(&lines) {
        pen.put(13, y, line, Role::Text);
    }
    lines.len() as u16 - 1
}

/// What Enter does at the cursor.
fn enter_does(state: &State) -> String {
    let home = &state.home;
    let looked = home
        .look
        .and_then(|at| state.shared.study.course.routes().get(at));
    if let Some(route) = looked {
        return format!(
            "Enter follows the path {}, Esc stays with yours.",
            route.title
        );
    }
    let Some(lesson) = state.shared.contents.lessons.get(home.cursor) else {
        return String::new();
    };
    match &state.shared.contents.stopped {
        Some(s) if s.lesson == home.cursor => format!(
            "Enter goes on with lesson {}, section {} of {}: {}",
            lesson.number,
            s.section,
            s.of,
            ended(&s.heading)
        ),
        _ => format!(
            "Enter opens lesson {}: {}",
            lesson.number,
            ended(&lesson.title)
        ),
    }
}

/// The left pane at 120 columns.
fn wide(state: &State, pen: &mut Pen<'_>) {
    let left = pen.width();
    let edge = left - 1;
    let (read, of) = state.shared.contents.read();
    contents(state, edge, &format!("{read} of {of} read"), pen, 0);
    let contents = &state.shared.contents;
    let tally = contents.tally;
    heads(columns(edge), pen, 1);
    let counts = [
        ("right", tally.right, Role::Good),
        ("kept", tally.kept, Role::Text),
        ("slip", tally.slip, Role::Warn),
        ("wrong", tally.wrong, Role::Bad),
    ];
    // What there is none of has no row, but for what a learner looks for.
    let counts: Vec<_> = counts
        .into_iter()
        .filter(|(word, n, _)| *n > 0 || matches!(*word, "right" | "slip"))
        .collect();
    let counted = counts.len() as u16;
    let slips = u16::from(!contents.slips.is_empty());
    let room = pen.height().saturating_sub(10 + counted + slips);
    let listed = lines(state, &mut pen.part(0, 3, left, room), columns(edge));
    let y = 3 + listed + 1;
    pen.put(1, y, "Exercises", Role::Strong);
    pen.right(edge, y, &tally.line(), Role::Text);
    let all = tally.all.max(1) as u64;
    for (y, (word, n, role)) in (y + 2..).zip(counts) {
        pen.put(3, y, word, role);
        let drawn = bar(n as u64 * 36 * 8 / all, 36, pen.ascii());
        let end = pen.put(12, y, &drawn, role);
        let rest = "·".repeat(usize::from(48u16.saturating_sub(end)));
        pen.put(end, y, &rest, Role::Dim);
        pen.right(53, y, &n.to_string(), Role::Text);
    }
    let y = y + 2 + counted;
    let open = format!("{} open; e lists them", tally.open());
    pen.put(3, y, "open", Role::Dim);
    pen.put(12, y, &open, Role::Text);
    if slips > 0 {
        let text = format!("slips in {}", contents.slips.join(" "));
        pen.put(12, y + 1, &clip(&text, usize::from(edge) - 12), Role::Dim);
    }
    let y = y + slips;
    if !state.shared.place.is_empty() {
        let text = format!("Kept in {}", state.shared.place);
        let free = usize::from(pen.height().saturating_sub(y + 2));
        for (y, text) in (y + 2..).zip(within(&text, usize::from(edge) - 1, free)) {
            pen.put(1, y, &text, Role::Dim);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exercises_with_a_slip_are_named_as_long_as_there_is_room() {
        let tally = Tally {
            all: 429,
            right: 5,
            kept: 1,
            slip: 3,
            wrong: 2,
        };
        let slips = ["ex3", "ex21", "ex55"].map(str::to_owned);
        let line = |room| standing(tally, &slips, room);
        let long =
            "5 right · 1 kept · 3 slips to look at again (ex3, ex21, ex55) · 2 wrong · 418 open";
        let columns = long.chars().count();
        assert_eq!(line(columns), long);
        let short = "5 right · 1 kept · 3 slips (ex3, ex21, ex55) · 2 wrong · 418 open";
        assert_eq!(line(columns - 1), short);
        let columns = short.chars().count();
        assert_eq!(line(columns), short);
        let cut = "5 right · 1 kept · 3 slips (ex3, ex21, …) · 2 wrong · 418 open";
        assert_eq!(line(columns - 1), cut);
        assert_eq!(line(10), "5 right · 1 kept · 3 slips · 2 wrong · 418 open");
        // What there is none of is not named.
        let none = Tally {
            all: 429,
            right: 1,
            ..Tally::default()
        };
        assert_eq!(standing(none, &[], 60), "1 right · 428 open");
    }
}
