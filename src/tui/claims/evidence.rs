//! One claim: what the document says, what the model says, what this machine
//! measured, and what became of it.

use crate::tui::exercise::styled;
use crate::tui::live::number;
use crate::tui::pen::{clip, width};
use crate::tui::rows::{Row, labelled, words};
use crate::tui::theme::Role;
use app::State;
use app::claims::{Standing, hit, standing};
use app::evidence::measured;
use app::mouse::Target;
use course::answer::Ground;
use course::answer::claim::Judgement;
use course::claims::{Line, cited};
use course::present::Figure;
use course::{Claim, Ledger};
use plan::fusion::Cut;
use plan::run::{Report, Timing};
use plan::units::figure::{Clock, Origin, of_run};

/// Columns of the labels before plans.
const LABEL: usize = 16;
/// Columns of a plan, at least.
const PLAN: usize = 12;

/// The claim on its page: judged first, then shown.
pub fn page(state: &State, claim: &Claim, columns: usize) -> Vec<Row> {
    let mut rows = stated(state, claim, columns);
    let stands = standing(&state.shared.study, &claim.id.text);
    if stands == Standing::Open {
        rows.push(Row::default());
        rows.extend(asked(state, columns));
        return rows;
    }
    if let Standing::Judged(judgement) = stands {
        rows.push(Row::default());
        rows.extend(yours(claim, judgement, columns));
    }
    rows.extend(found(state, claim, columns));
    rows.extend(whereto(state, claim, columns));
    rows
}

/// What stands there before it is judged, and after.
pub fn stated(state: &State, claim: &Claim, columns: usize) -> Vec<Row> {
    let mut rows = head(claim, columns);
    rows.extend(says(state, claim, columns));
    rows
}

/// What the reader said, and whether the evidence says so too.
fn yours(claim: &Claim, judgement: Judgement, columns: usize) -> Vec<Row> {
    let (role, came) = if hit(claim.ruling, judgement) {
        (Role::Good, "the evidence says so too".to_owned())
    } else {
        let right = claim.ruling.judgement().says();
        (Role::Warn, format!("the evidence says: {right}"))
    };
    let indent = 10;
    let mut rows = vec![Row::of("you said  ", Role::Dim).and(judgement.says(), role)];
    let came = words(&came, columns.saturating_sub(indent), role);
    rows.extend(came.into_iter().map(|row| row.indented(indent)));
    rows
}

fn head(claim: &Claim, columns: usize) -> Vec<Row> {
    let mut rows = vec![
        Row::of(format!("{}  ", claim.title), Role::Strong).and(claim.id.text.clone(), Role::Dim),
    ];
    rows.extend(places(claim, columns));
    rows.push(Row::default());
    rows
}

fn places(claim: &Claim, columns: usize) -> Vec<Row> {
    let ledger = Ledger::built_in();
    let named = claim.places.iter().map(|p| ledger.named(p));
    named
        .flat_map(|name| words(&name, columns, Role::Dim))
        .collect()
}

/// What the document says: the sentence, its number, its formula.
fn says(state: &State, claim: &Claim, columns: usize) -> Vec<Row> {
    let mut rows = words(&claim.says.text, columns, Role::Text);
    let env = state.shared.study.env(&claim.setup, &state.shared.runs);
    let (lines, shape) = env
        .map(|env| (claim.document_lines(&env), claim.shape(&env)))
        .unwrap_or_default();
    if let Some(shape) = shape {
        let text = format!("here: {shape}");
        rows.extend(words(&text, columns, Role::Dim));
    }
    if !lines.is_empty() {
        rows.push(Row::default());
        rows.push(Row::of("the document says", Role::Strong));
        rows.extend(numbers(lines, None, columns));
    }
    rows
}

