//! `progress`: how far one is, and taking it to another machine.

use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::Outcome;
use super::args::OutputArgs;
use super::desk::Desk;
use super::failure::Failure;
use super::lists::{read, tally};
use super::out::Out;
use super::words::counted;
use course::{Progress, Tally, now};
use files::{plain, read_bounded, replace};

/// Largest file that is taken in.
const LARGEST: usize = 8 * 1024 * 1024;

/// How far you are; take it to another machine.
#[derive(Debug, Args)]
pub(super) struct ProgressArgs {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Write progress to a file, or print it
    Export {
        /// The file
        file: Option<PathBuf>,
    },
    /// Take in progress from such a file; nothing that is here is lost
    Import {
        /// The file; none, or `-`: standard input
        #[arg(default_value = "-")]
        file: PathBuf,
    },
}

pub(super) fn progress(output: &OutputArgs, args: &ProgressArgs, out: &mut Out) -> Outcome {
    let desk = Desk::open(output).whole()?;
    match &args.what {
        None => summary(&desk, output.json, out),
        Some(What::Export { file }) => export(&desk, file.as_deref(), output.json, out),
        Some(What::Import { file }) => import(&desk, file, output.json, out),
    }
}

fn summary(desk: &Desk, json: bool, out: &mut Out) -> Outcome {
    let lessons = desk.course.lessons().filter(|l| l.minutes > 0);
    let lessons: Vec<(usize, usize)> = lessons.map(|l| read(desk, l)).collect();
    let questions: Tally = desk.course.exercises().map(|e| tally(desk, e)).sum();
    let whole = lessons.iter().filter(|(done, all)| done == all).count();
    let sections: usize = lessons.iter().map(|(done, _)| done).sum();
    let of: usize = lessons.iter().map(|(_, all)| all).sum();
    let (log, practise) = (&desk.progress().log, &desk.progress().practise);
    let total = |numbers: &mut dyn Iterator<Item = u64>| numbers.fold(0, u64::saturating_add);
    let at_once = total(&mut practise.cards.values().map(|card| card.right));
    let seconds = total(&mut log.seconds.values().copied());
    let streak = log.streak(now());
    let file = desk.places.shown(&desk.places.progress());
    if json {
        out.json(&serde_json::json!({
            "schema": 1,
            "lessons": { "read": whole, "total": lessons.len() },
            "sections": { "read": sections, "total": of },
            "questions": {
                "right": questions.right, "kept": questions.kept, "slip": questions.slip,
                "wrong": questions.wrong, "total": questions.all,
            },
            "practise": { "asked": practise.asked, "right": at_once },
            "days": { "in_a_row": streak, "total": log.days.len() },
            "seconds": { "total": seconds, "lessons": log.seconds },
            "file": file,
        }));
        return Ok(0);
    }
    out.line(format!(
        "lessons    {whole} of {} read, {sections} of {of} sections",
        lessons.len()
    ));
    out.line(format!("questions  {}", questions.line()));
    if practise.asked > 0 {
        out.line(format!(
            "practice   {at_once} of {} right at the first answer",
            practise.asked
        ));
    }
    if !log.days.is_empty() {
        let days = counted(log.days.len() as u64, "day");
        out.line(format!("days       {streak} in a row, {days} in all (UTC)"));
    }
    if seconds >= 60 {
        out.line(format!(
            "time       {} while keys were pressed, by lesson with its exercises:",
            spent(seconds)
        ));
        for (id, n) in &log.seconds {
            let lesson = desk.course.lesson(id).ok();
            let planned = lesson.filter(|l| l.minutes > 0);
            let planned = planned.map_or(String::new(), |l| format!(" of {} planned", l.minutes));
            out.line(format!("           {id:<22} {:>8}{planned}", spent(*n)));
        }
    }
    out.line(format!("kept in    {file}"));
    Ok(0)
}

/// `1 h 20 min`.
fn spent(seconds: u64) -> String {
    let minutes = seconds / 60;
    match minutes / 60 {
        0 => format!("{minutes} min"),
        hours => format!("{hours} h {} min", minutes % 60),
    }
}

fn export(desk: &Desk, file: Option<&Path>, json: bool, out: &mut Out) -> Outcome {
    let text = desk.progress().write();
    let Some(file) = file else {
        if json {
            return Err(Failure::usage(
                "progress export prints TOML; tinyllama-tutor export --json has progress and answers as JSON",
            ));
        }
        out.text(&text);
        return Ok(0);
    };
    if std::fs::symlink_metadata(file).is_ok() {
        return Err(Failure::usage(format!(
            "{} exists already and was left as it is; choose another name",
            file.display()
        )));
    }
    replace(file, text.as_bytes()).map_err(|e| {
        Failure::usage(format!(
            "{} cannot be written: {}",
            file.display(),
            plain(&e)
        ))
    })?;
    match json {
        true => out.json(&serde_json::json!({ "schema": 1, "file": file })),
        false => out.line(format!(
            "Written to {}. On the other machine: tinyllama-tutor progress import {}",
            file.display(),
            file.display()
        )),
    }
    Ok(0)
}

fn import(desk: &Desk, file: &Path, json: bool, out: &mut Out) -> Outcome {
    let piped = file.as_os_str() == "-";
    if piped && io::stdin().is_terminal() {
        return Err(Failure::usage(
            "no file is named; pass one that progress export wrote, or pipe one in",
        ));
    }
    let shown = match piped {
        true => "standard input".to_owned(),
        false => file.display().to_string(),
    };
    let read = match piped {
        true => {
            let mut bytes = Vec::new();
            let mut input = io::stdin().take(LARGEST as u64 + 1);
            input
                .read_to_end(&mut bytes)
                .and_then(|n| match n > LARGEST {
                    true => Err(io::Error::from(io::ErrorKind::FileTooLarge)),
                    false => Ok(bytes),
                })
        }
        false => read_bounded(file, LARGEST),
    };
    let bytes =
        read.map_err(|e| Failure::usage(format!("{shown} cannot be read: {}", plain(&e))))?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Failure::usage(format!(
            "{shown} is not UTF-8, so it is not a progress file"
        ))
    })?;
    let other = Progress::read(&text).map_err(|_| {
        Failure::usage(format!(
            "{shown} is not TOML; take a file that progress export wrote"
        ))
    })?;
    if let Some(version) = other.newer() {
        return Err(Failure::usage(format!(
            "{shown} was written by a newer program (version {version} of its form); import it with that one"
        )));
    }
    let solved_in = |progress: &Progress| -> usize {
        let keys = progress.exercises.values().flat_map(|keys| keys.values());
        keys.filter(|key| key.solved).count()
    };
    let read_in =
        |progress: &Progress| -> usize { progress.lessons.values().map(|l| l.read.len()).sum() };
    let (solved, read) = (solved_in(desk.progress()), read_in(desk.progress()));
    let merged = desk.take_in(&other)?;
    let (solved, read) = (solved_in(&merged) - solved, read_in(&merged) - read);
    match json {
        true => out.json(&serde_json::json!({
            "schema": 1, "questions": solved, "sections": read,
        })),
        false => out.line(format!(
            "Imported: {} read and {} solved that were not here. Nothing that was here is lost.",
            counted(read as u64, "section"),
            counted(solved as u64, "question")
        )),
    }
    Ok(0)
}
