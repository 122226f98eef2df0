//! The page of studies: the list, what can be set, what one found out.

use super::frame;
use super::live;
use super::pen::{Pen, clip, width, wrap};
use super::ribbon::bar;
use super::rows::{Row, words};
use super::theme::Role;
use app::State;
use app::mouse::Target;
use app::studies::Kept;
use app::studies_page::{View, line};
use course::present::study::first;
use course::present::{Piece, Weight};
use study::catalogue::{Definition, STUDIES};
use study::offer::{Offered, Takes};

/// Rows of a table that the page shows; the export has all.
const ROWS: usize = 48;

/// Columns of the names in the lists.
const NAMES: u16 = 14;

/// Findings laid out.
pub struct Laid {
    rows: Vec<Row>,
    shift: usize,
}

/// First row and rows for what the page shows.
fn area(state: &State) -> (u16, u16) {
    let (_, rows) = state.shared.size;
    match state.shared.two_panes() {
        true => (3, rows.saturating_sub(6)),
        false => (2, rows.saturating_sub(4)),
    }
}

/// Lays out what the shown study found; none where something else is shown.
pub fn lay(state: &State) -> Option<Laid> {
    if !matches!(state.studies.view, View::Found(_)) {
        return None;
    }
    let columns = usize::from(state.shared.size.0).saturating_sub(2);
    let mut laid = Laid {
        rows: Vec::new(),
        shift: 0,
    };
    match state.studies.found(&state.shared) {
        Some(Ok(kept)) => {
            laid.rows.extend(words(&head(kept), columns, Role::Dim));
            if kept.stopped {
                let text = "Stopped before its end: what was measured until then.";
                laid.rows.extend(words(text, columns, Role::Warn));
            }
            for mut piece in first(&kept.findings, ROWS) {
                if let Piece::Table(table) = &mut piece
                    && !table.foot.is_empty()
                {
                    table.foot.push_str(": X writes all of them, as CSV");
                }
                let table = matches!(piece, Piece::Table(_) | Piece::Chart(_));
                let place = matches!(piece, Piece::Words(Weight::Place, _));
                if place || table && laid.rows.last().is_some_and(|row| row.width() > 0) {
                    laid.rows.push(Row::default());
                }
                let piece = live::still(state, &piece, columns);
                laid.rows.extend(piece.rows);
                laid.shift = laid.shift.max(piece.shift);
                if table {
                    laid.rows.push(Row::default());
                }
            }
        }
        Some(Err(why)) => {
            laid.rows.extend(words(why, columns, Role::Bad));
            let text = "The file is left as it is; study NAME makes another.";
            laid.rows.extend(words(text, columns, Role::Dim));
        }
        None => laid
            .rows
            .push(Row::of("It is not kept any more.", Role::Dim)),
    }
    Some(laid)
}

/// Where and when a study was made.
fn head(kept: &Kept) -> String {
    let device = match kept.device.as_str() {
        "" => "by the model".to_owned(),
        device => format!("on {device}"),
    };
    format!(
        "{}: {device}, {}, build {}",
        kept.id,
        kept.time,
        brief(&kept.build)
    )
}

fn brief(build: &str) -> &str {
    // The version, and enough of the digest to tell builds apart.
    build.get(..14).unwrap_or(build)
}

/// Tells the page how long the findings are.
pub fn fit(state: &mut State, laid: &Laid) {
    let (_, rows) = area(state);
    let extent = (laid.rows.len(), usize::from(rows), laid.shift);
    state.studies.fit(extent);
}

/// Draws what a study found out.
pub fn found(state: &State, laid: &Laid, pen: &mut Pen<'_>) {
    let (top, rows) = area(state);
    let last = pen.height().saturating_sub(1);
    let page = &state.studies;
    for (y, row) in (top..top + rows).zip(laid.rows.iter().skip(page.scroll)) {
        row.draw(pen, 1, y);
    }
    let below = laid
        .rows
        .len()
        .saturating_sub(page.scroll + usize::from(rows));
    let more = match below {
        0 => String::new(),
        1 => "▼ 1 more line: Space".to_owned(),
        below => format!("▼ {below} more lines: Space"),
    };
    let figure = page.figure(&state.shared);
    let room = usize::from(pen.width()).saturating_sub(width(&more) + 4);
    let figure = figure.map_or("r makes it again".to_owned(), |said| {
        format!("= {}", within(&said, room))
    });
    frame::message(state, &more, &figure, pen, last - 1);
}

