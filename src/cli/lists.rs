//! `lessons`, `exercises`: what there is and how far one is.

use super::Outcome;
use super::args::OutputArgs;
use super::desk::Desk;
use super::out::Out;
use super::table::{Align, Table};
use app::contents::number;
use course::{Exercise, Lesson};

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

/// Questions solved, of all, in the variant that is answered.
pub(super) fn solved(desk: &Desk, exercise: &Exercise) -> (usize, usize) {
    let progress = desk.progress();
    let answered = match progress.variant(&exercise.id) {
        0 => None,
        number => exercise.variant(number).ok(),
    };
    let exercise = answered.as_ref().unwrap_or(exercise);
    (progress.right(exercise), exercise.keys.len())
}

/// How many of some questions are solved.
pub(super) fn solved_of(desk: &Desk, asked: &[(String, String)]) -> usize {
    let progress = desk.progress();
    let solved = |(exercise, key): &&(String, String)| progress.key(exercise, key).solved;
    asked.iter().filter(solved).count()
}

/// The lessons and how far they are read, a row each.
pub(super) fn lesson_table(desk: &Desk) -> Table {
    let mut table = Table::new(&[
        ("lesson", Align::Left),
        ("title", Align::Left),
        ("shows", Align::Left),
        ("time", Align::Right),
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

pub(super) fn exercises(output: &OutputArgs, out: &mut Out) -> Outcome {
    let desk = Desk::open(output).whole()?;
    if output.json {
        let list: Vec<_> = desk
            .course
            .exercises()
            .map(|e| {
                let (right, all) = solved(&desk, e);
                serde_json::json!({
                    "id": e.id, "title": e.title, "minutes": e.minutes,
                    "lesson": e.lesson.as_ref().map(|l| l.text.clone()),
                    "keys": e.keys.iter().map(|k| k.name.text.clone()).collect::<Vec<_>>(),
                    "right": right, "total": all,
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
        ("right", Align::Right),
    ]);
    for exercise in desk.course.exercises() {
        let (right, all) = solved(&desk, exercise);
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
            format!("{right}/{all}"),
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
