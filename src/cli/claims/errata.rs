//! `claims --errata`: what to correct in the documents, as a letter to those who keep
//! them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::super::out::Out;
use super::super::words::{counted, wrapped};
use super::{Figure, figures};
use course::answer::Env;
use course::answer::claim::Ruling;
use course::claims::{Errata, Line};
use course::{Claim, Ledger};

/// The kinds of corrections, the gravest first, as a sentence counts them.
const KINDS: [(Ruling, &str); 4] = [
    (Ruling::Wrong, "not right as printed"),
    (Ruling::Contradicted, "at odds with another place"),
    (Ruling::Imprecise, "near the truth, or too vague to use"),
    (
        Ruling::RightIf,
        "right under a condition that the text does not state",
    ),
];

/// Prints the errata of the claims that were `chosen`, `env` being that of a claim.
pub(super) fn print<'e>(
    ledger: &Ledger,
    chosen: &[&Claim],
    errata: &[Errata<'_>],
    env: &dyn Fn(&Claim) -> Result<Env<'e>, super::Failure>,
    out: &mut Out,
) -> Result<(), super::Failure> {
    out.line("# Suggested corrections");
    out.gap();
    for paragraph in preface(chosen, errata) {
        out.lines(wrapped(&paragraph, "", ""));
        out.gap();
    }
    for Errata { document, headings } in errata {
        out.line(format!("## {} ({})", document.name, document.id));
        for (heading, claims) in headings {
            if !heading.is_empty() {
                out.gap();
                out.line(format!("### {heading}"));
            }
            for claim in claims {
                out.gap();
                for line in entry(ledger, claim, &env(claim)?) {
                    out.line(line);
                }
            }
        }
        out.gap();
    }
    Ok(())
}

/// The claims with an entry, by what is to be done about them; one that stands in
/// several places is one.
fn counts(errata: &[Errata<'_>]) -> [usize; 4] {
    let headings = errata.iter().flat_map(|e| &e.headings);
    let all = headings.flat_map(|(_, claims)| claims);
    let ids: BTreeMap<&str, Ruling> = all.map(|c| (c.id.as_str(), c.ruling)).collect();
    KINDS.map(|(ruling, _)| ids.values().filter(|r| **r == ruling).count())
}

fn preface(chosen: &[&Claim], errata: &[Errata<'_>]) -> Vec<String> {
    let many = |n: usize, one: &str| counted(n as u64, one);
    let kinds = counts(errata);
    let entries: usize = kinds.iter().sum();
    let looked_at = many(chosen.len(), "statement");
    if entries == 0 {
        return vec![format!(
            "We went through {looked_at} and have nothing to suggest."
        )];
    }
    let said: Vec<String> = KINDS
        .iter()
        .zip(kinds)
        .filter(|(_, count)| *count > 0)
        .map(|((_, words), count)| format!("{count} {words}"))
        .collect();
    vec![
        "Thank you for these documents: a course was made of them. On the way their statements were computed, counted or measured again, one by one, and where a text could be clearer or a number could be mended, it is noted here.".to_owned(),
        format!(
            "Of {looked_at} {} in {}: {}. One that stands in several places is listed at each.",
            match entries {
                1 => "1 has an entry".to_owned(),
                n => format!("{n} have an entry"),
            },
            many(errata.len(), "document"),
            said.join("; ")
        ),
        "Each entry has what stands in the text (in our words, with what we quote in quotation marks), what we find, why, and, where there is one, a command that shows it, so that nothing need be taken on trust. We may be wrong as well, and would be glad to hear of it.".to_owned(),
    ]
}

/// An entry: title, what stands there, what is so, why, and what shows it.
fn entry(ledger: &Ledger, claim: &Claim, env: &Env<'_>) -> Vec<String> {
    let mut out = vec![
        format!("**{}** ({})", claim.title, claim.id.text),
        String::new(),
    ];
    let mut item = |name: &str, text: &str| {
        out.extend(wrapped(text, &format!("- {name}: "), "  "));
    };
    item("In the text", &claim.says.text);
    let found: Vec<String> = claim.model_lines(env).iter().map(spoken).collect();
    if !found.is_empty() {
        item("We find", &found.join("; "));
    }
    if let Some(assumption) = &claim.assumption {
        let name = match claim.ruling {
            Ruling::RightIf => "Right if",
            _ => "It would hold if",
        };
        item(name, &assumption.text);
    }
    let mut why = claim.truth_in(env);
    if let Some(how) = claim.how_found() {
        why = format!("{why} {how}");
    }
    item("Why", &why);
    let other = |id: &str| {
        let other = ledger.get(id)?;
        let place = other.places.first().map(|place| ledger.named(place))?;
        Some(format!("{} ({place}; {id})", other.says.text))
    };
    let others: Vec<String> = claim.by.iter().filter_map(|by| other(&by.text)).collect();
    if !others.is_empty() {
        item("Compare", &others.join(" "));
    }
    if let Some(command) = claim.demonstration() {
        // A command is copied whole, however long its line.
        out.push(format!("- To see it: `{command}`"));
    }
    out
}

/// `the model: 17`
fn spoken(line: &Line) -> String {
    match &line.value {
        Ok(value) => format!("{}: {value}", line.label),
        Err(why) => format!("{}: ({why})", line.label),
    }
}

/// The list as JSON.
#[derive(Serialize)]
pub(super) struct Document<'l> {
    schema: u32,
    claims: usize,
    entries: usize,
    documents: Vec<Of<'l>>,
}

#[derive(Serialize)]
struct Of<'l> {
    id: &'l str,
    name: &'l str,
    headings: Vec<Under<'l>>,
}

