//! Choices, several choices, rankings.

use super::{Fits, Judgement, Verdict, line, meant, options, said};
use crate::answer::Env;
use crate::answer::expr::{ExprError, Value};
use crate::answer::grid::listed;
use crate::answer::key::{Key, Kind, SlipValue};
use crate::fields::Phrase;

pub(super) fn echo(typed: &str, key: &Key) -> Result<String, (usize, String)> {
    read(typed, key).map(|names| names.join(", "))
}

pub(super) fn grade(typed: &str, key: &Key, env: &Env<'_>) -> Result<Judgement, ExprError> {
    let expected = names(&key.expected()?.evaluate(env)?);
    let given = match read(typed, key) {
        Ok(given) => given,
        Err((column, message)) => {
            return Ok(Judgement::plain(typed, Verdict::Unread { column, message }));
        }
    };
    let same = |other: &[String]| match key.kind {
        Kind::Choices => {
            given.len() == other.len()
                && other
                    .iter()
                    .all(|o| given.iter().any(|g| options::alike(g, o)))
        }
        _ => {
            given.len() == other.len() && given.iter().zip(other).all(|(g, o)| options::alike(g, o))
        }
    };
    let mut verdict = Verdict::Wrong(None);
    if same(&expected) {
        verdict = Verdict::Right { accepted: None };
    } else {
        let mut fitting = Vec::new();
        for slip in &key.slips {
            let env = env.with(&slip.settings);
            let value = match &slip.value {
                SlipValue::Expr(expr) => names(&expr.value.evaluate(&env)?),
                SlipValue::SameAnswer => names(&key.expected()?.evaluate(&env)?),
                SlipValue::Printed(printed) => read(printed.as_str(), key).unwrap_or_default(),
            };
            if same(&value) && slip.accept {
                verdict = Verdict::Right {
                    accepted: Some(said(slip, &env)),
                };
                fitting.clear();
                break;
            }
            if same(&value) {
                fitting.push(Fits {
                    say: said(slip, &env),
                    claim: slip.claim(),
                });
            }
        }
        if !fitting.is_empty() {
            verdict = Verdict::Slip(fitting);
        }
    }
    Ok(Judgement {
        read: Some(given.join(", ")),
        exact: verdict.is_right().then(|| expected.join(", ")),
        several: key.kind == Kind::Choices,
        ..Judgement::plain(typed, verdict)
    })
}

/// The names of a value: a text, a list, or a number as somebody would write it.
pub(in crate::answer) fn names(value: &Value) -> Vec<String> {
    match value {
        Value::Text(text) => vec![text.clone()],
        Value::List(names) => names.clone(),
        Value::Quantity(_) => vec![value.to_string()],
    }
}

/// The options that were typed, each by its name or its number in the list.
fn read(typed: &str, key: &Key) -> Result<Vec<String>, (usize, String)> {
    let lines = key.lines();
    if !lines.is_empty() {
        let number = line::line(typed, &lines);
        return number.map(|n| vec![n.to_string()]).ok_or_else(|| {
            let say = format!(
                "“{}” is not a line of this excerpt: write its number, 1 to {}, or the line itself.",
                shown(typed),
                lines.len()
            );
            (1, say)
        });
    }
    let text = typed.replace("->", "→").replace("=>", "→");
    let mut found: Vec<String> = Vec::new();
    let mut take = |option: &Phrase| match found.contains(&option.text) {
        true => Err((1, format!("“{}” stands here twice.", option.text))),
        false => {
            found.push(option.text.clone());
            Ok(())
        }
    };
    let whole = options::named(&text, &key.options).or_else(|| {
        let before = options::before_reason(&text).filter(|_| key.kind == Kind::Choice);
        options::named(before?, &key.options)
    });
    let meant = |part: &str| meant::meant(part, &key.ask.text, &key.options);
    if let Some(option) = whole {
        take(option)?;
    } else if let Some(some) = several(&text, key) {
        some.into_iter().try_for_each(&mut take)?;
    } else if let Some(listed) = options::listed(&text, &key.options) {
        listed.into_iter().try_for_each(&mut take)?;
    } else {
        let parts = match key.kind {
            Kind::Choice => vec![text.trim()],
            _ => options::parts(&text, &key.options),
        };
        for part in parts {
            let reasoned = || meant::reasoned(part, &key.options);
            match meant(part).or_else(|| reasoned().filter(|_| key.kind == Kind::Choice)) {
                Some(option) => take(option)?,
                None => return Err(stranger(typed, part, key)),
            }
        }
    }
    complete(typed, found, key).and_then(|found| ordered(typed, found, key))
}

