//! `claims`: what the documents state, and what is true of it.

mod errata;

use clap::Args;
use serde::Serialize;

use super::Outcome;
use super::args::OutputArgs;
use super::desk::{Desk, Runs};
use super::failure::Failure;
use super::out::Out;
use super::words::wrapped;
use course::answer::Env;
use course::answer::claim::Ruling;
use course::claims::{Line, cited};
use course::{Claim, Ledger};

/// What the workshop's documents state, and what is true of it.
#[derive(Debug, Args)]
pub(super) struct ClaimsArgs {
    /// Show one claim in full: K-V1-12, Q-40 …
    id: Option<String>,
    /// Only claims of this document: S0 … S4, U-ARCH …
    #[arg(long, value_name = "ID", conflicts_with = "id")]
    document: Option<String>,
    /// Only claims that were judged so: right, right-if, imprecise, wrong, contradicted, measurable, unconfirmed
    #[arg(long, value_name = "WORD", conflicts_with = "id")]
    verdict: Option<String>,
    /// What to correct in the documents, by document and heading, as a list for those who keep them
    #[arg(long, conflicts_with = "id")]
    errata: bool,
}

pub(super) fn claims(output: &OutputArgs, args: &ClaimsArgs, out: &mut Out) -> Outcome {
    let ledger = Ledger::built_in();
    let desk = Desk::open(output).whole()?;
    if let Some(file) = desk.course.court_off() {
        return Err(Failure::usage(course::Course::no_court(file)));
    }
    if let Some(id) = &args.id {
        let claim = ledger.find(id).map_err(Failure::usage)?;
        if output.json {
            let runs = Runs::default();
            let env = claim.env(desk.gpus()?, &runs)?;
            let claims = vec![document(ledger, claim, &env)];
            out.json(&List { schema: 1, claims });
        } else {
            one(&desk, ledger, claim, out)?;
        }
        return Ok(0);
    }
    let chosen = chosen(ledger, args)?;
    if args.errata {
        let runs = Runs::default();
        let gpus = desk.gpus()?;
        let env = |claim: &Claim| Ok(claim.env(gpus, &runs)?);
        let only = args.document.as_deref().map(|typed| ledger.document(typed));
        let errata = ledger.errata(&chosen, only.transpose().map_err(Failure::usage)?);
        if output.json {
            out.json(&errata::document(&chosen, errata, &env)?);
        } else {
            errata::print(ledger, &chosen, &errata, &env, out)?;
        }
        return Ok(0);
    }
    if output.json {
        let runs = Runs::default();
        let mut claims = Vec::with_capacity(chosen.len());
        for claim in &chosen {
            let env = claim.env(desk.gpus()?, &runs)?;
            claims.push(document(ledger, claim, &env));
        }
        out.json(&List { schema: 1, claims });
        return Ok(0);
    }
    list(ledger, &chosen, out);
    Ok(0)
}

/// The claims that the options leave.
fn chosen<'l>(ledger: &'l Ledger, args: &ClaimsArgs) -> Result<Vec<&'l Claim>, Failure> {
    let document = match &args.document {
        Some(typed) => Some(ledger.document(typed).map_err(Failure::usage)?),
        None => None,
    };
    let ruling = match &args.verdict {
        Some(word) => Some(Ruling::parse(word).ok_or_else(|| {
            let known: Vec<&str> = Ruling::ALL.iter().map(|r| r.word()).collect();
            Failure::usage(format!(
                "there is no verdict “{word}”; known are {}",
                known.join(", ")
            ))
        })?),
        None => None,
    };
    let fits = |claim: &&Claim| {
        document.is_none_or(|d| claim.is_in(&d.id)) && ruling.is_none_or(|r| claim.ruling == r)
    };
    Ok(ledger.claims().iter().filter(fits).collect())
}

/// Ids and titles by group, with the verdicts.
fn list(ledger: &Ledger, chosen: &[&Claim], out: &mut Out) {
    let mut group = "";
    for claim in chosen {
        if claim.group != group {
            if !group.is_empty() {
                out.gap();
            }
            group = &claim.group;
            out.line(format!("## {}", ledger.group(claim)));
        }
        let by: Vec<&str> = match claim.ruling {
            Ruling::Contradicted => claim.by.iter().map(|b| b.as_str()).collect(),
            _ => Vec::new(),
        };
        let by = if by.is_empty() {
            String::new()
        } else {
            format!(" by {}", by.join(", "))
        };
        let line = format!(
            " {:<15} {:<29} {}{by}",
            claim.id.text, claim.title, claim.ruling
        );
        out.line(line);
    }
    if !chosen.is_empty() {
        out.gap();
    }
    let tally: Vec<String> = Ruling::ALL
        .iter()
        .map(|ruling| {
            (
                chosen.iter().filter(|c| c.ruling == *ruling).count(),
                ruling,
            )
        })
        .filter(|(count, _)| *count > 0)
        .map(|(count, ruling)| format!("{count} {ruling}"))
        .collect();
    let sum = match chosen.len() {
        0 => "No claim matches.".to_owned(),
        1 => format!("1 claim: {}.", tally.join(", ")),
        n => format!("{n} claims: {}.", tally.join(", ")),
    };
    out.lines(wrapped(&sum, "", ""));
    out.line("tinyllama-tutor claims ID shows one with its evidence.");
}

