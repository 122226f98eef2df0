//! One question: what is asked, the field or the options, the echo, the
//! verdict, hints and the solution. The same in the form and in a lesson.

use super::form::styled;
use super::helps::{hints, solution};
use super::measured::{measured, runs};
use super::verdict::{standing_role, verdict};
use super::{grid, kernel};
use crate::tui::live::note;
use crate::tui::pen::{clip, width as columns_of, wrap};
use crate::tui::rows::{Row, words};
use crate::tui::theme::Role;
use app::State;
use app::answering::{self, Standing, derived, echo, here, marked, now, standing, tolerance};
use app::field::Field;
use app::mouse::Target;
use app::question::{Asked, examples};
use course::present::example;
use course::{Key, Kind};

/// Columns of a field.
const FIELD: usize = 26;

/// First line and number of lines of a part of a question.
pub type Part = Option<(usize, usize)>;

/// Where the parts of a question stand that come and go.
#[derive(Default)]
pub struct Parts {
    /// What was said of its answer.
    pub verdict: Part,
    /// The newest of its hints.
    pub hint: Part,
    /// The worked solution.
    pub solution: Part,
}

impl Parts {
    /// The same, behind so many lines.
    fn behind(self, lines: usize) -> Self {
        let at = |part: Part| part.map(|(at, count)| (lines + at, count));
        Self {
            verdict: at(self.verdict),
            hint: at(self.hint),
            solution: at(self.solution),
        }
    }
}

/// A question of the form: everything about it under the cursor, else what is asked, in one
/// line where it is not shown in full; where its parts stand in it.
pub fn in_form(
    state: &State,
    asked: &Asked,
    number: usize,
    (here, full): (bool, bool),
    width: usize,
) -> (Vec<Row>, Parts) {
    let Some(key) = state.shared.study.key_of(asked) else {
        return (Vec::new(), Parts::default());
    };
    let stands = standing(&state.shared, asked);
    let word = stands.word();
    let head = format!(" {}{number:2}  ", if here { "►" } else { " " });
    let lead = columns_of(&head);
    let role = if here { Role::Accent } else { Role::Text };
    if !here {
        let typed = state.shared.study.typed(&asked.exercise, &asked.key);
        let typed = match (&key.table, &key.kernel) {
            // A table is no line of text.
            (Some(table), _) if !typed.is_empty() => {
                let (filled, all) = answering::grid::filled_of(&state.shared, asked, table);
                format!("{filled} of {all} cells")
            }
            (_, Some(kernel)) if kernel.is_written() => kernel::answer(state, asked),
            _ => clip(typed, 22),
        };
        let tail = columns_of(&typed) + word.len() + 5;
        let room = width.saturating_sub(lead + tail);
        let ask = flat(state, key);
        let lines = match full {
            true => wrap(&ask, room.max(20)),
            false => vec![clip(&ask, room)],
        };
        let line = |(at, line): (usize, &String)| match at {
            0 => Row::of(head.clone(), role)
                .and(line.clone(), Role::Text)
                .right(width - word.len() - 3, &typed, Role::Dim)
                .right(width - 1, word, standing_role(stands)),
            _ => Row::default().at(lead, line, Role::Text),
        };
        let clicked = |row: Row| {
            let columns = row.width();
            row.clicked(columns, Target::Question(number - 1))
        };
        let rows = lines.iter().enumerate().map(line).map(clicked);
        return (rows.collect(), Parts::default());
    }
    let mut rows: Vec<Row> = Vec::new();
    let room = width.saturating_sub(lead + 9);
    for (i, row) in styled(state, &key.setup, &key.ask.text, 1, room)
        .into_iter()
        .enumerate()
    {
        let mut line = Row::of(if i == 0 { &head } else { "" }, role).at(lead, "", role);
        line.spans.extend(row.spans);
        if i == 0 {
            line = line.right(width - 1, word, standing_role(stands));
        }
        rows.push(line);
    }
    let (body, parts) = body(state, asked, key, true, width.saturating_sub(lead));
    let parts = parts.behind(rows.len());
    rows.extend(body.into_iter().map(|r| r.indented(lead)));
    rows.push(Row::default());
    (rows, parts)
}