/// `all`, or the first and the last of a row of options, where several are asked for.
fn several<'k>(text: &str, key: &'k Key) -> Option<Vec<&'k Phrase>> {
    if key.kind != Kind::Choices {
        return None;
    }
    let all = ["all", "all of them", "every one", "all of these"];
    if all.contains(&text.trim().to_lowercase().as_str()) {
        return Some(key.options.iter().collect());
    }
    let (from, to) = [" - ", " – ", " to ", " through ", "..", "…"]
        .iter()
        .find_map(|sign| text.split_once(*sign))?;
    let place = |part: &str| {
        let option = options::named(part, &key.options)?;
        key.options.iter().position(|other| other == option)
    };
    let (from, to) = (place(from)?, place(to)?);
    key.options.get(from..=to).map(|some| some.iter().collect())
}

fn shown(text: &str) -> String {
    let clean = text.chars().filter(|c| !c.is_control());
    clean.take(40).collect::<String>().trim().to_owned()
}

/// A part that is no option, and where it stands; an unusual spelling of white
/// space leaves it at the start.
fn stranger(typed: &str, part: &str, key: &Key) -> (usize, String) {
    let column = typed
        .find(part)
        .and_then(|at| typed.get(..at))
        .map_or(1, |head| head.chars().count() + 1);
    let say = format!(
        "“{}” is not one of the options: {}.",
        shown(part),
        listed(&key.options)
    );
    (column, say)
}

/// As many options as the question wants.
fn complete(typed: &str, found: Vec<String>, key: &Key) -> Result<Vec<String>, (usize, String)> {
    let wanted = match key.kind {
        Kind::Choice => found.len() == 1,
        Kind::Ranking => found.len() == key.options.len(),
        _ => !found.is_empty(),
    };
    if wanted {
        return Ok(found);
    }
    // What is missing stands behind the last character.
    let list = || listed(&key.options);
    let missing: Vec<&str> = key
        .options
        .iter()
        .map(Phrase::as_str)
        .filter(|option| !found.iter().any(|f| f == option))
        .collect();
    Err((
        typed.chars().count() + 1,
        match key.kind {
            Kind::Choice => format!("One option is asked for: {}.", list()),
            Kind::Ranking => format!(
                "All {} are ranked in one answer; not yet in yours: {}.",
                key.options.len(),
                missing.join(", ")
            ),
            _ => format!("At least one option is asked for: {}.", list()),
        },
    ))
}

/// A ranking in the order that the question asks for: `a < b` has the least first.
fn ordered(typed: &str, mut found: Vec<String>, key: &Key) -> Result<Vec<String>, (usize, String)> {
    let text = typed.replace("->", "").replace("=>", "");
    let (rises, falls) = (text.contains('<'), text.contains('>'));
    if key.kind != Kind::Ranking || !(rises || falls) {
        return Ok(found);
    }
    if rises && falls {
        let say = format!(
            "“{}” has < and > in one order; write one of them.",
            shown(typed)
        );
        return Err((1, say));
    }
    if rises != least_first(&key.ask.text) {
        found.reverse();
    }
    Ok(found)
}

/// Whether a question asks for the least first: `shortest first`.
fn least_first(ask: &str) -> bool {
    let ask = ask.to_lowercase();
    let before = ask.split(" first").next().unwrap_or_default();
    let least = [
        "least", "fewest", "smallest", "shortest", "lowest", "cheapest", "fastest",
    ];
    let order = before.rsplit([',', ':', '.']).next().unwrap_or_default();
    ask.contains(" first") && least.iter().any(|word| order.contains(word))
}
