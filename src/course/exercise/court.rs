//! Ten claims of the ledger as questions: verdict, number, evidence.

mod number;

use super::{Key, Slip, Table, Worked};
use crate::answer::claim::{Evidence, Judgement, Ruling};
use crate::answer::practise::Draw as Stream;
use crate::answer::{Kind, Tolerance};
use crate::claims::{Claim, Ledger, Role};
use crate::fault::Place;
use crate::fields::Phrase;
use crate::number::numbers;
use crate::setup::Setup;
use crate::solution::Derivation;

/// What the claims are marked with.
const LETTERS: [char; 10] = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];

/// Which names the pass mark is about.
pub(super) struct Names {
    /// The verdicts.
    pub among: Vec<String>,
    /// The claim that is right.
    pub right: String,
}

/// What is on trial, and how many of each: ten claims, one of them right.
const ROLES: [(Role, usize); 8] = [
    (Role::Count, 2),
    (Role::Bytes, 2),
    (Role::Intensity, 1),
    (Role::Growth, 1),
    (Role::Device, 1),
    (Role::Occupancy, 1),
    (Role::Run, 1),
    (Role::Right, 1),
];

/// What the table of evidence offers.
const SETTLES: [Evidence; 4] = [
    Evidence::Count,
    Evidence::Model,
    Evidence::Lookup,
    Evidence::Measure,
];

/// The questions of a variant, and what its pass mark is about.
pub(super) fn keys(number: usize, at: Place) -> (Vec<Key>, Names) {
    let (mut keys, mut rows) = (Vec::new(), Vec::new());
    let mut names = Names {
        among: Vec::new(),
        right: String::new(),
    };
    for (letter, claim) in LETTERS.into_iter().zip(docket(number)) {
        let name = letter.to_string();
        if claim.ruling == Ruling::Right {
            names.right.clone_from(&name);
        }
        keys.push(verdict(claim, &name, at));
        keys.extend(number::key(claim, &name, at));
        rows.extend(
            claim
                .settled_by()
                .map(|by| (name.to_uppercase(), claim, by)),
        );
        names.among.push(name);
    }
    keys.push(evidence(&rows, at));
    (keys, names)
}

/// The claims of a variant, in the order in which they are asked. None of them
/// disputes another, which would give it away.
fn docket(number: usize) -> Vec<&'static Claim> {
    let mut stream = Stream::new(number as u64, "claims", 0);
    let mut drawn: Vec<&Claim> = Vec::new();
    let roles = ROLES
        .into_iter()
        .flat_map(|(role, count)| (0..count).map(move |_| role));
    for role in roles {
        let stands = |c: &&Claim| c.court.as_ref().is_some_and(|court| court.role == role);
        let free = |c: &&Claim| !drawn.iter().any(|d| d.id == c.id || d.disputes(c));
        let all = Ledger::built_in().claims().iter();
        let left: Vec<&Claim> = all.filter(stands).filter(free).collect();
        let index = usize::try_from(stream.below(left.len().max(1) as u64)).unwrap_or(0);
        drawn.extend(left.get(index));
    }
    // The right one may stand anywhere.
    for last in (1..drawn.len()).rev() {
        let index = usize::try_from(stream.below(last as u64 + 1)).unwrap_or(0);
        drawn.swap(index, last);
    }
    drawn
}

/// A question about a claim, in the claim's setup, without what is asked.
fn about(claim: &Claim, name: String, ask: String, body: String, at: Place) -> Key {
    Key {
        ask: Phrase { text: ask, at },
        kind: Kind::Choice,
        answer: None,
        table: None,
        model: None,
        needs_number: false,
        kernel: None,
        tolerance: Tolerance::Exact,
        unit: None,
        options: Vec::new(),
        slips: Vec::new(),
        hints: Vec::new(),
        setup: claim.setup.clone(),
        own: claim.setup.clone(),
        worked: Worked::Here(derivation(&name, body, at)),
        name: Phrase { text: name, at },
    }
}

fn derivation(key: &str, body: String, at: Place) -> Derivation {
    Derivation {
        key: key.to_owned(),
        line: at.line,
        numbers: numbers(&body, at),
        body,
        body_line: at.line,
    }
}

fn phrases<T: Into<String>>(texts: impl IntoIterator<Item = T>, at: Place) -> Vec<Phrase> {
    let phrase = |text: T| Phrase {
        text: text.into(),
        at,
    };
    texts.into_iter().map(phrase).collect()
}

