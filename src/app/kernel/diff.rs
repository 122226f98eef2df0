//! What changes from the kernels of one version to that of the next.

use similar::{ChangeTag, TextDiff};

use crate::source::Source;

/// Lines around a change that are shown with it.
const AROUND: usize = 3;

/// What a line of a comparison is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// In both.
    Same,
    /// In the older one only.
    Less,
    /// In the newer one only.
    More,
    /// Equal lines are left out here.
    Gap,
}

/// A line of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    /// What it is.
    pub sign: Sign,
    /// The line.
    pub text: String,
}

/// Compares sources; several on a side are taken one after another.
pub fn diff(old: &[&Source], new: &[&Source]) -> Vec<DiffLine> {
    fn lines<'s>(sources: &[&'s Source]) -> Vec<&'s str> {
        let all = sources.iter().flat_map(|s| &s.lines);
        all.map(|l| l.text.as_str()).collect()
    }
    let (old, new) = (lines(old), lines(new));
    let compared = TextDiff::from_slices(&old, &new);
    let mut out = Vec::new();
    for group in compared.grouped_ops(AROUND) {
        let first = group.first().map_or(0, |op| op.old_range().start);
        if first > 0 || !out.is_empty() {
            out.push(DiffLine {
                sign: Sign::Gap,
                text: String::new(),
            });
        }
        for op in &group {
            out.extend(compared.iter_changes(op).map(|change| DiffLine {
                sign: match change.tag() {
                    ChangeTag::Equal => Sign::Same,
                    ChangeTag::Delete => Sign::Less,
                    ChangeTag::Insert => Sign::More,
                },
                text: change.value().to_owned(),
            }));
        }
    }
    out
}

/// The first line of the next change behind a line, or of the one before.
pub fn next_change(lines: &[DiffLine], line: usize, forward: bool) -> Option<usize> {
    let changed = |at: usize| {
        lines
            .get(at)
            .is_some_and(|l| matches!(l.sign, Sign::Less | Sign::More))
    };
    let begins = |at: &usize| changed(*at) && (*at == 0 || !changed(*at - 1));
    if forward {
        (line + 1..lines.len()).find(begins)
    } else {
        (0..line).rfind(begins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_kernels_become_one() {
        let silu = Source::parse("silu.cu", "silu(g, sg) {\n  i;\n  sg = s(g);\n}\n");
        let mul = Source::parse("mul.cu", "mul(sg, u, m) {\n  i;\n  m = sg * u;\n}\n");
        let both = Source::parse(
            "silu_mul.cu",
            "silu_mul(g, u, m) {\n  i;\n  m = s(g) * u;\n}\n",
        );
        let lines = diff(&[&silu, &mul], &[&both]);
        let count = |sign| lines.iter().filter(|l| l.sign == sign).count();
        // Of eight lines six go or change, and two come: head and product.
        assert_eq!(
            (count(Sign::Less), count(Sign::More), count(Sign::Same)),
            (6, 2, 2)
        );
        assert_eq!(next_change(&lines, 0, true).map(|at| at > 0), Some(true));
        assert!(diff(&[&both], &[&both]).is_empty());
    }
}
