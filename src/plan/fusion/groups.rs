//! A cut as text: `norm1|q k v|rope|qk softmax pv|…`.

use super::cut::Boundary;
use super::{Cut, FusionError};
use crate::model::{BLOCK_OPS, OpKind};

/// The groups of a cut. RoPE of q and of k in one group is `rope`.
pub(super) fn write(cut: Cut) -> String {
    let mut text = String::new();
    let mut index = 0;
    while let Some(op) = BLOCK_OPS.get(index) {
        let pair = *op == OpKind::RopeQ
            && Boundary::after(index).is_some_and(|boundary| cut.is_joined(boundary));
        if pair {
            text.push_str("rope");
            index += 1;
        } else {
            text.push_str(op.name());
        }
        let down = Boundary::after(index).is_some_and(|boundary| cut.is_joined(boundary));
        index += 1;
        if index < BLOCK_OPS.len() {
            text.push(if down { ' ' } else { '|' });
        } else if down {
            text.push_str(" >");
        }
    }
    text
}

/// Reads what `write` writes; ops may also be separated by commas.
pub(super) fn parse(text: &str) -> Result<Cut, FusionError> {
    let mut cut = Cut::NONE;
    let mut next = 0;
    let groups: Vec<&str> = text.split('|').collect();
    for (number, group) in groups.iter().enumerate() {
        let words: Vec<&str> = group
            .split([' ', ',', '\t'])
            .filter(|w| !w.is_empty())
            .collect();
        if words.is_empty() {
            return Err(FusionError::new(format!(
                "group {} of the cut is empty; write the ops of the block once each, in order: {}",
                number + 1,
                write(Cut::v1())
            )));
        }
        for (place, word) in words.iter().enumerate() {
            if *word == ">" && number + 1 == groups.len() && place + 1 == words.len() {
                cut = cut.joined(Boundary::CROSS);
                continue;
            }
            let first = next;
            next = expect_op(word, next)?;
            // The boundaries inside a group are removed: the one before a word that is
            // not the group's first, and the one inside `rope`.
            for boundary in first..next {
                let inside = boundary > first || place > 0;
                if let (true, Some(b)) = (
                    inside && boundary > 0,
                    Boundary::after(boundary.wrapping_sub(1)),
                ) {
                    cut = cut.joined(b);
                }
            }
        }
    }
    match BLOCK_OPS.get(next) {
        None => Ok(cut),
        Some(missing) => Err(FusionError::new(format!(
            "the cut ends before {}; it names every op of the block once, in order: {}",
            missing.name(),
            write(Cut::v1())
        ))),
    }
}

/// The index after the op(s) that `word` names, which must be the next.
fn expect_op(word: &str, next: usize) -> Result<usize, FusionError> {
    let Some(expected) = BLOCK_OPS.get(next) else {
        return Err(FusionError::new(format!(
            "“{word}” comes after res2, the last op of the block; every op is named once"
        )));
    };
    if word == "rope" && *expected == OpKind::RopeQ {
        return Ok(next + 2);
    }
    match OpKind::parse(word) {
        Some(op) if word != "rope" && op == *expected => Ok(next + 1),
        Some(_) => {
            let expected = match expected {
                OpKind::RopeQ => "rope",
                other => other.name(),
            };
            Err(FusionError::new(format!(
                "“{word}” stands where {expected} is next; a cut names every op of the block once, in order"
            )))
        }
        None => {
            let names: Vec<&str> = BLOCK_OPS.iter().map(|o| o.name()).collect();
            Err(FusionError::unknown("op", word, &names))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fusion::Version;

    #[test]
    fn versions_as_groups() {
        let v1 = "norm1|q|k|v|rope|qk|softmax|pv|o|res1|norm2|gate|up|silu|mul|down|res2";
        assert_eq!(Version::V1.cut().groups(), v1);
        assert_eq!(parse(v1).unwrap(), Version::V1.cut());
        let doc = "norm1 q k v rope|qk softmax pv|o res1|norm2 gate up silu mul down res2";
        assert_eq!(parse(doc).unwrap(), Version::V3Doc.cut());
        let v3 = "norm1|q k v|rope|qk softmax pv|o|res1 norm2|gate up silu mul|down|res2 >";
        assert_eq!(parse(v3).unwrap(), Version::V3.cut());
    }

    #[test]
    fn broken_cuts_say_where() {
        let v1 = Version::V1.cut().groups();
        for (from, to, says) in [
            ("|q|", "|q q|", "“q” stands where k is next"),
            ("|res2", "", "ends before res2"),
            ("|pv|", "|pv||", "group 9 of the cut is empty"),
            ("|softmax|", "|sofmax|", "did you mean softmax?"),
            ("|res2", "|res2|norm1", "comes after res2"),
            ("norm1|", "", "“q” stands where norm1 is next"),
        ] {
            let e = parse(&v1.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(e.contains(says), "{e}");
        }
    }
}
