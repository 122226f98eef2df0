//! The chapters of a report: what was measured, answered and judged. Whatever is empty says
//! what would fill it.

use super::Chapter;
use super::answers::{self, Answer};
use crate::cli::desk::Desk;
use crate::cli::failure::Failure;
use crate::cli::live;
use crate::cli::out::complain;
use ::study::timing::Verdict;
use app::claims::judgements;
use app::keep::{Kept, Run};
use app::machine::Condition;
use backend::cpu::Isa;
use backend::device;
use course::assigned::{Assigned, assigned};
use course::present::{Grid, Piece, Weight, study};
use course::{Ledger, PATH_SETTING};
use host::machine;
use host::studies::Studies;
use plan::units::figure;

/// Runs of a report at most, the newest.
const RUNS: usize = 64;
/// Studies at most, the newest.
const STUDIES: usize = 12;
/// Rows of a table of a study.
const ROWS: usize = 12;

/// When it was written, by which build, for which device.
pub(super) fn about(desk: &Desk) -> String {
    format!(
        "Written {} by tinyllama-tutor {}, build {}. Figures: = modelled, # counted, @ measured on the machine below.",
        host::studies::now(),
        env!("CARGO_PKG_VERSION"),
        backend::engine::build(),
    ) + match desk.places.gpu {
        Some(_) => "",
        None => " No device of the course was chosen: its numbers are those of an H200.",
    }
}

/// All of them, in reading order.
pub(super) fn chapters(desk: &Desk) -> Result<Vec<Chapter>, Failure> {
    let kept = host::kept(&desk.places);
    let mut all = Vec::new();
    for exercise in desk.course.exercises() {
        match answers::of(desk, exercise) {
            Ok(answers) => all.extend(answers),
            // The rest is still worth having.
            Err(failure) => complain(failure.sentence()),
        }
    }
    let chapter = |title, pieces| Chapter { title, pieces };
    Ok(vec![
        chapter("Machine", on()),
        chapter("Setup", setup(desk, &kept)?),
        chapter("Runs", runs(desk, &kept)?),
        chapter(
            "Exercises of the documents",
            assigned()
                .iter()
                .flat_map(|e| theirs(desk, e, &all))
                .collect(),
        ),
        chapter(
            "Answers",
            or(
                answers::pieces(desk, &all)?,
                "Nothing was answered yet.",
                "check ex1",
            ),
        ),
        chapter(
            "Predictions",
            or(
                guesses(desk),
                "Nothing was predicted in a lesson yet; the workshop asks before it shows.",
                "show 02",
            ),
        ),
        chapter("Claims judged", court(desk)),
        chapter("Studies", studies(desk)),
    ])
}

/// The pieces, or what would fill their place.
fn or(pieces: Vec<Piece>, empty: &str, command: &str) -> Vec<Piece> {
    match pieces.is_empty() {
        false => pieces,
        true => vec![
            Piece::Words(Weight::Text, empty.to_owned()),
            Piece::Run(command.to_owned()),
        ],
    }
}

fn said(label: &str, text: impl Into<String>) -> Piece {
    Piece::Said(label.to_owned(), text.into())
}

fn grid(head: &[&str], rows: Vec<Vec<String>>) -> Piece {
    Piece::Table(Grid {
        head: head.iter().map(|head| (*head).to_owned()).collect(),
        rows,
        ..Grid::default()
    })
}

/// What stands here. Neither the machine's name nor its user's is told.
fn on() -> Vec<Piece> {
    let simd: Vec<&str> = Isa::available().into_iter().map(Isa::name).collect();
    let rows = machine::backends().into_iter().map(|b| {
        let state = match b.condition {
            Condition::Ready => "ready",
            Condition::None | Condition::Searching => "none",
        };
        vec![b.name, b.line, state.to_owned(), b.gives]
    });
    vec![
        said(
            "system",
            format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        ),
        said(
            "cpu",
            format!(
                "{}, {} threads, SIMD: {}",
                device::cpu_name(),
                device::threads(),
                simd.join(", ")
            ),
        ),
        grid(&["backend", "device", "state", "gives"], rows.collect()),
    ]
}

fn setup(desk: &Desk, kept: &Kept) -> Result<Vec<Piece>, Failure> {
    let gpu = desk.gpus()?.get(desk.course.gpu())?;
    let settings = &desk.progress().settings;
    let chosen = settings.get(PATH_SETTING).map(String::as_str);
    let mut out = vec![
        said("course", desk.course.named()),
        said("device of the course", format!("{}, data sheet", gpu.name)),
    ];
    if let Some(route) = desk.course.route(chosen) {
        let walk = route.walk(&desk.course, desk.progress());
        let done = format!("{}: {}", route.title, walk.line());
        out.push(said("path", done));
    }
    if let Some(lab) = &kept.lab {
        let plan = lab.config.cut.title();
        out.push(said(
            "lab",
            format!("{}, {plan}, seed {}", lab.config.title(), lab.seed),
        ));
    }
    Ok(out)
}

