//! `lessons`, `exercises`: what there is and how far one is.

use clap::Args;

use super::Outcome;
use super::args::OutputArgs;
use super::desk::Desk;
use super::out::Out;
use super::table::{Align, Table};
use super::words::wrapped;
use app::contents::number;
use course::assigned::{Assigned, assigned};
use course::{Exercise, Ledger, Lesson, Tally};

/// The exercises, and what is right.
#[derive(Debug, Args)]
pub(super) struct ExercisesArgs {
    /// Those of the documents, by their own names, with the questions here that they are
    #[arg(long)]
    document: bool,
}

/// Sections read, of all.
pub(super) fn read(desk: &Desk, lesson: &Lesson) -> (usize, usize) {
    let all = lesson.sections.len();
    let mark = desk.progress().lessons.get(&lesson.id);
    let done = mark.map_or(0, |mark| {
        lesson
            .sections
            .iter()
            .filter(|s| mark.read.contains(&s.id))
            .count()
    });
    (done, all)
}

/// How the questions of an exercise stand, in the variant that is answered.
pub(super) fn tally(desk: &Desk, exercise: &Exercise) -> Tally {
    let progress = desk.progress();
    let answered = match progress.variant(&exercise.id) {
        0 => None,
        number => exercise.variant(number).ok(),
    };
    progress.tally(answered.as_ref().unwrap_or(exercise))
}

/// How many of some questions are solved.
pub(super) fn solved_of(desk: &Desk, asked: &[(String, String)]) -> usize {
    let progress = desk.progress();
    let solved = |(exercise, key): &&(String, String)| {
        progress.key(exercise, key).solved || progress.done_before(exercise, key)
    };
    asked.iter().filter(solved).count()
}

/// The lessons and how far they are read, a row each.
pub(super) fn lesson_table(desk: &Desk) -> Table {
    let mut table = Table::new(&[
        ("lesson", Align::Left),
        ("title", Align::Left),
        ("shows", Align::Left),
        ("reading", Align::Right),
        ("read", Align::Right),
    ]);
    for lesson in desk.course.lessons() {
        let (done, all) = read(desk, lesson);
        table.row(vec![
            lesson.id.clone(),
            lesson.title.clone(),
            if lesson.version == "all" {
                "all".to_owned()
            } else {
                lesson.version.to_uppercase()
            },
            match lesson.minutes {
                0 => String::new(),
                minutes => format!("{minutes} min"),
            },
            // A reference page is looked up, not read to the end.
            match lesson.minutes {
                0 => String::new(),
                _ => format!("{done}/{all}"),
            },
        ]);
    }
    table
}

pub(super) fn lessons(output: &OutputArgs, out: &mut Out) -> Outcome {
    let desk = Desk::open(output).whole()?;
    if output.json {
        let list: Vec<_> = desk
            .course
            .lessons()
            .map(|l| {
                let (done, all) = read(&desk, l);
                serde_json::json!({
                    "id": l.id, "title": l.title, "version": l.version,
                    "minutes": l.minutes, "sections": all, "read": done,
                })
            })
            .collect();
        out.json(&serde_json::json!({ "schema": 1, "lessons": list }));
        return Ok(0);
    }
    out.lines(lesson_table(&desk).lines());
    out.gap();
    out.line("tinyllama-tutor show LESSON prints one; without a subcommand the workshop opens.");
    Ok(0)
}

pub(super) fn exercises(output: &OutputArgs, args: &ExercisesArgs, out: &mut Out) -> Outcome {
    let desk = Desk::open(output).whole()?;
    if args.document {
        return of_documents(&desk, output, out);
    }
    if output.json {
        let list: Vec<_> = desk
            .course
            .exercises()
            .map(|e| {
                let tally = tally(&desk, e);
                serde_json::json!({
                    "id": e.id, "title": e.title, "minutes": e.minutes,
                    "lesson": e.lesson.as_ref().map(|l| l.text.clone()),
                    "keys": e.keys.iter().map(|k| k.name.text.clone()).collect::<Vec<_>>(),
                    "right": tally.right, "kept": tally.kept, "total": tally.all,
                })
            })
            .collect();
        out.json(&serde_json::json!({ "schema": 1, "exercises": list }));
        return Ok(0);
    }
    let mut table = Table::new(&[
        ("exercise", Align::Left),
        ("title", Align::Left),
        ("lesson", Align::Left),
        ("time", Align::Right),
        ("done", Align::Right),
    ]);
    for exercise in desk.course.exercises() {
        let tally = tally(&desk, exercise);
        table.row(vec![
            exercise.id.clone(),
            exercise.title.clone(),
            exercise
                .lesson
                .as_ref()
                .map_or(String::new(), |l| number(&l.text).to_owned()),
            match exercise.minutes {
                0 => String::new(),
                minutes => format!("{minutes} min"),
            },
            format!("{}/{}", tally.done(), tally.all),
        ]);
    }
    out.lines(table.lines());
    out.gap();
    out.line(format!(
        "tinyllama-tutor check EXERCISE grades {}.",
        desk.places
            .shown(&desk.places.answers().join("EXERCISE.toml"))
    ));
    Ok(0)
}