/// The cursor of a field.
pub const CURSOR: char = '▌';

/// Where the cursor of a question stands in its rows: what is typed, else the option or
/// the cell.
pub fn cursor(state: &State, asked: &Asked, rows: &[Row]) -> Part {
    if state.shared.questions.field_of(asked).is_some() {
        let at = rows.iter().position(|row| row.text().contains(CURSOR))?;
        // How it is read stands below what is typed.
        return Some((at, 2.min(rows.len() - at)));
    }
    let cell = state.shared.questions.question(asked).cell;
    let here = [
        Target::Option(here(&state.shared, asked)),
        Target::Cell(cell),
    ];
    let holds = |row: &Row| row.spots.iter().any(|(.., target)| here.contains(target));
    let first = rows.iter().position(holds)?;
    let last = rows.iter().rposition(holds)?;
    Some((first, last + 1 - first))
}

/// What is asked inside a lesson, and how it is answered: whether it has the keys, and
/// whether what is typed while the text has them goes to it.
pub fn in_lesson(
    state: &State,
    ask: Vec<Row>,
    asked: &Asked,
    (keys, alone): (bool, bool),
    width: usize,
) -> Vec<Row> {
    let Some(key) = state.shared.study.key_of(asked) else {
        return ask;
    };
    let mut rows = ask;
    rows.push(Row::default());
    rows.extend(body(state, asked, key, keys, width).0);
    if standing(&state.shared, asked) == Standing::Unchecked {
        let text = unchecked(key, keys);
        rows.extend(text.map_or(vec![], |text| words(text, width, Role::Dim)));
    }
    let how = match (keys, alone) {
        (true, _) => format!("e opens {} with hints and the solution", asked.exercise),
        (false, true) => "Type your answer: digits go in here.".to_owned(),
        (false, false) => return rows,
    };
    if state.shared.questions.field_of(asked).is_none() {
        rows.push(Row::of(how, Role::Dim));
    }
    rows
}

/// Said in a lesson of an answer that stands and was not checked.
fn unchecked(key: &Key, keys: bool) -> Option<&'static str> {
    let typed = key.table.is_none() && key.options.is_empty() && key.kernel.is_none();
    match (typed, keys) {
        (true, true) => Some("Typed, not checked yet: Enter goes on with it."),
        (true, false) => Some("Typed, not checked yet: Tab here, then Enter goes on with it."),
        (false, false) => Some("Not checked yet."),
        // Options and cells say what checks them.
        (false, true) => None,
    }
}

/// Field or options, echo, verdict, hints, solution; where these stand.
fn body(state: &State, asked: &Asked, key: &Key, keys: bool, width: usize) -> (Vec<Row>, Parts) {
    let mut rows = match &key.kernel {
        Some(kernel) if !kernel.is_written() => kernel::lines(state, asked, kernel, keys, width),
        Some(_) if state.shared.questions.field_of(asked).is_none() => {
            kernel::file(state, asked, keys, width)
        }
        _ => match key.kind {
            Kind::Number | Kind::Measured | Kind::Predict => field(state, asked, key, width),
            Kind::Text => free(state, asked, key, width),
            Kind::Table => match &key.table {
                Some(table) => grid::lay(state, asked, key, table, keys, width),
                None => Vec::new(),
            },
            Kind::Choice | Kind::Choices | Kind::Ranking => options(state, asked, key, keys, width),
        },
    };
    let kept = state.shared.study.progress.key(&asked.exercise, &asked.key);
    match key.kind {
        Kind::Measured => rows.extend(measured(state, key, keys, width)),
        // The run is shown once the prediction is locked, not before.
        Kind::Predict if kept.locked.is_none() => rows.push(Row::of(
            "Enter locks your prediction; what comes out is shown after that",
            Role::Dim,
        )),
        Kind::Predict if runs(key) => rows.extend(measured(state, key, keys, width)),
        _ => {}
    }
    let from = rows.len();
    rows.extend(verdict(state, asked, width));
    rows.extend(kernel::told(state, asked, width));
    if state.page == app::Page::Exercises {
        for (at, line) in derived(&state.shared, asked).iter().enumerate() {
            let label = if at == 0 { "why" } else { "" };
            rows.extend(note(label, Role::Dim, line, width));
        }
    }
    let verdict = (rows.len() > from).then(|| (from, rows.len() - from));
    if let Some(kernel) = &key.kernel
        && kernel.is_written()
        && kernel::shows_gaps(state, asked, keys)
    {
        let field = state.shared.questions.field_of(asked).map(Field::text);
        rows.extend(kernel::gaps(kernel, field.as_deref(), width));
    }
    let (helped, newest) = hints(state, asked, key, width);
    let from = rows.len() + newest;
    rows.extend(helped);
    let hint = Some((from, rows.len() - from));
    let from = rows.len();
    rows.extend(solution(state, asked, key, width));
    let parts = Parts {
        verdict,
        hint,
        solution: Some((from, rows.len() - from)),
    };
    (rows, parts)
}

