//! `show LESSON`: a lesson as plain text, in reading order.

use clap::Args;

use super::Outcome;
use super::args::{OutputArgs, whole};
use super::desk::{Desk, Runs, complaints};
use super::live;
use super::out::Out;
use crate::answer::Env;
use crate::course::{KINDS, Part, fill};
use crate::markup::{Plain, Resolved, Value, parse};

/// Columns of a line of prose.
const MEASURE: usize = 79;

/// A lesson as plain text.
#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// The lesson, by id or number
    lesson: String,
    /// One section only, by number
    #[arg(value_name = "SECTION", value_parser = whole::<usize>)]
    section: Option<usize>,
}

/// An inline number evaluated in `env`, or why that cannot be.
pub(super) fn resolved(value: &Value, env: &Env<'_>) -> Resolved {
    let mut failed = false;
    let shown = fill(&format!("`= {}`", value.expression), |inline| {
        inline.show(env).unwrap_or_else(|(_, say)| {
            failed = true;
            format!("({say})")
        })
    });
    if failed {
        Resolved::error(shown)
    } else {
        Resolved::value(shown)
    }
}

/// Markdown as plain lines, its inline numbers evaluated in `env`.
pub(super) fn plain_text(text: &str, line: usize, ascii: bool, env: &Env<'_>) -> Vec<String> {
    let resolve = |value: &Value| resolved(value, env);
    let document = parse(text, line, &KINDS);
    let plain = Plain {
        width: MEASURE,
        ascii,
        resolve: &resolve,
        live: &|_| Vec::new(),
    };
    let mut lines = Vec::new();
    for section in &document.sections {
        lines.extend(plain.section(section));
    }
    lines
}

pub(super) fn show(output: &OutputArgs, args: &ShowArgs, out: &mut Out) -> Outcome {
    let desk = Desk::open(output).whole()?;
    let lesson = desk.lesson(&args.lesson)?;
    let runs = Runs::default();
    let env = desk.env(&lesson.setup, &runs)?;
    let total = lesson.sections.len();
    if let Some(n) = args.section
        && !(1..=total).contains(&n)
    {
        return Err(super::failure::Failure::usage(format!(
            "{} has sections 1 to {total}",
            lesson.id
        )));
    }
    for (number, section) in (1..).zip(&lesson.sections) {
        if args.section.is_some_and(|n| n != number) {
            continue;
        }
        if number > 1 && args.section.is_none() {
            out.gap();
        }
        out.line(format!(
            "## {} {}, section {number} of {total}: {}",
            lesson.id, lesson.title, section.title
        ));
        for part in &section.parts {
            match part {
                Part::Prose { text, line, .. } => {
                    out.lines(plain_text(text, *line, output.ascii, &env));
                }
                Part::Live(block) => {
                    out.lines(live::lines(&desk, lesson, block)?);
                }
            }
        }
    }
    Ok(complaints(&lesson.faults))
}