fn verdict(claim: &Claim, name: &str, at: Place) -> Key {
    let place = claim.places.first().map(|p| Ledger::built_in().named(p));
    let ask = format!(
        "{}. {}: {}",
        name.to_uppercase(),
        place.unwrap_or_default(),
        claim.says.text
    );
    let mut body = format!(
        "The verdict is *{}* (claim {}). ",
        claim.ruling, claim.id.text
    );
    if let (Ruling::RightIf, Some(assumption)) = (claim.ruling, &claim.assumption) {
        body += &format!(
            "The assumption: {}. ",
            assumption.text.trim_end_matches('.')
        );
    }
    body += &claim.truth.text;
    let right = claim.ruling.judgement();
    let phrase = |text: String| Phrase { text, at };
    let slips = Judgement::ALL.into_iter().filter(|j| *j != right);
    let slip = |chosen: Judgement| Slip {
        answer: Some(phrase(format!("'{}'", chosen.word()))),
        convention: Setup::default(),
        printed: None,
        claim: None,
        row: None,
        column: None,
        accept: false,
        say: phrase(doubt(chosen, right).to_owned()),
    };
    let settle = match claim.evidence {
        Evidence::Count => "Count on the ribbon, box by box, what the sentence counts.",
        Evidence::Model => {
            "Work out bytes or operations of both sides, with every assumption written down."
        }
        Evidence::Measure => {
            "Can bytes and operations alone settle it, or only a run on one device?"
        }
        Evidence::Check => "Follow the kernel on a small input, by hand, element by element.",
        Evidence::Arithmetic => {
            "Do the document's own arithmetic again, from the figures that stand beside it."
        }
        Evidence::Lookup => {
            "Look it up: `tinyllama-tutor gpus` lists the data sheets with their sources."
        }
    };
    Key {
        answer: Some(phrase(format!("verdict({})", claim.id.text))),
        options: phrases(Judgement::ALL.map(Judgement::word), at),
        slips: slips.map(slip).collect(),
        hints: phrases(
            [
                "What does the sentence take for granted: shape, heads, weights, data type, device?",
                "Rebuild its number from the shapes. Right if: one thing that it does not say makes it exact.",
                settle,
            ],
            at,
        ),
        ..about(claim, name.to_owned(), ask, body, at)
    }
}

/// What a wrong verdict overlooks.
fn doubt(chosen: Judgement, right: Judgement) -> &'static str {
    match (chosen, right) {
        (Judgement::Wrong, Judgement::Right) => {
            "Work it out again, as it is printed and with nothing added. Does your number differ from the printed one?"
        }
        (Judgement::Wrong, Judgement::RightIf) => {
            "There is an assumption under which it is exact. Which?"
        }
        (Judgement::Wrong, _) => "Bytes and operations alone cannot refute it. What would?",
        (Judgement::Right, Judgement::RightIf) => {
            "It holds only where something unsaid holds: of heads, of weights, of the device, or of what is counted."
        }
        (Judgement::Right, Judgement::Wrong) => "Rebuild the number. Does it come out?",
        (Judgement::Right, _) => {
            "On which device, at which shape, against which baseline? Only a measurement can answer that."
        }
        (Judgement::RightIf, Judgement::Right) => "It needs nothing that it does not say.",
        (Judgement::RightIf, Judgement::Wrong) => {
            "No assumption that makes sense here gives it. Assuming the result is not evidence."
        }
        (Judgement::RightIf, _) => {
            "No assumption makes a time follow from bytes and operations. They bound it."
        }
        (Judgement::Measurable, _) => {
            "A run might show it. The graph, the data sheet or the arithmetic settle it without one."
        }
    }
}

/// The table of what settles each, of those where the kind of the claim names it.
fn evidence(rows: &[(String, &Claim, Evidence)], at: Place) -> Key {
    let body: Vec<String> = rows
        .iter()
        .map(|(row, claim, by)| match claim.demonstration() {
            Some(command) => format!("- {row}: {}, `{command}`", by.word()),
            None => format!("- {row}: {}", by.word()),
        })
        .collect();
    let answers = rows
        .iter()
        .map(|(_, _, by)| phrases([format!("'{}'", by.word())], at));
    let name = "evidence".to_owned();
    Key {
        ask: Phrase {
            text: "Which evidence settles each?".to_owned(),
            at,
        },
        kind: Kind::Table,
        answer: None,
        table: Some(Table {
            columns: phrases(["settled by"], at),
            rows: phrases(rows.iter().map(|(row, ..)| row.as_str()), at),
            answers: answers.collect(),
        }),
        model: None,
        needs_number: false,
        kernel: None,
        tolerance: Tolerance::Exact,
        unit: None,
        options: phrases(SETTLES.map(Evidence::word), at),
        slips: Vec::new(),
        hints: phrases(
            [
                "What is the sentence about: launches, bytes, a device, or what a run shows?",
                "Launches are counted, bytes and intensities follow from the shapes, a device has a data sheet.",
                "Measure only what none of the three can tell.",
            ],
            at,
        ),
        setup: Setup::default(),
        own: Setup::default(),
        worked: Worked::Here(derivation(&name, body.join("\n"), at)),
        name: Phrase { text: name, at },
    }
}