fn field(state: &State, asked: &Asked, key: &Key, width: usize) -> Vec<Row> {
    let typed = state
        .shared
        .study
        .typed(&asked.exercise, &asked.key)
        .to_owned();
    let unit = key.unit.as_ref().map_or("", course::Typed::as_str);
    let about: Vec<String> = [example(unit), tolerance(&state.shared, asked)]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    // Where the row has no room for both, the tolerance says more than the example.
    let room = width.saturating_sub(FIELD + 5);
    let about = match about.join("  ") {
        both if columns_of(&both) <= room => both,
        _ => tolerance(&state.shared, asked),
    };
    let Some(field) = state.shared.questions.field_of(asked) else {
        let shown = format!("[ {:FIELD$} ]", clip(&typed, FIELD));
        // The line below is kept free for the echo, so that nothing moves
        // when typing begins.
        return vec![
            Row::of(shown, Role::Text).and(format!(" {about}"), Role::Dim),
            Row::default(),
        ];
    };
    let mut rows = vec![typing(Row::default(), field, &about)];
    let text = field.text();
    if text.trim().is_empty() {
        let examples = clip(examples(state.shared.look.ascii), width);
        rows.push(Row::of(examples, Role::Dim));
        return rows;
    }
    let judged = state.shared.questions.question(asked).judgement;
    if judged.is_some_and(|j| j.typed == text.trim()) {
        // What was said to it stands below already.
        rows.push(Row::default());
        return rows;
    }
    match echo(&state.shared, asked, &text) {
        Ok(read) => rows.push(Row::of(format!("read as {read}"), Role::Dim)),
        Err(why) => rows.extend(words(&why, width, Role::Warn)),
    }
    rows
}

/// A field that is being typed into, behind `lead`.
pub fn typing(lead: Row, field: &Field, about: &str) -> Row {
    let (before, behind) = field.halves();
    // A long answer shows what stands around the cursor.
    let skip = columns_of(&before).saturating_sub(FIELD - 1);
    let before: String = before.chars().skip(skip).collect();
    let behind = clip(&behind, FIELD.saturating_sub(columns_of(&before) + 1));
    let rest = FIELD.saturating_sub(columns_of(&before) + columns_of(&behind) + 1);
    lead.and("[ ", Role::Accent)
        .and(before, Role::Text)
        .and("▌", Role::Accent)
        .and(behind, Role::Text)
        .and(" ".repeat(rest), Role::Text)
        .and(" ]", Role::Accent)
        .and(format!(" {about}"), Role::Dim)
}

/// A text whose words are cut where one is longer than a line.
fn broken(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut columns = 0;
    for c in text.chars() {
        columns += columns_of(c.encode_utf8(&mut [0; 4]));
        if c.is_whitespace() {
            columns = 0;
        } else if columns > width {
            out.push(' ');
            columns = 1;
        }
        out.push(c);
    }
    out
}

