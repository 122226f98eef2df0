//! What is kept and never called wrong: free text, and predictions.

use super::number::{self, Wanted};
use super::reading;
use super::{Judgement, Prediction, Verdict};
use crate::answer::Env;
use crate::answer::expr::ExprError;
use crate::answer::key::Key;

/// Free text; one that must rest on a number of the learner's own holds one.
pub(super) fn text(typed: &str, key: &Key) -> Judgement {
    if key.needs_number && !holds_number(typed) {
        let none = "This asks for at least one number from your own runs, and there is none here";
        let message = match typed.chars().any(|c| c.is_ascii_digit()) {
            true => format!("{none}: the digits of a name such as bf16 are part of the name."),
            false => format!("{none}."),
        };
        let verdict = Verdict::Unread {
            column: typed.chars().count() + 1,
            message,
        };
        return Judgement::plain(typed, verdict);
    }
    Judgement::plain(typed, Verdict::Kept)
}

/// Whether a number stands in a text: digits that no letter leads up to, which
/// `12.6MB`, `S=128` and `.5` have, and `bf16`, `v2` and `GPT-2` have not.
fn holds_number(text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    chars.iter().enumerate().any(|(at, c)| {
        let mut before = chars.iter().take(at).rev();
        let named = before
            .find(|c| !matches!(c, '-' | '.'))
            .is_some_and(|c| c.is_alphanumeric() || *c == '_');
        c.is_ascii_digit() && !named
    })
}

/// A prediction beside what came out, once that can be known.
pub(super) fn prediction(typed: &str, key: &Key, env: &Env<'_>) -> Result<Judgement, ExprError> {
    let asked = Wanted::of(key, env, true)?.asked;
    let guess = match reading::read(typed, &key.ask, asked) {
        Ok(guess) => guess,
        Err(e) => {
            let (column, message) = (e.column, e.message);
            return Ok(Judgement::plain(typed, Verdict::Unread { column, message }));
        }
    };
    let mut prediction = Prediction::default();
    match Wanted::of(key, env, false) {
        Ok(wanted) => {
            let apart = guess.quantity.value() / wanted.expected.value();
            prediction.seen = Some(number::in_full(&wanted));
            prediction.factor = (apart.is_finite() && apart > 0.0).then(|| apart.max(1.0 / apart));
            match number::grade(typed, key, env)?.verdict {
                Verdict::Right { .. } => prediction.within = Some(key.tolerance),
                Verdict::Slip(fits) => {
                    prediction.explained = fits.into_iter().map(|f| f.say).collect();
                }
                _ => {}
            }
        }
        // A run that was not made yet: the prediction waits for it.
        Err(_) if key.asks_a_machine() => {}
        Err(e) => return Err(e),
    }
    Ok(Judgement {
        read: Some(guess.echo()),
        prediction: Some(prediction),
        ..Judgement::plain(typed, Verdict::Kept)
    })
}

#[cfg(test)]
mod tests {
    use super::holds_number;

    #[test]
    fn a_name_with_digits_is_no_number() {
        for text in [
            "use bf16",
            "v2 and ex13",
            "GPT-2",
            "on the H200",
            "none",
            "",
        ] {
            assert!(!holds_number(text), "{text}");
        }
        for text in [
            "17",
            "S=128",
            "12.6MB",
            "saves (.5 %)",
            "bf16: -3 dB",
            "2.1× as fast",
        ] {
            assert!(holds_number(text), "{text}");
        }
    }
}
