//! Ten claims of the ledger as questions: verdict, number, evidence.

use super::{Key, Slip, Table, Worked};
use crate::answer::claim::{Evidence, Judgement, Ruling};
use crate::answer::practise::Draw as Stream;
use crate::answer::{Kind, Tolerance, Value};
use crate::course::claims::{Claim, Figure, Ledger};
use crate::course::fault::Place;
use crate::course::fields::Phrase;
use crate::course::lesson::prose_numbers;
use crate::course::setup::Setup;
use crate::course::solution::Derivation;
use crate::units::{Quantity, Spec, Unit};

/// What the claims are marked with.
const LETTERS: [char; 10] = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];

/// Which names the pass mark is about.
pub(super) struct Names {
    /// The verdicts.
    pub among: Vec<String>,
    /// The claim that is right.
    pub right: String,
}

/// So many claims of a kind.
type Role = (usize, fn(&Claim) -> bool);

/// What is on trial: ten claims, one of them right.
const ROLES: [Role; 8] = [
    (2, |c| c.group == "counts" && is_doubtful(c)),
    (2, |c| {
        let group = ["qkv", "swiglu", "memory"].contains(&c.group.as_str());
        group && measures(c, "%") && is_doubtful(c)
    }),
    (1, |c| {
        c.group == "roofline" && measures(c, "FLOP/B") && is_doubtful(c)
    }),
    (1, |c| {
        let group = ["attention", "time"].contains(&c.group.as_str());
        group && measures(c, "x") && is_doubtful(c)
    }),
    (1, |c| c.group == "hardware" && is_doubtful(c)),
    (1, |c| c.group == "occupancy" && is_doubtful(c)),
    (1, |c| c.ruling == Ruling::Measurable),
    (1, |c| c.ruling == Ruling::Right),
];

/// Wrong, or right under an assumption.
fn is_doubtful(claim: &Claim) -> bool {
    matches!(
        claim.ruling.judgement(),
        Judgement::Wrong | Judgement::RightIf
    )
}

/// Whether the number of a claim is in this unit.
fn measures(claim: &Claim, unit: &str) -> bool {
    let written = claim.figures.first().and_then(|f| f.unit.as_deref());
    written.and_then(|w| w.split(' ').next()) == Some(unit)
}

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
        keys.extend(
            claim
                .figures
                .first()
                .and_then(|f| figure(claim, f, &name, at)),
        );
        rows.push((name.to_uppercase(), claim));
        names.among.push(name);
    }
    keys.push(evidence(&rows, at));
    (keys, names)
}

/// The claims of a variant, in the order in which they are asked.
fn docket(number: usize) -> Vec<&'static Claim> {
    let mut stream = Stream::new(number as u64, "claims", 0);
    let mut drawn: Vec<&Claim> = Vec::new();
    for (count, fits) in ROLES {
        let all = Ledger::built_in().claims().iter();
        let mut left: Vec<&Claim> = all.filter(|c| !c.by_reading && fits(c)).collect();
        for _ in 0..count {
            let index = usize::try_from(stream.below(left.len() as u64)).unwrap_or(0);
            if index < left.len() {
                drawn.push(left.remove(index));
            }
        }
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
        numbers: prose_numbers(&body, at),
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
    if let Some(assumption) = &claim.assumption {
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
            "It holds only where something unsaid holds. Put in this model's heads, weights and shape."
        }
        (Judgement::Right, Judgement::Wrong) => "Rebuild the number. Does it come out?",
        (Judgement::Right, _) => {
            "On which device, at which shape, against which baseline? Without a run nobody knows."
        }
        (Judgement::RightIf, Judgement::Right) => "It needs nothing that it does not say.",
        (Judgement::RightIf, Judgement::Wrong) => {
            "No assumption that makes sense here gives it. To assume the result is no evidence."
        }
        (Judgement::RightIf, _) => {
            "No assumption makes a time follow from bytes and operations. They bound it."
        }
        (Judgement::Measurable, _) => {
            "A run might show it. The graph, the data sheet or the arithmetic settle it without one."
        }
    }
}