/// Free text: the field while it is typed, the text in full otherwise, and the
/// worked answer once it is kept.
fn free(state: &State, asked: &Asked, key: &Key, width: usize) -> Vec<Row> {
    let typed = state.shared.study.typed(&asked.exercise, &asked.key);
    if let Some(field) = state.shared.questions.field_of(asked) {
        let (before, behind) = field.halves();
        let text = format!("{before}▌{behind}");
        return words(&broken(&text, width), width, Role::Text);
    }
    let mut rows = match typed.is_empty() {
        true => vec![Row::of(
            "[ in your own words; kept, not graded ]",
            Role::Dim,
        )],
        false => words(&broken(typed, width), width, Role::Text),
    };
    let kept = state
        .shared
        .study
        .progress
        .key(&asked.exercise, &asked.key)
        .solved;
    if let Some(model) = key.model.as_ref().filter(|_| kept) {
        rows.push(Row::default());
        rows.push(Row::of("A worked answer, to compare:", Role::Dim));
        rows.extend(styled(state, &key.setup, &model.text, model.at.line, width));
    }
    rows
}

fn options(state: &State, asked: &Asked, key: &Key, keys: bool, width: usize) -> Vec<Row> {
    let chosen = marked(&now(&state.shared, asked), &key.options);
    let cursor = here(&state.shared, asked);
    let mut rows = vec![Row::default()];
    for (i, option) in key.options.iter().enumerate() {
        let place = chosen.iter().position(|c| *c == option.text);
        let sign = match (key.kind, place) {
            (Kind::Choice, Some(_)) => "(x)".to_owned(),
            (Kind::Choice, None) => "( )".to_owned(),
            (Kind::Ranking, Some(rank)) => format!("[{}]", rank + 1),
            (_, Some(_)) => "[x]".to_owned(),
            (_, None) => "[ ]".to_owned(),
        };
        let here = keys && i == cursor;
        let role = if here { Role::Accent } else { Role::Text };
        let text = format!("{}{sign} {}", if here { "►" } else { " " }, option.text);
        if columns_of(&text) > width {
            // A long option has lines of its own, none of them cut.
            let head = columns_of(&sign) + 2;
            rows.pop_if(|row| row.width() == 0);
            let lines = wrap(&option.text, width.saturating_sub(head).max(8));
            for (line, part) in lines.iter().enumerate() {
                let lead = match line {
                    0 => format!("{}{sign} ", if here { "►" } else { " " }),
                    _ => " ".repeat(head),
                };
                let row = Row::of(format!("{lead}{part}"), role);
                let columns = row.width();
                rows.push(row.clicked(columns, Target::Option(i)));
            }
            rows.push(Row::default());
            continue;
        }
        let full = rows
            .last()
            .is_some_and(|r| r.width() > 0 && r.width() + 2 + columns_of(&text) > width);
        if full {
            rows.push(Row::default());
        }
        if let Some(row) = rows.last_mut() {
            let gap = if row.width() > 0 { "  " } else { "" };
            let width = columns_of(&text);
            let with = std::mem::take(row).and(gap, Role::Text).and(text, role);
            *row = with.clicked(width, Target::Option(i));
        }
    }
    let goes_on = answering::leads_on(&state.shared, asked);
    if keys && !answering::right(&state.shared, asked) {
        let how = match key.kind {
            // Space goes on from what was refused, as the keys below say.
            Kind::Choice if goes_on => {
                "←→ or a digit: another option. Space marks that one, Enter checks"
            }
            Kind::Ranking if goes_on || answering::placed(&state.shared, asked) => {
                "←→: option. A digit gives it another place, 0 none, Enter checks"
            }
            Kind::Choice => "←→ or a digit: option. Space marks one, Enter checks the marked one",
            Kind::Choices => "←→ or a digit: option. Space marks or unmarks it, Enter checks all",
            _ => "←→: option. Space ranks it next, a digit gives its place, 0 none, Enter checks",
        };
        rows.extend(words(how, width, Role::Dim));
    }
    rows
}

/// A text on one line, without the backticks of markdown.
fn flat(state: &State, key: &Key) -> String {
    let rows = styled(state, &key.setup, &key.ask.text, 1, usize::from(u16::MAX));
    let lines: Vec<String> = rows.iter().map(Row::text).collect();
    lines
        .join(" ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
