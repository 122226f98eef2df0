//! `path`: ways through the course, how far one is on each, and which is followed.

use clap::Args;

use super::Outcome;
use super::args::OutputArgs;
use super::desk::Desk;
use super::failure::Failure;
use super::lists::solved_of;
use super::out::{Out, complain};
use super::table::{Align, Table};
use super::words::wrapped;
use course::{Event, Leg, Next, PATH_SETTING, Route};

/// Ways through the course; with a name, the steps of one.
#[derive(Debug, Args)]
#[command(after_help = "The paths of a course of yours stand in lessons/paths.toml of its folder.")]
pub(super) struct PathArgs {
    /// Its name; without one the paths are listed
    name: Option<String>,
    /// Follow it from now on: Home goes on with it
    #[arg(long, requires = "name")]
    follow: bool,
}

pub(super) fn path(output: &OutputArgs, args: &PathArgs, out: &mut Out) -> Outcome {
    let desk = Desk::open(output).whole()?;
    if let Some(fault) = desk.course.routes_fault() {
        complain(&format!("{fault} The built-in paths are followed instead."));
    }
    let Some(name) = &args.name else {
        return list(&desk, output, out);
    };
    let routes = desk.course.routes();
    let Some(route) = routes.iter().find(|route| route.name.text == *name) else {
        let names: Vec<&str> = routes.iter().map(|r| r.name.as_str()).collect();
        return Err(Failure::usage(format!(
            "there is no path “{name}”; there are {}",
            names.join(", ")
        )));
    };
    if args.follow {
        desk.record(&[Event::Chose {
            setting: PATH_SETTING.to_owned(),
            value: Some(name.clone()),
        }]);
    }
    if output.json {
        out.json(&serde_json::json!({ "schema": 1, "path": json(&desk, route) }));
        return Ok(0);
    }
    let walk = route.walk(&desk.course, desk.progress());
    let head = format!(
        "{}, {} min: {}.",
        route.title,
        route.minutes(&desk.course),
        walk.line()
    );
    out.lines(wrapped(&head, "", "  "));
    if !route.about.is_empty() {
        out.lines(wrapped(&route.about, "", ""));
    }
    out.gap();
    let mut table = Table::new(&[
        ("lesson", Align::Left),
        ("sections", Align::Left),
        ("questions", Align::Left),
        ("to read, answer", Align::Right),
        ("done", Align::Right),
    ]);
    for leg in route.legs(&desk.course) {
        let right = solved_of(&desk, &leg.asked);
        table.row(vec![
            leg.lesson.id.clone(),
            sections(&leg),
            questions(&leg),
            format!("{} min", leg.minutes),
            format!("{right}/{}", leg.asked.len()),
        ]);
    }
    out.lines(table.lines());
    let breaks = route.breaks(&desk.course);
    if breaks > 0 {
        let steps = route.minutes(&desk.course) - breaks;
        out.line(format!(
            " These take {steps} min; {breaks} min are for breaks."
        ));
    }
    out.gap();
    match (&walk.next, walk.missing()) {
        (Some(next), _) => out.line(format!("Next: {}", command(&desk, next))),
        (None, None) => out.line("This path is through."),
        (None, Some(missing)) => out.line(format!("This path is through; {missing}.")),
    }
    Ok(0)
}

fn list(desk: &Desk, output: &OutputArgs, out: &mut Out) -> Outcome {
    let routes = desk.course.routes();
    let settings = &desk.progress().settings;
    let chosen = settings.get(PATH_SETTING).map(String::as_str);
    let followed = desk.course.route(chosen).map(|route| &route.name);
    if output.json {
        let list: Vec<_> = routes.iter().map(|route| json(desk, route)).collect();
        let followed = followed.map(|name| &name.text);
        out.json(&serde_json::json!({ "schema": 1, "followed": followed, "paths": list }));
        return Ok(0);
    }
    let mut table = Table::new(&[
        ("path", Align::Left),
        ("title", Align::Left),
        ("lessons", Align::Right),
        ("time", Align::Right),
        ("done", Align::Right),
        ("", Align::Left),
    ]);
    for route in routes {
        let walk = route.walk(&desk.course, desk.progress());
        let here = followed == Some(&route.name);
        table.row(vec![
            route.name.text.clone(),
            route.title.clone(),
            route.legs(&desk.course).len().to_string(),
            format!("{} min", route.minutes(&desk.course)),
            format!("{}/{}", walk.done, walk.all),
            if here { "followed" } else { "" }.to_owned(),
        ]);
    }
    out.lines(table.lines());
    out.gap();
    out.line("tinyllama-tutor path NAME prints the steps of one; --follow takes it.");
    Ok(0)
}

/// How many sections of the lesson are read, where not all are.
fn sections(leg: &Leg<'_>) -> String {
    let (named, all) = (leg.sections.len(), leg.lesson.sections.len());
    match named == all {
        true => "all".to_owned(),
        false => format!("{named} of {all}"),
    }
}

/// The exercises, with the keys where not all of one are asked.
fn questions(leg: &Leg<'_>) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut last = "";
    for (exercise, key) in &leg.asked {
        match out.last_mut() {
            Some(text) if last == exercise => {
                text.push(' ');
                text.push_str(key);
            }
            _ => out.push(format!("{exercise} {key}")),
        }
        last = exercise;
    }
    // A long list of keys says less than the exercise alone.
    let short = out.iter().map(|text| match text.split(' ').count() {
        0..=4 => text.clone(),
        n => {
            let exercise = text.split(' ').next().unwrap_or_default();
            format!("{exercise} ({} questions)", n - 1)
        }
    });
    short.collect::<Vec<_>>().join(", ")
}

/// The command that leads to what comes next.
fn command(desk: &Desk, next: &Next) -> String {
    match next {
        Next::Section(lesson, section) => {
            let lesson = desk.course.lessons().nth(*lesson);
            let title = lesson.and_then(|l| l.sections.get(*section));
            format!(
                "tinyllama-tutor show {}  ({})",
                lesson.map_or("", |l| l.id.as_str()),
                title.map_or("", |s| s.title.as_str())
            )
        }
        Next::Question(exercise, key) => format!("tinyllama-tutor check {exercise}  ({key})"),
    }
}

fn json(desk: &Desk, route: &Route) -> serde_json::Value {
    let walk = route.walk(&desk.course, desk.progress());
    let steps: Vec<_> = route
        .legs(&desk.course)
        .iter()
        .map(|leg| {
            let section = |at: &usize| leg.lesson.sections.get(*at).map(|s| s.id.clone());
            let sections: Vec<_> = leg.sections.iter().filter_map(section).collect();
            let asked: Vec<_> = leg.asked.iter().map(|(e, k)| format!("{e} {k}")).collect();
            serde_json::json!({
                "lesson": leg.lesson.id, "sections": sections, "questions": asked,
                "minutes": leg.minutes, "right": solved_of(desk, &leg.asked),
            })
        })
        .collect();
    serde_json::json!({
        "name": route.name.text, "title": route.title, "about": route.about,
        "minutes": route.minutes(&desk.course), "right": walk.done, "total": walk.all,
        "steps": steps,
    })
}
