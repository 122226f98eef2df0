//! Markdown of a block with what its inline numbers say.

use crate::answer::Env;
use crate::number::Inline;
use ::text::{Block, Element, Place, Resolved, Role, Value, parse};

/// Markdown as it was read, and the texts of its inline numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prose {
    /// In order; a heading is a block like the others.
    pub blocks: Vec<Block>,
    values: Vec<(Value, Resolved)>,
}

impl Prose {
    /// Reads `text` and evaluates its numbers.
    pub fn of(text: &str, env: &Env<'_>) -> Self {
        let document = parse(text, 1, &[]);
        let value = |value: &Value| {
            let shown = match Inline::of(value).show(env) {
                Ok(shown) => Resolved::value(shown),
                Err((_, why)) => Resolved::error(format!("({why})")),
            };
            (value.clone(), shown)
        };
        let values = document.values().into_iter().map(value).collect();
        let mut blocks = Vec::new();
        for section in document.sections {
            if !section.heading.is_empty() {
                let place = Place {
                    line: section.line,
                    column: 1,
                };
                let text = section.heading;
                let element = Element::Heading { level: 2, text };
                blocks.push(Block { place, element });
            }
            blocks.extend(section.blocks);
        }
        Self { blocks, values }
    }

    /// What one of its numbers says.
    pub fn resolve(&self, value: &Value) -> Resolved {
        let known = self.values.iter().find(|(known, _)| known == value);
        known.map_or_else(|| Resolved::value(""), |(_, shown)| shown.clone())
    }

    /// A number has no value and says why in its place.
    pub fn unshown(&self) -> bool {
        self.values.iter().any(|(_, v)| v.role == Role::Error)
    }
}