/// The four verdicts to choose from, or how to begin.
fn asked(state: &State, columns: usize) -> Vec<Row> {
    if !state.claims.choosing {
        return words(
            "Enter judges it: right, right if something is assumed, wrong, or measurable. What the model says opens after that; s shows it unjudged.",
            columns,
            Role::Dim,
        );
    }
    let mut rows = vec![Row::of("Your verdict", Role::Strong)];
    for (i, judgement) in Judgement::ALL.into_iter().enumerate() {
        let row = if state.claims.chosen == Some(i) {
            Row::of("► ", Role::Accent).and(judgement.says(), Role::Accent)
        } else {
            Row::of("  ", Role::Text).and(judgement.says(), Role::Text)
        };
        rows.push(row.clicked(columns, Target::Option(i)));
    }
    rows
}

/// The model's side, the machine's side, the verdict and what is true: the page.
fn found(state: &State, claim: &Claim, columns: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    match state.shared.study.env(&claim.setup, &state.shared.runs) {
        Ok(env) => {
            let modelled = |line: &Line| line.ground == Some(Ground::Model);
            let (model, others): (Vec<_>, Vec<_>) =
                claim.model_lines(&env).into_iter().partition(modelled);
            let model_head = Row::of("the model says", Role::Strong).and(" =", Role::Modelled);
            let recorded = others
                .iter()
                .any(|line| line.ground == Some(Ground::Record));
            let other_head = match recorded {
                true => "worked out and recorded",
                false => "worked out",
            };
            let other_head = Row::of(other_head, Role::Strong);
            let parts = [
                (model_head, model, Some(Origin::Modelled)),
                (other_head, others, None),
            ];
            for (head, lines, origin) in parts {
                if !lines.is_empty() {
                    rows.extend([Row::default(), head]);
                    rows.extend(numbers(lines, origin, columns));
                }
            }
        }
        Err(why) => rows.extend(words(&why, columns, Role::Warn)),
    }
    rows.extend(machine(state, claim, columns));
    rows.push(Row::default());
    rows.extend(judged(state, claim, columns));
    rows
}

/// The verdict and what is true.
fn judged(state: &State, claim: &Claim, columns: usize) -> Vec<Row> {
    let mut rows = labelled("verdict", Role::Dim, &claim.verdict(), columns, 9);
    rows.extend(styled(
        state,
        &claim.setup,
        &claim.truth.text,
        claim.truth.at.line,
        columns,
    ));
    if let Some(how) = claim.how_found() {
        rows.extend(words(how, columns, Role::Dim));
    }
    rows
}

/// Labels with their numbers in one column.
fn numbers(lines: Vec<Line>, origin: Option<Origin>, columns: usize) -> Vec<Row> {
    let figure = |line: Line| Figure {
        label: line.label,
        value: line.value,
        origin,
    };
    let figures = lines.into_iter().map(figure);
    figures
        .flat_map(|figure| number(&figure, columns))
        .collect()
}

/// What this machine measured of the claim's plans, or how to have it.
fn machine(state: &State, claim: &Claim, columns: usize) -> Vec<Row> {
    let runs = measured(&state.shared, claim);
    if runs.is_empty() {
        let Some(command) = claim.demonstration() else {
            return Vec::new();
        };
        let mut rows = vec![Row::default(), Row::of("to see it", Role::Strong)];
        rows.extend(
            words(&command, columns.saturating_sub(2), Role::Text)
                .into_iter()
                .map(|row| row.indented(2)),
        );
        return rows;
    }
    let ran = runs.iter().any(|(_, report)| report.is_some());
    let fits = (columns.saturating_sub(LABEL) / PLAN).max(1);
    // Plans that have no room beside the others stand below them.
    let mut rows: Vec<Row> = runs
        .chunks(fits)
        .zip(
            ["this machine, forward"]
                .into_iter()
                .chain(std::iter::repeat("")),
        )
        .flat_map(|(runs, head)| table(runs, head, ran, columns))
        .collect();
    let device = runs.iter().find_map(|(_, report)| report.as_ref());
    let text = match device {
        Some(report) => format!("on {}", report.device),
        None if state.shared.runs.running().is_some() => "a run is in progress".to_owned(),
        None => {
            let on = state.shared.machine.backend();
            let on = on.map_or(String::new(), |backend| format!(" on {}", backend.name));
            format!("not run yet{on}: r runs it")
        }
    };
    let text = words(&text, columns.saturating_sub(2), Role::Dim);
    rows.extend(text.into_iter().map(|row| row.indented(2)));
    rows
}