/// A figure in so many columns: of a long plan the beginning, the value always.
fn within(said: &str, columns: usize) -> String {
    match said.rsplit_once(": ") {
        Some((name, value)) if width(said) > columns => {
            let room = columns.saturating_sub(width(value) + 2);
            format!("{}: {value}", clip(name, room))
        }
        _ => said.to_owned(),
    }
}

/// Draws the list, or what can be set.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let last = pen.height().saturating_sub(1);
    match &state.studies.view {
        View::Settings(_) => settings(state, pen),
        _ => list(state, pen),
    }
    frame::message(state, &hint(state), "", pen, last - 1);
}

fn hint(state: &State) -> String {
    let page = &state.studies;
    let offered = page.offered(&state.shared);
    let offered = offered.filter(|_| matches!(page.view, View::Settings(_)));
    let less = offered.map_or_else(Vec::new, |offered| page.smaller(offered));
    if !less.is_empty() {
        let words = less.iter().map(|(setting, value)| match setting.takes {
            Takes::Switch => setting.flag.clone(),
            _ => format!("{} {value}", setting.flag),
        });
        let words: Vec<String> = words.collect();
        return format!("R makes it so: {}.", words.join(" "));
    }
    match page.view {
        View::Settings(_) => "r makes it in a process of its own: the command that stands above.",
        _ if state.studies.listed(&state.shared).is_some() => {
            "Enter shows what it found; r makes it again."
        }
        _ => "Enter shows what can be set.",
    }
    .to_owned()
}

/// Studies and what is kept, and something about the one under the cursor.
fn list(state: &State, pen: &mut Pen<'_>) {
    let (top, rows) = area(state);
    let wide = state.shared.two_panes();
    let last = pen.height().saturating_sub(1);
    let edge = pen.width();
    let mut lines: Vec<(Option<usize>, Row)> = Vec::new();
    let studies = &state.shared.studies;
    let columns = if wide { frame::LEFT } else { edge };
    let name = |text: &str, role| Row::of(clip(text, usize::from(NAMES) - 1), role);
    for (at, offered) in studies.offered.iter().enumerate() {
        let asks = STUDIES.into_iter().find(|d| d.name == offered.name);
        let asks = brief_question(
            asks.map_or("", |d| d.asks),
            usize::from(columns - NAMES) - 4,
        );
        let row = name(&offered.name, Role::Text).at(usize::from(NAMES), asks, Role::Dim);
        lines.push((Some(at), row));
    }
    lines.push((None, Row::default()));
    let kept = match &studies.kept {
        None => "kept: being read …",
        Some(all) if all.is_empty() => "kept: none yet",
        Some(_) => "kept",
    };
    lines.push((None, Row::of(kept, Role::Strong)));
    for (at, (id, kept)) in studies.kept.iter().flatten().enumerate() {
        let at = studies.offered.len() + at;
        let room = usize::from(columns - NAMES) - 4;
        let (text, role) = match kept {
            Ok(kept) => (said(kept), Role::Dim),
            Err(why) => (why.clone(), Role::Bad),
        };
        let row = name(id, Role::Text).at(usize::from(NAMES), clip(&text, room), role);
        lines.push((Some(at), row));
    }
    // What is said of the one under the cursor stands below, or beside.
    let below = if wide { 0 } else { 10.min(rows / 2) };
    let room = usize::from(rows - below);
    let cursor = lines
        .iter()
        .position(|(at, _)| *at == Some(state.studies.cursor));
    let cursor = cursor.unwrap_or(0);
    let from = cursor
        .saturating_sub(room / 2)
        .min(lines.len().saturating_sub(room));
    for (y, (at, row)) in (top..).zip(lines.iter().skip(from).take(room)) {
        if *at == Some(state.studies.cursor) {
            pen.put(0, y, "►", Role::Accent);
        }
        row.draw(pen, 2, y);
        if let Some(at) = at {
            pen.spot(0, y, columns, Target::Row(*at));
        }
    }
    if wide {
        frame::panes(pen, frame::LEFT + 1, last - 2);
        let width = edge - frame::LEFT - 3;
        about(state, &mut pen.part(frame::LEFT + 3, top, width, rows));
    } else {
        let y = top + rows - below;
        pen.rule(0, edge, y);
        let more = lines.len().saturating_sub(from + room);
        if more > 0 {
            pen.right(edge - 1, y, &format!(" ▼ {more} more "), Role::Dim);
        }
        about(state, &mut pen.part(1, y + 1, edge - 2, below - 1));
    }
}

