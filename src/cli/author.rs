//! `init`, `new`, `lint`: for people who write lessons.

mod maths;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};

use super::Outcome;
use super::args::{OutputArgs, whole};
use super::desk::Desk;
use super::failure::Failure;
use super::out::{Out, complain};
use super::words::{counted, wrapped};
use course::{
    Course, Made, Places, Surroundings, fails, init as make_workshop, lint as find, new_exercise,
    new_lesson,
};

/// Make a workshop folder with a sheet per exercise.
#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// The folder
    dir: PathBuf,
    /// Draw a variant of every exercise from this seed, so that neighbours answer
    /// at other shapes
    #[arg(long, value_name = "N", value_parser = whole::<u64>)]
    seed: Option<u64>,
}

/// Start a lesson or an exercise from a template.
#[derive(Debug, Args)]
#[command(
    after_help = "Paths through a course have no template: they are written into lessons/paths.toml."
)]
pub(super) struct NewArgs {
    #[command(subcommand)]
    what: New,
}

#[derive(Debug, Subcommand)]
enum New {
    /// A lesson: an id such as 40-tensor-cores, or a title
    Lesson {
        /// Id or title
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        name: String,
        /// The course folder; the course in use where none is named, else this folder
        #[arg(long, value_name = "DIR")]
        into: Option<PathBuf>,
    },
    /// An exercise with its solution
    Exercise {
        /// Id, such as ex60
        name: String,
        /// The lesson that leads to it; the last one where none is named
        #[arg(long)]
        lesson: Option<String>,
        /// The course folder; the course in use where none is named, else this folder
        #[arg(long, value_name = "DIR")]
        into: Option<PathBuf>,
    },
}

/// Find what is wrong with lessons, exercises, solutions and paths.
#[derive(Debug, Args)]
#[command(after_help = "Paths through the course are read from lessons/paths.toml of its folder.")]
pub(super) struct LintArgs {
    /// A folder with lessons/, exercises/ or solutions/; the course in use where
    /// none is named
    dir: Option<PathBuf>,
}

fn say(made: &[Made], out: &mut Out) {
    for file in made {
        let word = if file.new { "made" } else { "kept" };
        out.line(format!("{word}  {}", file.path.display()));
    }
}

pub(super) fn init(output: &OutputArgs, args: &InitArgs, out: &mut Out) -> Outcome {
    let desk = Desk::open(output).whole()?;
    let laid = desk.places.overlays.last().map(PathBuf::as_path);
    let gpu = desk.places.gpu;
    let made = make_workshop(&args.dir, &desk.course, (laid, gpu), args.seed);
    say(&made.map_err(Failure::usage)?, out);
    let named = course::device_of(&args.dir);
    if let Some(gpu) = gpu.filter(|gpu| named != Some(*gpu)) {
        complain(&format!(
            "{} was there and is left as it is; write gpu = \"{gpu}\" into it, or lessons there speak of another device than the new sheets.",
            args.dir.join("workshop.toml").display()
        ));
    }
    out.gap();
    out.line(format!(
        "Answers are kept in {}; start the workshop from inside this folder.",
        args.dir.join("answers").display()
    ));
    Ok(0)
}

pub(super) fn new(output: &OutputArgs, args: &NewArgs, out: &mut Out) -> Outcome {
    let (New::Lesson { into, .. } | New::Exercise { into, .. }) = &args.what;
    let around = Surroundings::here();
    let places = |course: Option<&Path>| Places::find(&around, output.state.as_deref(), course);
    let named = into.as_deref().or(output.course.as_deref());
    // The folder may be empty still, or not there at all: then the course is the built-in one.
    let found = places(named);
    let folder = found.overlays.last().unwrap_or(&around.current);
    let course = Course::open(&found);
    let made = match &args.what {
        New::Lesson { name, .. } => new_lesson(folder, &course, name),
        New::Exercise { name, lesson, .. } => {
            new_exercise(folder, &course, name, lesson.as_deref())
        }
    };
    let made = made.map_err(Failure::usage)?;
    for file in &made {
        let file = folder.join(&file.path);
        out.line(format!("made  {}", found.shown(&file)));
        if let Some(what) = built_in(&file) {
            out.line(format!(
                "It stands in for the built-in {what} of that name."
            ));
        }
    }
    // Where the folder is found without being named, it need not be.
    let option = match places(None).overlays.contains(folder) {
        true => String::new(),
        false => format!(" --course {}", found.shown(folder)),
    };
    out.gap();
    out.line(format!(
        "What is wrong with it: tinyllama-tutor{option} lint"
    ));
    match &args.what {
        New::Lesson { .. } => out.line(format!(
            "On the screen, read again whenever you save: tinyllama-tutor{option}"
        )),
        New::Exercise { name, .. } => {
            out.line(format!("Answer it: tinyllama-tutor{option} check {name}"))
        }
    }
    Ok(0)
}

/// What the built-in course has under a file's name.
fn built_in(file: &Path) -> Option<&'static str> {
    let id = file.file_stem()?.to_str()?;
    let shelf = file.parent()?.file_name()?.to_str()?;
    let course = Course::built_in();
    match shelf {
        "lessons" if course.lessons().any(|text| text.id == id) => Some("lesson"),
        "exercises" if course.exercises().any(|text| text.id == id) => Some("exercise"),
        _ => None,
    }
}

pub(super) fn lint(output: &OutputArgs, args: &LintArgs, out: &mut Out) -> Outcome {
    // The folder's texts may name lessons that are built in.
    let course = args.dir.clone().or_else(|| output.course.clone());
    let output = OutputArgs {
        course,
        ..output.clone()
    };
    let desk = Desk::open(&output).found()?;
    let course = &desk.course;
    let mut findings = find(course);
    findings.extend(maths::findings(course));
    findings.sort();
    findings.dedup();
    if output.json {
        let list: Vec<_> = findings
            .iter()
            .map(|f| {
                serde_json::json!({
                    "file": f.file, "line": f.at.line, "column": f.at.column,
                    "level": format!("{:?}", f.level).to_lowercase(), "message": f.say,
                })
            })
            .collect();
        out.json(&serde_json::json!({ "schema": 1, "findings": list }));
    } else {
        // What reads a pipe takes a finding from each line.
        let wraps = std::io::stdout().is_terminal();
        for finding in &findings {
            match wraps {
                true => out.lines(wrapped(&finding.to_string(), "", "  ")),
                false => out.line(finding.to_string()),
            }
        }
        let found = match findings.len() {
            0 => "nothing to mend".to_owned(),
            n => counted(n as u64, "finding"),
        };
        let of = match desk.places.overlays.last() {
            Some(folder) => desk.places.shown(folder),
            None => "the built-in course".to_owned(),
        };
        let of = if of == "." { "this folder" } else { &of };
        out.line(format!(
            "{} and {} of {of}: {found}.",
            counted(course.own_lessons().count() as u64, "lesson"),
            counted(course.own_exercises().count() as u64, "exercise"),
        ));
    }
    Ok(if fails(&findings) { 4 } else { 0 })
}
