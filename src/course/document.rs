//! A markdown text of the course, parsed once and cut at its `## ` headings.

use super::text::Text;
use ::text::{Block, Element, Live, Section, parse_from};
use std::ops::Range;

/// What stands under one heading.
pub(crate) struct Stretch {
    /// The heading as it is written; empty for what stands before the first one.
    pub title: String,
    /// Line of the heading, or of the first block.
    pub line: usize,
    /// Bytes of the text behind the heading.
    pub content: Range<usize>,
    /// Bytes of the text before what was parsed: spans count from there.
    pub base: usize,
    /// The parsed section.
    pub drawn: Section,
}

impl Stretch {
    /// Its live blocks.
    pub fn lives(&self) -> impl Iterator<Item = &Live> {
        self.drawn
            .blocks
            .iter()
            .filter_map(|block| match &block.element {
                Element::Live(live) => Some(live),
                _ => None,
            })
    }
}

/// Parses a part of a text, with these kinds of live blocks.
pub(crate) fn stretches(text: &Text, range: Range<usize>, live: &[&str]) -> Vec<Stretch> {
    let base = range.start;
    let source = text.slice(range.clone());
    let document = parse_from(source, text.place(base), live);
    let mut out: Vec<Stretch> = Vec::new();
    for mut drawn in document.sections {
        for block in &mut drawn.blocks {
            examples(block, false);
        }
        let heading = text.slice(base + drawn.span.start..base + drawn.span.end);
        let line = heading.lines().next().unwrap_or_default();
        if let Some(before) = out.last_mut() {
            before.content.end = base + drawn.span.start;
        }
        out.push(Stretch {
            title: line.trim().trim_matches('#').trim().to_owned(),
            line: drawn.line,
            content: base + drawn.span.end..range.end,
            base,
            drawn,
        });
    }
    out
}

/// Within a list or an aside a live block is an example of one, and stands as it
/// is written.
fn examples(block: &mut Block, inside: bool) {
    match &mut block.element {
        Element::Aside(blocks) => blocks.iter_mut().for_each(|block| examples(block, true)),
        Element::List { items, .. } => {
            let blocks = items.iter_mut().flat_map(|item| &mut item.blocks);
            blocks.for_each(|block| examples(block, true));
        }
        Element::Live(live) if inside => {
            block.element = Element::Code {
                language: std::mem::take(&mut live.kind),
                text: std::mem::take(&mut live.body),
                first: block.place.line + 1,
            };
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_begin_at_second_level_headings_outside_fences() {
        let body = "intro\n\n## One\na\n```text\n## not a heading\n```\n### deeper\n## Two ##\nb";
        let (text, _) = Text::new("t.md", body);
        let found: Vec<(String, usize, &str)> = stretches(&text, 0..body.len(), &[])
            .into_iter()
            .map(|s| (s.title, s.line, text.slice(s.content)))
            .collect();
        assert_eq!(
            found,
            [
                (String::new(), 1, "intro\n\n"),
                (
                    "One".to_owned(),
                    3,
                    "a\n```text\n## not a heading\n```\n### deeper\n"
                ),
                ("Two".to_owned(), 9, "b"),
            ]
        );
    }

    #[test]
    fn places_count_from_the_beginning_of_the_file() {
        let (text, _) = Text::new("t.md", "front\n## A\n```lab\nx\n```\n");
        let found = stretches(&text, 6..text.body().len(), &["lab"]);
        assert_eq!((found[0].line, found[0].base), (2, 6));
        let Some(::text::Element::Live(live)) = found[0].drawn.blocks.first().map(|b| &b.element)
        else {
            panic!("{:?}", found[0].drawn)
        };
        assert_eq!(live.place.line, 3);
        assert_eq!(
            text.slice(6 + live.within.start..6 + live.within.end),
            "x\n"
        );
    }

    #[test]
    fn a_live_block_in_a_list_is_an_example_of_one() {
        let body = "- a\n  ```lab\n  x\n  ```\n\n> ```lab\n> x\n> ```\n";
        let (text, _) = Text::new("t.md", body);
        let found = stretches(&text, 0..body.len(), &["lab"]);
        let mut seen = Vec::new();
        found[0].drawn.each_block(|block| match &block.element {
            Element::Live(live) => panic!("{live:?}"),
            Element::Code { language, text, .. } => seen.push((language.clone(), text.clone())),
            _ => {}
        });
        let lab = ("lab".to_owned(), "x\n".to_owned());
        assert_eq!(seen, [lab.clone(), lab]);
    }
}