/// A question as far as whole parts of it fit; all of it stands in what is said of the
/// study.
fn brief_question(asks: &str, columns: usize) -> String {
    if width(asks) <= columns {
        return asks.to_owned();
    }
    let ends = asks.match_indices([',', ';']).map(|(at, _)| at).rev();
    let parts = ends.filter_map(|at| asks.get(..at));
    let mut parts = parts.filter(|part| width(part) < columns);
    match parts.next() {
        Some(part) => format!("{part}?"),
        None => clip(asks, columns),
    }
}

/// A kept study in a line.
fn said(kept: &Kept) -> String {
    let time = kept.time.get(..16).unwrap_or(&kept.time).replace('T', " ");
    let stopped = if kept.stopped { ", stopped" } else { "" };
    format!("{time}  {}{stopped}", kept.findings.title)
}

/// What the study under the cursor is, or what the kept one found.
fn about(state: &State, pen: &mut Pen<'_>) {
    let room = usize::from(pen.width());
    let mut y = 0;
    let mut say = |label: &str, text: &str, role: Role, pen: &mut Pen<'_>| {
        let indent = if label.is_empty() { 0 } else { 9 };
        let lines = wrap(text, room.saturating_sub(indent));
        // Half of what a study found would say something else.
        if label.is_empty() && usize::from(y) + lines.len() > usize::from(pen.height()) {
            y = pen.height();
        }
        for (at, line) in lines.iter().enumerate() {
            if y >= pen.height() {
                return;
            }
            if at == 0 {
                pen.put(0, y, label, Role::Dim);
            }
            pen.put(indent as u16, y, line, role);
            y += 1;
        }
    };
    let page = &state.studies;
    if let Some(Definition {
        asks,
        varies,
        held,
        finds,
        reduced,
        ends,
        lessons,
        ..
    }) = page.definition(&state.shared)
    {
        // Its line in the list has not room for all of it.
        say("asks", asks, Role::Text, pen);
        say("varies", varies, Role::Text, pen);
        say("finds", finds, Role::Text, pen);
        say("ends in", ends, Role::Text, pen);
        say("holds", held, Role::Text, pen);
        say("reduces", reduced, Role::Text, pen);
        say("lessons", &lessons.join(", "), Role::Text, pen);
        return;
    }
    match page.listed(&state.shared) {
        Some((_, Ok(kept))) => {
            say("", &kept.findings.title, Role::Strong, pen);
            say("", &head(kept), Role::Dim, pen);
            for sentence in &kept.findings.sentences {
                say("", sentence, Role::Text, pen);
            }
        }
        Some((_, Err(why))) => say("", why, Role::Bad, pen),
        None => {}
    }
}

/// What can be set, the command, and how far it is.
fn settings(state: &State, pen: &mut Pen<'_>) {
    let page = &state.studies;
    let Some(offered) = page.offered(&state.shared) else {
        return;
    };
    let (top, rows) = area(state);
    let edge = pen
        .width()
        .min(if state.shared.two_panes() { 118 } else { 80 });
    let asks = page.definition(&state.shared).map_or("", |d| d.asks);
    let end = pen.put(1, top, &offered.name, Role::Strong);
    // A question that is longer than the line goes on below it.
    let asked = wrap(asks, usize::from(edge - end) - 3);
    for (y, line) in (top..).zip(&asked) {
        pen.put(end + 2, y, line, Role::Text);
    }
    let more = asked.len().saturating_sub(1);
    let (top, rows) = (top + more as u16, rows.saturating_sub(more as u16));
    // Where the lab's plan and setup have a part in it.
    if offered.takes_setup() {
        let setup = &state.shared.bench;
        let around = format!("{}, {}", setup.cut().title(), setup.setup().title());
        pen.put(3, top + 1, "lab", Role::Dim);
        let end = pen.put(1 + NAMES + 2, top + 1, &clip(&around, 40), Role::Text);
        pen.put(end + 2, top + 1, "p: another setup", Role::Dim);
    }
    // Below the settings: the command, and what is said of it.
    let command = line(&page.words(&state.shared, offered));
    let command = wrap(&command, usize::from(edge) - 4);
    let words = told(state, usize::from(edge) - 4);
    let below = command.len() + words.len() + 2;
    let room = usize::from(rows).saturating_sub(2 + below).max(1);
    list_settings(state, offered, &mut pen.part(0, top + 2, edge, room as u16));
    let shown = room.min(offered.settings.len()) as u16;
    let mut y = top + 2 + shown + 1;
    for line in &command {
        pen.put(2, y, line, Role::Accent);
        y += 1;
    }
    y += 1;
    for row in &words {
        row.draw(pen, 2, y);
        y += 1;
    }
}

