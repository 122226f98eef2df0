//! Words of before: still read, and named with the field's own.

use crate::answer::OLD;
use crate::fault::Fault;
use crate::text::Text;

/// Warns of every old word of the expressions in a text.
pub(super) fn check(text: &Text, faults: &mut Vec<Fault>) {
    for (old, new) in OLD {
        for (at, _) in text.body().match_indices(old) {
            let before = text.slice(0..at).chars().next_back();
            let alone = !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
            let mut after = text.slice(at + old.len()..text.body().len()).chars();
            let named = after.next() == Some('.') && after.next().is_some_and(char::is_alphabetic);
            if alone && named {
                let say = format!("“{old}.” is the older word; write {new}. in its place.");
                faults.push(text.fault(at, say).warning());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_word_is_a_warning_with_its_place_and_the_new_one() {
        let found = |body: &str| -> Vec<String> {
            let (text, _) = Text::new("a.md", body);
            let mut faults = Vec::new();
            check(&text, &mut faults);
            faults.iter().map(ToString::to_string).collect()
        };
        assert_eq!(
            found("one\nit is `= 2 * twin.scaled`\n"),
            ["a.md:2:14: warning: “twin.” is the older word; write mutant. in its place."]
        );
        for right in ["mutant.scaled", "its twin. Then", "a.twin.b", "untwin.a"] {
            assert_eq!(found(right), Vec::<String>::new(), "{right}");
        }
    }
}
