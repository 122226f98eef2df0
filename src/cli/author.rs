//! `init`, `new`, `lint`: for people who write lessons.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};

use super::Outcome;
use super::args::{OutputArgs, whole};
use super::desk::Desk;
use super::failure::Failure;
use super::out::Out;
use super::words::counted;
use crate::course::{Made, fails, init as make_workshop, lint as find, new_exercise, new_lesson};

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
pub(super) struct NewArgs {
    #[command(subcommand)]
    what: New,
}

#[derive(Debug, Subcommand)]
enum New {
    /// A lesson: an id such as 30-tensor-cores, or a title
    Lesson {
        /// Id or title
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        name: String,
        /// Where the course lies: the folder that holds lessons/
        #[arg(long, value_name = "DIR", default_value = ".")]
        into: PathBuf,
    },
    /// An exercise with its solution
    Exercise {
        /// Id, such as ex50
        name: String,
        /// The lesson that leads to it
        #[arg(long)]
        lesson: Option<String>,
        /// Where the course lies: the folder that holds exercises/
        #[arg(long, value_name = "DIR", default_value = ".")]
        into: PathBuf,
    },
}

/// Find what is wrong with lessons, exercises and solutions.
#[derive(Debug, Args)]
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
    let made = make_workshop(&args.dir, &desk.course, args.seed).map_err(Failure::usage)?;
    say(&made, out);
    out.gap();
    out.line(format!(
        "Answers are kept in {}; start the workshop from inside this folder.",
        args.dir.join("answers").display()
    ));
    Ok(0)
}

pub(super) fn new(output: &OutputArgs, args: &NewArgs, out: &mut Out) -> Outcome {
    let desk = Desk::open(output).whole()?;
    let made = match &args.what {
        New::Lesson { name, into } => new_lesson(into, &desk.course, name),
        New::Exercise { name, lesson, into } => {
            new_exercise(into, &desk.course, name, lesson.as_deref())
        }
    };
    say(&made.map_err(Failure::usage)?, out);
    out.gap();
    out.line("tinyllama-tutor lint finds what is wrong; --course DIR shows it in the workshop.");
    Ok(0)
}

pub(super) fn lint(output: &OutputArgs, args: &LintArgs, out: &mut Out) -> Outcome {
    // The folder's texts may name lessons that are built in.
    let course = args.dir.clone().or_else(|| output.course.clone());
    let output = OutputArgs {
        course,
        ..output.clone()
    };
    let desk = Desk::open(&output).whole()?;
    let course = &desk.course;
    let findings = find(course);
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
        for finding in &findings {
            out.line(finding.to_string());
        }
        let found = match findings.len() {
            0 => "nothing to mend".to_owned(),
            n => counted(n as u64, "finding"),
        };
        out.line(format!(
            "{}, {}: {found}.",
            counted(course.lessons().len() as u64, "lesson"),
            counted(course.exercises().len() as u64, "exercise"),
        ));
    }
    Ok(if fails(&findings) { 4 } else { 0 })
}
