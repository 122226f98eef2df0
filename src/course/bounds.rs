//! How much a text may hold of what costs time to look at.
//!
//! Checks look from each link, number or quotation through the text around it, so a
//! text of nothing but brackets would take minutes; and an item of a list takes a
//! hundred times the memory of its bytes. Texts that people write stay far below: the
//! longest of the built-in course hold some dozens of each.

use std::ops::Range;

use super::fault::Fault;
use super::text::Text;

/// What is counted in a body, how much of it there may be, and its name.
const MOST: [(&str, usize, &str); 12] = [
    ("\n", 5000, "lines"),
    ("\n## ", 200, "sections"),
    ("\n```", 2000, "fences"),
    ("`=", 300, "numbers"),
    ("](", 1000, "links"),
    ("$", 4000, "dollar signs"),
    ("`", 10_000, "backticks"),
    ("*", 10_000, "asterisks"),
    ("|", 10_000, "bars"),
    ("\"", 10_000, "quotation marks"),
    ("“", 4000, "quotations"),
    ("<!--", 1000, "comments"),
];

/// The body up to where it holds too much of something, with a fault at that place.
pub(crate) fn bounded(text: &Text, body: Range<usize>, faults: &mut Vec<Fault>) -> Range<usize> {
    let written = text.slice(body.clone());
    let first = MOST
        .iter()
        .filter_map(|(what, most, name)| {
            let (at, _) = written.match_indices(what).nth(*most)?;
            Some((at, most, name))
        })
        .min();
    let Some((at, most, name)) = first else {
        return body;
    };
    // The line end before a heading or a fence belongs to what is kept.
    let at = at + usize::from(written.get(at..).is_some_and(|rest| rest.starts_with('\n')));
    faults.push(text.fault(
        body.start + at,
        format!(
            "a text holds at most {most} {name}, and the rest of this one is not read; make several texts of it."
        ),
    ));
    body.start..body.start + at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_ends_where_it_holds_too_much() {
        let (text, mut faults) = Text::new("a.md", &format!("+++\n{}", "## a\n".repeat(300)));
        let whole = 4..text.body().len();
        // The first heading of the body follows no line end of the body.
        let kept = bounded(&text, whole, &mut faults);
        assert_eq!(text.slice(kept).lines().count(), 201);
        let said = faults[0].to_string();
        assert!(
            said.starts_with("a.md:203:1: a text holds at most 200 sections"),
            "{said}"
        );
    }

    #[test]
    fn what_people_write_is_read_to_its_end() {
        let (text, mut faults) = Text::new("a.md", "## One\n`= kv` [a](b) $x$ “y”\n");
        let whole = 0..text.body().len();
        assert_eq!(bounded(&text, whole.clone(), &mut faults), whole);
        assert!(faults.is_empty());
    }
}