/// Every run with its spread; jobs of several plans with what can be said of their times;
/// the plan of the newest.
fn runs(desk: &Desk, kept: &Kept) -> Result<Vec<Piece>, Failure> {
    let Some(newest) = kept.runs.last() else {
        return Ok(or(
            Vec::new(),
            "Nothing was run yet, in the workshop or in a shell.",
            "compare --run",
        ));
    };
    let from = kept.runs.len().saturating_sub(RUNS);
    let shown = kept.runs.get(from..).unwrap_or_default();
    let rows = shown.iter().map(row).collect();
    let head = [
        "job",
        "plan",
        "setup",
        "backend",
        "launches #",
        "time µs @",
        "± dev. µs @",
        "runs",
        "check",
    ];
    let mut out = vec![grid(&head, rows)];
    if from > 0 {
        let earlier = format!("{from} earlier runs are left out.");
        out.push(Piece::Words(Weight::Aside, earlier));
    }
    let mut devices: Vec<&str> = shown.iter().map(|r| r.report.device.as_str()).collect();
    devices.sort_unstable();
    devices.dedup();
    out.extend(devices.into_iter().map(|device| said("ran on", device)));
    out.extend(jobs(shown));
    let title = format!("The plan of the newest run: {}", newest.config.cut.title());
    out.push(Piece::Words(Weight::Title, title));
    out.extend(drawn(desk, newest)?);
    Ok(out)
}

fn row(run: &Run) -> Vec<String> {
    let time = run.report.time_us.as_ref();
    let shown = |value: Option<f64>| value.map_or("–".to_owned(), |v| figure::shown(v, 1));
    let check = match &run.report.check {
        Some(check) if check.pass => "pass",
        Some(_) => "failed",
        None => "none",
    };
    let build = if run.build.is_empty() {
        ""
    } else {
        ", another build"
    };
    vec![
        run.job.to_string(),
        run.config.cut.title(),
        format!("{}{build}", run.config.title()),
        run.backend.name().to_owned(),
        run.report.launches.counted.to_string(),
        shown(time.map(|t| t.median)),
        shown(time.filter(|t| t.runs > 1).map(|t| t.mad)),
        time.map_or("0".to_owned(), |t| t.runs.to_string()),
        check.to_owned(),
    ]
}

/// What can be said of the plans of a job: each against the first.
fn jobs(runs: &[Run]) -> Vec<Piece> {
    let mut out = Vec::new();
    for first in runs {
        let of_it: Vec<&Run> = runs.iter().filter(|run| run.job == first.job).collect();
        // The first of its job, and all of the job is here.
        if of_it.first().is_none_or(|run| !std::ptr::eq(*run, first)) || of_it.len() < first.among {
            continue;
        }
        let times = |run: &Run| -> Vec<f64> {
            let times = run.rounds.iter();
            times.map(|t| t.unwrap_or(f64::NAN)).collect()
        };
        let timed = |run: &&&Run| run.report.time_us.is_some();
        for other in of_it.iter().skip(1).filter(timed) {
            let verdict = Verdict::of(&times(first), &times(other), of_it.len() - 1);
            let titles = (first.config.cut.title(), other.config.cut.title());
            out.push(said(
                &format!("job {}", first.job),
                verdict.sentence(&titles.0, &titles.1),
            ));
        }
    }
    out
}

/// The boxes of a run's plan, and its kernels under the roof of the course's device.
fn drawn(desk: &Desk, run: &Run) -> Result<Vec<Piece>, Failure> {
    let cut = run.config.cut;
    let plan = cut
        .version()
        .map_or_else(|| cut.groups(), |v| v.name().to_owned());
    let blocks = format!(
        "## Plan\n\n```ribbon\nplan = \"{plan}\"\n```\n\n```roofline\nplan = \"{plan}\"\n```\n"
    );
    let mut out = live::of_config(desk, &blocks, &run.config)?;
    // A command without its place would say nothing.
    out.retain(|piece| !matches!(piece, Piece::Run(_)));
    let options = format!("{}{}", cut.as_options(), run.config.as_options());
    out.push(Piece::Run(format!("run {options}")));
    Ok(out)
}