/// What a name of the documents means here, a sentence for each exercise that has it.
pub(super) fn theirs(desk: &Desk, typed: &str) -> Vec<String> {
    let same = |name: &str| name.eq_ignore_ascii_case(typed);
    let ids = |asked: Vec<(String, String)>| {
        let mut ids: Vec<String> = asked.into_iter().map(|(id, _)| id).collect();
        ids.dedup();
        ids.join(", ")
    };
    let mut said = Vec::new();
    for exercise in assigned() {
        let mut say = |title: &str, asked| {
            let (document, ids) = (document(exercise), ids(asked));
            said.push(format!("{document}, {title}: {ids} here."));
        };
        if exercise.names.iter().any(|name| same(name)) {
            say(&exercise.title, exercise.asked(&desk.course));
        }
        for part in &exercise.parts {
            if part.name.as_deref().is_some_and(same) {
                say(&part.title, part.asked(&desk.course));
            }
        }
    }
    said
}

/// What the document of an exercise is called.
fn document(exercise: &Assigned) -> &str {
    let all = Ledger::built_in().documents().iter();
    let mut of = all.filter(|document| document.id == exercise.document);
    of.next()
        .map_or(&exercise.document, |document| &document.name)
}

/// Minutes that our exercises behind questions take: of each the share that is asked.
fn minutes(desk: &Desk, asked: &[(String, String)]) -> u64 {
    let share = |exercise: &Exercise| {
        let n = asked.iter().filter(|(id, _)| *id == exercise.id).count() as u64;
        (exercise.minutes * n).div_ceil(exercise.keys.len().max(1) as u64)
    };
    desk.course.exercises().map(share).sum()
}

/// The questions: an exercise that is asked whole by its id, else with the keys.
fn questions(desk: &Desk, asked: &[(String, String)]) -> String {
    let of = |exercise: &Exercise| {
        let keys = asked.iter().filter(|(id, _)| *id == exercise.id);
        let keys: Vec<&str> = keys.map(|(_, key)| key.as_str()).collect();
        match keys.len() {
            0 => None,
            n if n == exercise.keys.len() => Some(exercise.id.clone()),
            _ => Some(format!("{} {}", exercise.id, keys.join(" "))),
        }
    };
    let all: Vec<String> = desk.course.exercises().filter_map(of).collect();
    all.join(", ")
}

/// The exercises of the documents, each with its parts, as paths of questions.
fn of_documents(desk: &Desk, output: &OutputArgs, out: &mut Out) -> Outcome {
    if output.json {
        let list: Vec<_> = assigned().iter().map(|e| assigned_json(desk, e)).collect();
        out.json(&serde_json::json!({ "schema": 1, "exercises": list }));
        return Ok(0);
    }
    for (at, exercise) in assigned().iter().enumerate() {
        if at > 0 {
            out.gap();
        }
        let asked = exercise.asked(&desk.course);
        let theirs = match exercise.minutes {
            Some(minutes) => format!("{minutes} min in the document"),
            None => "the document gives no time".to_owned(),
        };
        let head = format!("{}, {}", document(exercise), exercise.title);
        out.lines(wrapped(&head, &format!("{}  ", exercise.name()), "    "));
        out.line(format!(
            "  {theirs}, {} min here; {} of {} done",
            minutes(desk, &asked),
            solved_of(desk, &asked),
            asked.len()
        ));
        for part in &exercise.parts {
            let asked = part.asked(&desk.course);
            let name = part
                .name
                .as_ref()
                .map_or(String::new(), |name| format!("{name}  "));
            let right = format!("{}/{}", solved_of(desk, &asked), asked.len());
            out.lines(wrapped(
                &format!("{name}{} ({right})", part.title),
                "  ",
                "    ",
            ));
            out.lines(wrapped(&questions(desk, &asked), "      ", "      "));
        }
    }
    out.gap();
    let ways = "tinyllama-tutor check NAME asks or grades them; report fills the results template.";
    out.lines(wrapped(ways, "", "  "));
    Ok(0)
}

fn assigned_json(desk: &Desk, exercise: &Assigned) -> serde_json::Value {
    let asked = exercise.asked(&desk.course);
    let parts: Vec<_> = exercise
        .parts
        .iter()
        .map(|part| {
            let asked = part.asked(&desk.course);
            let questions: Vec<_> = asked.iter().map(|(e, k)| format!("{e} {k}")).collect();
            serde_json::json!({
                "name": part.name, "title": part.title, "questions": questions,
                "right": solved_of(desk, &asked), "total": asked.len(),
            })
        })
        .collect();
    serde_json::json!({
        "name": exercise.name(), "names": exercise.names, "document": exercise.document,
        "title": exercise.title, "document_minutes": exercise.minutes,
        "minutes": minutes(desk, &asked), "right": solved_of(desk, &asked),
        "total": asked.len(), "parts": parts,
    })
}