#[derive(Serialize)]
struct Under<'l> {
    heading: &'l str,
    entries: Vec<Entry<'l>>,
}

#[derive(Serialize)]
struct Entry<'l> {
    id: &'l str,
    title: &'l str,
    verdict: &'static str,
    stands: &'l str,
    printed: Option<&'l str>,
    found: Vec<Figure>,
    condition: Option<&'l str>,
    why: String,
    by_reading: bool,
    compare: Vec<&'l str>,
    command: Option<String>,
}

/// The same as [`print`] for programs.
pub(super) fn document<'l, 'e>(
    chosen: &[&Claim],
    errata: Vec<Errata<'l>>,
    env: &dyn Fn(&Claim) -> Result<Env<'e>, super::Failure>,
) -> Result<Document<'l>, super::Failure> {
    let entry = |claim: &'l Claim| {
        let env = env(claim)?;
        Ok(Entry {
            id: &claim.id.text,
            title: &claim.title,
            verdict: claim.ruling.word(),
            stands: &claim.says.text,
            printed: claim.printed.as_deref(),
            found: figures(claim.model_lines(&env)),
            condition: claim.assumption.as_ref().map(|a| a.as_str()),
            why: claim.truth_in(&env),
            by_reading: claim.by_reading,
            compare: claim.by.iter().map(|b| b.as_str()).collect(),
            command: claim.demonstration(),
        })
    };
    let under = |(heading, claims): (&'l str, Vec<&'l Claim>)| {
        let entries: Result<_, super::Failure> = claims.into_iter().map(entry).collect();
        entries.map(|entries| Under { heading, entries })
    };
    let of = |errata: Errata<'l>| {
        let headings: Result<_, super::Failure> = errata.headings.into_iter().map(under).collect();
        headings.map(|headings| Of {
            id: &errata.document.id,
            name: &errata.document.name,
            headings,
        })
    };
    let entries = counts(&errata).iter().sum();
    let documents: Result<_, super::Failure> = errata.into_iter().map(of).collect();
    Ok(Document {
        schema: 1,
        claims: chosen.len(),
        entries,
        documents: documents?,
    })
}
