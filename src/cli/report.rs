//! `report`: the session as one markdown and one HTML file, to hand in or take home.

mod answers;
mod chapters;
mod markdown;

use std::path::{Path, PathBuf};

use clap::Args;

use super::Outcome;
use super::args::OutputArgs;
use super::desk::Desk;
use super::export::{Standing, page_of_pieces, standing};
use super::failure::Failure;
use super::out::Out;
use super::written::unwritten;
use course::present::Piece;
use files::replace;

/// Begins every markdown file that this command wrote.
const MARK: &str = "<!-- tinyllama-tutor report";
/// The files where none is named.
const USUAL: [&str; 2] = ["tutor-report.md", "tutor-report.html"];

/// The session as one file: machine, runs, studies, answers, the results template.
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The file, .md or .html; without one both, tutor-report.md and tutor-report.html
    file: Option<PathBuf>,
    /// Replace a file that this command did not write
    #[arg(long)]
    force: bool,
}

/// A part of a report.
pub(super) struct Chapter {
    /// Its heading.
    title: &'static str,
    /// What it shows, in reading order.
    pieces: Vec<Piece>,
}

/// What a file is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Markdown,
    Html,
}

impl Form {
    /// That of a file's name.
    fn of(path: &Path) -> Result<Self, Failure> {
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        match ending.to_ascii_lowercase().as_str() {
            "md" | "markdown" => Ok(Self::Markdown),
            "html" | "htm" => Ok(Self::Html),
            _ => Err(Failure::usage(format!(
                "{} ends neither in .md nor in .html, and a report is one of the two",
                path.display()
            ))),
        }
    }

    /// What stands near the beginning of a file that we wrote.
    const fn mark(self) -> &'static str {
        match self {
            Self::Markdown => MARK,
            Self::Html => super::export::MARK,
        }
    }

    fn text(self, about: &str, chapters: &[Chapter]) -> String {
        match self {
            Self::Markdown => {
                let version = env!("CARGO_PKG_VERSION");
                let head = format!("{MARK} {version} -->\n\n# {TITLE}\n\n{about}\n");
                let parts = chapters.iter().map(|chapter| {
                    let body = markdown::pieces(&chapter.pieces);
                    format!("\n## {}\n\n{body}", chapter.title)
                });
                head + &parts.collect::<String>()
            }
            Self::Html => {
                let parts = chapters.iter().map(|c| (c.title, c.pieces.as_slice()));
                page_of_pieces(TITLE, about, &parts.collect::<Vec<_>>())
            }
        }
    }
}

const TITLE: &str = "Report of a session";

pub(super) fn report(output: &OutputArgs, args: &ReportArgs, out: &mut Out) -> Outcome {
    let paths: Vec<PathBuf> = match &args.file {
        Some(file) => vec![file.clone()],
        None => USUAL.map(PathBuf::from).to_vec(),
    };
    // Before anything is looked up or written: what cannot be, and what is in the way.
    let forms: Vec<Form> = paths
        .iter()
        .map(|path| Form::of(path))
        .collect::<Result<_, _>>()?;
    let mut replaced = Vec::new();
    for (path, form) in paths.iter().zip(&forms) {
        replaced.push(stands(path, *form, args.force)?);
    }
    let desk = Desk::open(output).whole()?;
    let about = chapters::about(&desk);
    let all = chapters::chapters(&desk)?;
    let mut written = Vec::new();
    for ((path, form), replaced) in paths.iter().zip(&forms).zip(replaced) {
        replace(path, form.text(&about, &all).as_bytes()).map_err(|e| unwritten(path, &e))?;
        let file = path.display().to_string();
        if output.json {
            written.push(serde_json::json!({ "file": file, "replaced": replaced }));
            continue;
        }
        out.line(match replaced {
            true => format!("replaced  {file}"),
            false => format!("made      {file}"),
        });
    }
    if output.json {
        out.json(&serde_json::json!({ "schema": 1, "files": written }));
    }
    Ok(0)
}

/// Whether something is replaced.
fn stands(path: &Path, form: Form, force: bool) -> Result<bool, Failure> {
    match standing(path, form.mark()) {
        Standing::Nothing => Ok(false),
        Standing::Ours => Ok(true),
        Standing::Foreign if force => Ok(true),
        Standing::Foreign => Err(Failure::usage(format!(
            "{} was not written by report and was left as it is; name another file, or --force",
            path.display()
        ))),
        Standing::NoFile => Err(Failure::usage(format!(
            "{} is not a file; name another one",
            path.display()
        ))),
    }
}