fn studies(desk: &Desk) -> Vec<Piece> {
    let all = Studies::of(&desk.places).newest(STUDIES);
    let mut out = Vec::new();
    for (id, kept) in all {
        let kept = match kept {
            Ok(kept) => kept,
            Err(why) => {
                out.push(said(&id, why));
                continue;
            }
        };
        let on = match kept.device.as_str() {
            "" => "by the model".to_owned(),
            device => format!("on {device}"),
        };
        let mut pieces = study::first(&kept.findings, ROWS);
        if let Some(Piece::Words(_, title)) = pieces.first_mut() {
            *title = format!("{id}: {title}");
        }
        let head = format!("{on}, build {}, {}", kept.build, kept.time);
        pieces.insert(1.min(pieces.len()), Piece::Words(Weight::Aside, head));
        out.extend(pieces);
        out.push(Piece::Run(kept.command.clone()));
    }
    or(
        out,
        "No study was made yet; they measure over a range, and draw charts.",
        "study scale --over seq",
    )
}

/// An exercise of a document: how far it is, and its results template.
fn theirs(desk: &Desk, exercise: &Assigned, all: &[Answer]) -> Vec<Piece> {
    let find = |asked: &(String, String)| {
        all.iter()
            .find(|a| (&a.exercise, &a.key) == (&asked.0, &asked.1))
    };
    let earned = |asked: &[(String, String)]| {
        let found = asked.iter().filter_map(find);
        found.filter(|answer| answer.is_earned()).count()
    };
    let title = format!("{}: {}", exercise.name(), exercise.title);
    let mut out = vec![Piece::Words(Weight::Title, title)];
    let rows = exercise.parts.iter().map(|part| {
        let asked = part.asked(&desk.course);
        vec![
            part.title.clone(),
            format!("{}/{}", earned(&asked), asked.len()),
        ]
    });
    out.push(grid(&["part", "right or kept"], rows.collect()));
    if exercise.lines.is_empty() {
        return out;
    }
    let line = |line: &course::assigned::Line| {
        let question = &line.question.text;
        let asked = question.split_once(' ').unwrap_or((question, ""));
        let found = find(&(asked.0.to_owned(), asked.1.to_owned()));
        let value = match found {
            Some(answer) if answer.is_earned() && !answer.given_up => answer.typed.clone(),
            Some(answer) if answer.given_up => format!("given up: {question}"),
            _ => format!(
                "open: tinyllama-tutor check {} --answer {}=…",
                asked.0, asked.1
            ),
        };
        vec![line.says.clone(), value]
    };
    out.push(Piece::Words(Weight::Place, "Results template".to_owned()));
    out.push(grid(
        &["metric", "value"],
        exercise.lines.iter().map(line).collect(),
    ));
    out
}

/// What was predicted in lessons, and what then was shown.
fn guesses(desk: &Desk) -> Vec<Piece> {
    let guesses = desk.progress().guesses.iter();
    let made = guesses.filter(|(_, guess)| !guess.typed.is_empty());
    let rows: Vec<Vec<String>> = made
        .map(|((lesson, block, gpu), guess)| {
            let (typed, outcome) = (guess.typed.clone(), guess.outcome.clone());
            // A guess about a GPU says about which.
            let block = match gpu.as_str() {
                "" => block.to_string(),
                gpu => format!("{block}, {gpu}"),
            };
            vec![lesson.clone(), block, typed, outcome]
        })
        .collect();
    match rows.is_empty() {
        true => Vec::new(),
        false => vec![grid(&["lesson", "block", "predicted", "it is"], rows)],
    }
}

/// The claims that were judged, or what would fill their place.
fn court(desk: &Desk) -> Vec<Piece> {
    if let Some(file) = desk.course.court_off() {
        let text = format!("None: {}.", course::Course::no_court(file));
        return vec![Piece::Words(Weight::Text, text)];
    }
    or(
        claims(desk),
        "No claim of the documents was judged yet; page 8 of the workshop, Claims, is for that.",
        "claims",
    )
}

/// The claims that were judged, beside the ruling.
fn claims(desk: &Desk) -> Vec<Piece> {
    let judged = judgements(&desk.progress().settings);
    if judged.is_empty() {
        return Vec::new();
    }
    let hits = judged
        .iter()
        .filter(|(claim, j)| claim.ruling.judgement() == *j);
    let hits = format!(
        "{} of {} as the evidence has them.",
        hits.count(),
        judged.len()
    );
    let ledger = Ledger::built_in();
    let row = |(claim, judgement): &(&course::Claim, course::answer::claim::Judgement)| {
        let places = claim.places.iter().map(|place| ledger.named(place));
        vec![
            claim.id.text.clone(),
            places.collect::<Vec<_>>().join("; "),
            claim.says.text.clone(),
            judgement.says().to_owned(),
            claim.ruling.word().to_owned(),
        ]
    };
    let head = ["claim", "where", "it says", "judged", "evidence"];
    vec![
        Piece::Words(Weight::Text, hits),
        grid(&head, judged.iter().map(row).collect()),
    ]
}
