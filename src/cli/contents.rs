//! Without a subcommand and with output that is no terminal: the contents.

use super::Outcome;
use super::args::OutputArgs;
use super::desk::Desk;
use super::lists;
use super::out::Out;
use super::words::wrapped;
use course::Tally;

/// What one would see first in the workshop, as lines.
pub(super) fn contents(output: &OutputArgs, out: &mut Out) -> Outcome {
    if output.json {
        return lists::lessons(output, out);
    }
    let desk = Desk::open(output).whole()?;
    let about =
        "tinyllama-tutor: a workshop on GPU kernel fusion. In a terminal it opens by itself.";
    out.lines(wrapped(about, "", ""));
    out.gap();
    out.lines(lists::lesson_table(&desk).lines());
    out.gap();
    let exercises = desk.course.exercises();
    let all: Tally = exercises.map(|e| lists::tally(&desk, e)).sum();
    out.line(format!("Questions: {}.", all.line()));
    let settings = &desk.progress().settings;
    let chosen = settings.get(course::PATH_SETTING).map(String::as_str);
    if let Some(route) = desk.course.route(chosen) {
        let walk = route.walk(&desk.course, desk.progress());
        out.line(format!("Your path, {}: {}.", route.title, walk.line()));
    }
    for (command, does) in [
        ("path NAME", "the steps of a path; path lists them"),
        ("show LESSON", "a lesson or an exercise as plain text"),
        ("exercises", "the questions"),
        ("cost", "the cost model of a plan"),
        ("compare", "V1 to V4 side by side"),
        ("--help", "everything else"),
    ] {
        out.line(format!("tinyllama-tutor {command:<12} {does}"));
    }
    Ok(0)
}
