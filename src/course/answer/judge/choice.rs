//! Choices, several choices, rankings.

use super::{Fits, Judgement, Verdict};
use crate::answer::Env;
use crate::answer::expr::{ExprError, Value};
use crate::answer::key::{Key, Kind, SlipValue};

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
            given.len() == other.len() && other.iter().all(|o| given.iter().any(|g| alike(g, o)))
        }
        _ => given.len() == other.len() && given.iter().zip(other).all(|(g, o)| alike(g, o)),
    };
    let mut verdict = Verdict::Wrong(None);
    if same(&expected) {
        verdict = Verdict::Right { accepted: None };
    } else {
        let mut fitting = Vec::new();
        for slip in &key.slips {
            let env = env.with(&slip.settings);
            let value = match &slip.value {
                SlipValue::Expr(expr) => names(&expr.evaluate(&env)?),
                SlipValue::SameAnswer => names(&key.expected()?.evaluate(&env)?),
                SlipValue::Printed(text) => split(text, key),
            };
            if same(&value) && slip.accept {
                verdict = Verdict::Right {
                    accepted: Some(slip.say.clone()),
                };
                fitting.clear();
                break;
            }
            if same(&value) {
                fitting.push(Fits {
                    say: slip.say.clone(),
                    claim: slip.claim.clone(),
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
    let mut found: Vec<String> = Vec::new();
    let list = || key.options.join(", ");
    for word in split(typed, key) {
        let index = word
            .parse::<usize>()
            .ok()
            .and_then(|n| key.options.get(n.checked_sub(1)?));
        let named = key.options.iter().find(|o| alike(o, &word));
        let option = named.or(index).or_else(|| begun(key, &word));
        let Some(option) = option else {
            // Where it stands; an unusual spelling of white space leaves it at the start.
            let column = typed
                .find(word.as_str())
                .map_or(1, |at| typed[..at].chars().count() + 1);
            let clean: String = word.chars().filter(|c| !c.is_control()).take(40).collect();
            return Err((
                column,
                format!("“{clean}” is not one of the options: {}.", list()),
            ));
        };
        if found.contains(option) {
            return Err((1, format!("“{option}” stands here twice.")));
        }
        found.push(option.clone());
    }
    let wanted = match key.kind {
        Kind::Choice => found.len() == 1,
        Kind::Ranking => found.len() == key.options.len(),
        _ => !found.is_empty(),
    };
    if wanted {
        return Ok(found);
    }
    // What is missing stands behind the last character.
    let missing: Vec<&str> = key
        .options
        .iter()
        .filter(|option| !found.contains(option))
        .map(String::as_str)
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

/// Separated by commas, semicolons or `>`; by spaces where no option has one.
fn split(typed: &str, key: &Key) -> Vec<String> {
    let spaced = key.options.iter().any(|o| o.contains(char::is_whitespace));
    let separated = typed.contains([',', ';', '>', '<']);
    let parts: Vec<&str> = if key.kind == Kind::Choice {
        vec![typed]
    } else if separated || spaced {
        typed.split([',', ';', '>', '<', '\n']).collect()
    } else {
        typed.split_whitespace().collect()
    };
    parts
        .into_iter()
        .map(str::trim)
        .filter(|p| !p.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The one option that begins with three letters or more of what was typed.
fn begun<'k>(key: &'k Key, word: &str) -> Option<&'k String> {
    let word = plain(word);
    let mut begins = key.options.iter().filter(|o| plain(o).starts_with(&word));
    let found = begins.next().filter(|_| word.chars().count() >= 3)?;
    begins.next().is_none().then_some(found)
}

/// Equal as people write it: case, quotes, `memory-bound` for `memory`.
fn alike(a: &str, b: &str) -> bool {
    plain(a) == plain(b)
}

fn plain(text: &str) -> String {
    let lower = text
        .trim()
        .trim_matches(['\'', '"', '“', '”', '.'])
        .to_lowercase();
    let unified: String = lower
        .chars()
        .map(|c| if matches!(c, '-' | '_') { ' ' } else { c })
        .collect();
    unified.trim_end_matches(" bound").trim().to_owned()
}