/// Plans beside each other, each in its column: what ran of them, where anything did.
fn table(runs: &[(Cut, Option<&Report>)], head: &str, ran: bool, columns: usize) -> Vec<Row> {
    let titles: Vec<String> = runs.iter().map(|(cut, _)| cut.title()).collect();
    let longest = titles.iter().map(|title| width(title) + 2).max();
    let room = columns.saturating_sub(LABEL) / runs.len().max(1);
    let plan = longest.unwrap_or(PLAN).min(room).max(PLAN);
    let plans = |head: &str, cells, role| in_columns(Row::of(head, role), cells, plan, role);
    let mut rows = match ran || !head.is_empty() {
        true => vec![Row::default()],
        false => Vec::new(),
    };
    let mut head = Row::of(head, Role::Strong);
    // A long name of the first plan has a row below the head.
    let first = titles.first().map_or(0, |title| width(title).min(plan - 1));
    if LABEL + plan <= head.width() + first {
        rows.push(std::mem::take(&mut head));
    }
    rows.push(in_columns(head, titles, plan, Role::Dim));
    if !ran {
        return rows;
    }
    let each = |f: fn(&Report) -> Option<String>| {
        let cell = move |(_, report): &(_, Option<&Report>)| of_run(report.map(f), |cell| cell);
        runs.iter().map(cell).collect()
    };
    let launches = each(|r| Some(r.launches.counted.to_string()));
    rows.push(plans("  launches #", launches, Role::Issued));
    let issued = each(|r| r.bytes.issued.map(|b| format!("{:.3}", b as f64 / 1e6)));
    rows.push(plans("  issued MB #", issued, Role::Issued));
    let (head, times) = timed(runs);
    rows.push(plans(&head, times, Role::Measured));
    rows
}

/// The times, in the unit of the longest, which their label names.
fn timed(runs: &[(Cut, Option<&Report>)]) -> (String, Vec<String>) {
    let seconds = |t: &Timing| 1e-6 * t.median;
    let times = runs.iter().flat_map(|(_, report)| report.iter());
    let times = times.filter_map(|report| report.time_us.as_ref().map(seconds));
    let clock = Clock::of(times.fold(0.0, f64::max));
    let cell = |(_, report): &(_, Option<&Report>)| {
        let time = report.map(|r| r.time_us.as_ref().map(seconds));
        of_run(time, |s| clock.rounded(s))
    };
    let head = format!("  time {} @", clock.unit);
    (head, runs.iter().map(cell).collect())
}

/// A row with a cell per plan, each ending at its own column; a plan has so many columns.
fn in_columns(mut row: Row, cells: Vec<String>, plan: usize, role: Role) -> Row {
    for (i, cell) in cells.into_iter().enumerate() {
        let cell = clip(&cell, plan - 1);
        row = row.right(LABEL + (i + 1) * plan, &cell, role);
    }
    row
}

/// The lessons that cite it, and the claims that say otherwise.
fn whereto(state: &State, claim: &Claim, columns: usize) -> Vec<Row> {
    let lessons: Vec<String> = cited(&state.shared.study.course, &claim.id.text)
        .map(|l| format!("{} {}", app::contents::number(&l.id), l.title))
        .collect();
    let mut rows = vec![Row::default()];
    match lessons.as_slice() {
        [] => rows.push(Row::of(Ledger::built_in().group(claim), Role::Dim)),
        some => {
            let text = format!("Lesson {}", some.join("; "));
            rows.extend(words(&text, columns, Role::Dim));
        }
    }
    rows
}
