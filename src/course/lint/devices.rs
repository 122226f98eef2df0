//! A text that speaks of a GPU speaks of the device of the course. One that names a
//! particular GPU in its expressions says why.

use crate::answer::{USUAL_GPU, data_sheets};
use crate::fault::Fault;
use crate::fields::Phrase;
use crate::text::Text;

/// The reason for all GPUs of a comparison but the usual one.
const SEVERAL: &str = "several";

/// GPUs that `texts` name in expressions, each where its reason is missing, and reasons
/// for GPUs that are not named. `named` is what the front matter of the first text says.
pub(super) fn check(texts: &[&Text], named: &[(Phrase, Phrase)], faults: &mut Vec<Fault>) {
    let ids = data_sheets().into_iter().flat_map(|all| all.all());
    for id in ids.map(|gpu| gpu.id.as_str()) {
        let of = |word: &str| named.iter().find(|(name, _)| name.text == word);
        let compared = || of(SEVERAL).filter(|_| id != USUAL_GPU);
        let reason = of(id);
        let mut found = texts
            .iter()
            .filter_map(|text| Some((*text, places(text.body(), id).next()?)));
        match (found.next(), reason) {
            (Some((text, at)), None) if compared().is_none() => {
                let say = format!(
                    "an expression names {id}; write gpu for the device of the course, or say in the front matter why it is this one: named = {{ {id} = \"…\" }}, or {{ several = \"…\" }} where GPUs are set beside each other."
                );
                faults.push(text.fault(at, say));
            }
            (None, Some((name, _))) => {
                let file = texts.first().map_or("", |text| text.file());
                let say = format!("no expression names {id}; leave its reason out.");
                faults.push(Fault::at(file, name.at, say));
            }
            _ => {}
        }
    }
}

/// Where a text has a GPU as an argument: `ridge(h200, fp32)`.
fn places<'t>(text: &'t str, id: &'t str) -> impl Iterator<Item = usize> + 't {
    text.match_indices(id).map(|(at, _)| at).filter(move |at| {
        let before = text.get(..*at).and_then(|head| head.chars().next_back());
        let behind = text.get(at + id.len()..).and_then(|t| t.chars().next());
        matches!(before, Some('(' | ' ' | ',')) && matches!(behind, Some(')' | ','))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_that_is_named_has_its_reason() {
        let phrase = |text: &str| Phrase {
            text: text.to_owned(),
            at: crate::fault::Place { line: 2, column: 1 },
        };
        let said = |body: &str, named: &[(&str, &str)]| {
            let (text, mut faults) = Text::new("a.md", body);
            let named: Vec<_> = named
                .iter()
                .map(|(id, why)| (phrase(id), phrase(why)))
                .collect();
            check(&[&text], &named, &mut faults);
            faults.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert!(said("`= ridge(gpu, fp32)` and recorded.h200_launch", &[]).is_empty());
        let missing = said("a\n`= ridge(h200, fp32)`", &[]);
        assert!(
            missing[0].starts_with("a.md:2:10: an expression names h200;"),
            "{missing:?}"
        );
        assert!(said("`= ridge(h200, fp32)`", &[("h200", "it was measured")]).is_empty());
        let both = "`= ridge(a10, fp32)` `= ridge(h200, fp32)`";
        let compared = [(SEVERAL, "side by side")];
        assert!(said(both, &compared)[0].contains("names h200;"));
        assert!(said(&both.replace("h200", "l4"), &compared).is_empty());
        let unused = said("nothing", &[("a10", "why")]);
        assert!(unused[0].contains("no expression names a10"), "{unused:?}");
    }
}