/// The question for the claim's true number; none where the claim has no number
/// that can be asked.
fn figure(claim: &Claim, figure: &Figure, name: &str, at: Place) -> Option<Key> {
    let gpus = crate::answer::data_sheets()?;
    let env = claim
        .env(gpus, crate::course::recorded::Figures::built_in())
        .ok()?;
    let Ok(Value::Quantity(value)) = claim.value(figure, &env) else {
        return None;
    };
    let phrase = |text: &str| Phrase {
        text: text.to_owned(),
        at,
    };
    let unit = figure.unit.as_deref();
    let spec = unit.and_then(|unit| Spec::parse(unit).ok());
    let wanted = spec.map_or(String::new(), |s| match s.unit.symbol() {
        "" => String::new(),
        "x" => ", as a factor".to_owned(),
        symbol => format!(", in {symbol}"),
    });
    let what = match figure.label.as_str() {
        "the model" => "the figure as this course counts it",
        label => label,
    };
    let shape = shape(claim);
    let ask = format!(
        "{}: work the number out: {what}{wanted}{shape}.",
        name.to_uppercase()
    );
    let shown = |f: &Figure| match &f.unit {
        Some(unit) => format!("{}: `= {} | {unit}`", f.label, f.expr.text),
        None => format!("{}: `= {}`", f.label, f.expr.text),
    };
    let body: Vec<String> = claim
        .figures
        .iter()
        .map(|f| format!("- {}", shown(f)))
        .collect();
    let body = format!(
        "{}\n\n(claim {}, {})",
        body.join("\n"),
        claim.id.text,
        claim.title
    );
    let slip = |answer: Option<&Phrase>, printed: Option<&str>, say: &str| Slip {
        answer: answer.map(|a| Phrase {
            text: a.text.clone(),
            at,
        }),
        convention: Setup::default(),
        printed: printed.map(phrase),
        claim: printed.map(|_| phrase(&claim.id.text)),
        row: None,
        column: None,
        accept: false,
        say: phrase(say),
    };
    let formula = claim.claimed.as_ref().map(|formula| {
        let say = "This is the document's own formula. What does it leave out, or count twice?";
        slip(Some(formula), None, say)
    });
    let printed = claim.printed.as_deref();
    let printed = printed.map(|p| {
        slip(
            None,
            Some(p),
            "This is the number that the document prints.",
        )
    });
    let beside = claim
        .figures
        .get(1..)
        .unwrap_or_default()
        .iter()
        .find(|other| {
            let found = claim.value(other, &env);
            matches!(found, Ok(Value::Quantity(q)) if !is_same(&q, &value))
        });
    let command = claim.demonstration().filter(|c| !c.contains(" claims"));
    let third = match (beside, command) {
        (Some(other), _) => format!("Beside it stands, {}.", shown(other)),
        (None, Some(command)) => format!("What it rests on is in `{command}`."),
        (None, None) => {
            "Write down both sides: what the sentence counts, and what there is to count."
                .to_owned()
        }
    };
    Some(Key {
        kind: Kind::Number,
        answer: Some(phrase(&figure.expr.text)),
        tolerance: match value.exact() {
            _ if spec.is_some_and(|s| s.unit == Unit::PERCENT) => Tolerance::Points(POINTS),
            Some(_) => Tolerance::Exact,
            None => Tolerance::default(),
        },
        unit: unit.map(phrase),
        slips: formula.into_iter().chain(printed).collect(),
        hints: phrases(
            [
                "Which quantity is it, at which shape, and of one kernel, a block or a forward?".to_owned(),
                "Take it from the shapes or the data sheet, in symbols first, and fill in the numbers last.".to_owned(),
                third,
            ],
            at,
        ),
        ..about(claim, format!("{name}_number"), ask, body, at)
    })
}

/// Half of the last decimal that a share in per cent is typed with.
const POINTS: f64 = 0.0005;
/// Two figures that print alike.
const SAME: f64 = 1e-6;

fn is_same(a: &Quantity, b: &Quantity) -> bool {
    (a.value() - b.value()).abs() <= SAME * b.value().abs()
}

/// The shape where it is not the workshop's: ` (part-c, B 4, S 512, fp32)`.
fn shape(claim: &Claim) -> String {
    let told = [
        "preset", "hidden", "batch", "seq", "tokens", "context", "dtype",
    ];
    if !told.iter().any(|name| claim.setup.text(name).is_some()) {
        return String::new();
    }
    claim.setup.answer().map_or(String::new(), |setup| {
        let config = setup.config;
        format!(
            " (model {}, B {}, S {}, {})",
            config.model.name,
            config.shape.batch,
            config.shape.seq,
            config.dtype.name()
        )
    })
}

/// The table of what settles each.
fn evidence(rows: &[(String, &Claim)], at: Place) -> Key {
    let words = Evidence::ALL.map(Evidence::word);
    let answer = |claim: &Claim| phrases([format!("'{}'", claim.evidence.word())], at);
    let body: Vec<String> = rows
        .iter()
        .map(|(row, claim)| match claim.demonstration() {
            Some(command) => format!("- {row}: {}, `{command}`", claim.evidence.word()),
            None => format!("- {row}: {}", claim.evidence.word()),
        })
        .collect();
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
            rows: phrases(rows.iter().map(|(row, _)| row.as_str()), at),
            answers: rows.iter().map(|(_, claim)| answer(claim)).collect(),
        }),
        model: None,
        needs_number: false,
        kernel: None,
        tolerance: Tolerance::Exact,
        unit: None,
        options: phrases(words, at),
        slips: Vec::new(),
        hints: phrases(
            [
                "Count launches, model bytes and operations, measure times, check numbers, look up data sheets.",
                "Arithmetic: what follows from the document's own figures, without a model.",
                "Ask of each: what would have to come out differently for the claim to fall?",
            ],
            at,
        ),
        setup: Setup::default(),
        own: Setup::default(),
        worked: Worked::Here(derivation(&name, body.join("\n"), at)),
        name: Phrase { text: name, at },
    }
}