fn list_settings(state: &State, offered: &Offered, pen: &mut Pen<'_>) {
    let page = &state.studies;
    let room = usize::from(pen.height());
    let from = page
        .row
        .saturating_sub(room / 2)
        .min(offered.settings.len().saturating_sub(room));
    let settings = offered.settings.iter().enumerate().skip(from).take(room);
    let says_at = 1 + NAMES + 2 + 18;
    for (y, (at, setting)) in (0..).zip(settings) {
        let here = at == page.row;
        if here {
            pen.put(0, y, "►", Role::Accent);
        }
        let role = if here { Role::Accent } else { Role::Text };
        pen.put(3, y, &clip(&setting.name, usize::from(NAMES) - 1), role);
        let x = 1 + NAMES + 2;
        match &page.field {
            Some(field) if here => {
                let (before, behind) = field.halves();
                let x = pen.put(x, y, &before, Role::Text);
                let x = pen.cursor(x, y);
                pen.put(x, y, &behind, Role::Text);
            }
            _ => {
                let (value, set) = page.value(&state.shared, offered, setting);
                let shown = match (&setting.takes, value.as_str()) {
                    (Takes::Switch, "") => "[ ]".to_owned(),
                    (Takes::Switch, _) => "[x]".to_owned(),
                    (_, "") => "–".to_owned(),
                    (_, value) => value.to_owned(),
                };
                let role = if set { Role::Strong } else { Role::Dim };
                pen.put(x, y, &clip(&shown, 17), role);
                let room = usize::from(pen.width().saturating_sub(says_at + 1));
                pen.put(says_at, y, &clip(&setting.says, room), Role::Dim);
            }
        }
        pen.spot(0, y, pen.width(), Target::Row(at));
    }
}

/// How far the study is that is being made, or why one was not; else all that is said of
/// the setting under the cursor.
fn told(state: &State, columns: usize) -> Vec<Row> {
    let page = &state.studies;
    if let Some(making) = state.shared.studies.making() {
        let seconds = state.shared.now.saturating_sub(making.since) as f64 / 1000.0;
        let ascii = state.shared.look.ascii;
        let text = match (making.stopping, making.said.as_str()) {
            (true, _) => "stopping …".to_owned(),
            (false, "") => "starting …".to_owned(),
            (false, said) => said.to_owned(),
        };
        let mut row = Row::of(format!("{:<10}", making.name()), Role::Accent);
        if let Some((done, total)) = making.steps() {
            let cells = 24;
            let drawn = bar(done * cells * 8 / total.max(1), cells, ascii);
            let left = (cells as usize).saturating_sub(width(&drawn));
            row = row
                .and(drawn, Role::Accent)
                .and("·".repeat(left), Role::Dim);
        }
        let row = row.and(format!("  {text}, {seconds:.0} s"), Role::Text);
        return vec![
            row,
            Row::of("Ctrl-C stops it and keeps what was measured.", Role::Dim),
        ];
    }
    if let Some(why) = &page.refused {
        return words(why, columns, Role::Warn);
    }
    let setting = page.offered(&state.shared);
    let setting = setting.and_then(|o| o.settings.get(page.row));
    setting.map_or_else(Vec::new, |s| words(&s.says, columns, Role::Dim))
}