/// A claim in full, in reading order.
fn one(desk: &Desk, ledger: &Ledger, claim: &Claim, out: &mut Out) -> Result<(), Failure> {
    let runs = Runs::default();
    let env = claim.env(desk.gpus()?, &runs)?;
    out.line(format!("{}  {}", claim.id.text, claim.title));
    for place in &claim.places {
        out.lines(wrapped(&ledger.named(place), "  ", "  "));
    }
    out.gap();
    for line in evidence(claim, &env) {
        out.line(line);
    }
    let lessons: Vec<&str> = cited(&desk.course, &claim.id.text)
        .map(|l| l.id.as_str())
        .collect();
    if !lessons.is_empty() {
        out.line(format!("Lessons: {}", lessons.join(", ")));
    }
    Ok(())
}

/// What the document says, what the model says, the verdict, what is true, and
/// how to see it.
fn evidence(claim: &Claim, env: &Env<'_>) -> Vec<String> {
    let mut out = wrapped(&claim.says.text, "The document says: ", "  ");
    if let Some(shape) = claim.shape(env) {
        out.push(format!("  here: {shape}"));
    }
    out.extend(claim.document_lines(env).iter().map(spoken));
    let model = claim.model_lines(env);
    if !model.is_empty() {
        out.push("What we find, modelled, worked out or recorded:".to_owned());
        out.extend(model.iter().map(spoken));
    }
    out.extend(wrapped(&format!("{}.", claim.verdict()), "Verdict: ", "  "));
    out.extend(wrapped(&claim.truth_in(env), "  ", "  "));
    if let Some(how) = claim.how_found() {
        out.push(format!("  {how}"));
    }
    if let Some(command) = claim.demonstration() {
        out.extend(wrapped(&command, "  Command: ", "  "));
    }
    out
}

/// `  this model: 22.22 %`
fn spoken(line: &Line) -> String {
    match &line.value {
        Ok(value) => format!("  {}: {value}", line.label),
        Err(why) => format!("  {}: ({why})", line.label),
    }
}

#[derive(Serialize)]
struct List<'l> {
    schema: u32,
    claims: Vec<Document<'l>>,
}

/// A claim as JSON.
#[derive(Serialize)]
struct Document<'l> {
    id: &'l str,
    title: &'l str,
    group: &'l str,
    sources: Vec<Found<'l>>,
    says: &'l str,
    printed: Option<&'l str>,
    verdict: &'static str,
    assumption: Option<&'l str>,
    by: Vec<&'l str>,
    truth: String,
    by_reading: bool,
    document: Vec<Figure>,
    model: Vec<Figure>,
    evidence: &'static str,
    command: Option<String>,
}

#[derive(Serialize)]
struct Found<'l> {
    document: &'l str,
    heading: &'l str,
}

#[derive(Serialize)]
struct Figure {
    label: String,
    value: Option<String>,
}

fn figures(lines: Vec<Line>) -> Vec<Figure> {
    let figure = |line: Line| Figure {
        label: line.label,
        value: line.value.ok(),
    };
    lines.into_iter().map(figure).collect()
}

fn document<'l>(ledger: &'l Ledger, claim: &'l Claim, env: &Env<'_>) -> Document<'l> {
    Document {
        id: &claim.id.text,
        title: &claim.title,
        group: ledger.group(claim),
        sources: claim
            .places
            .iter()
            .map(|place| Found {
                document: &place.document,
                heading: &place.heading,
            })
            .collect(),
        says: &claim.says.text,
        printed: claim.printed.as_deref(),
        verdict: claim.ruling.word(),
        assumption: claim.assumption.as_ref().map(|a| a.as_str()),
        by: claim.by.iter().map(|b| b.as_str()).collect(),
        truth: claim.truth_in(env),
        by_reading: claim.by_reading,
        document: figures(claim.document_lines(env)),
        model: figures(claim.model_lines(env)),
        evidence: claim.evidence.word(),
        command: claim.demonstration(),
    }
}
