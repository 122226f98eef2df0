//! TOML inside a larger file: front matter, the body of a block.

use super::Fields;
use crate::fault::Fault;
use crate::text::Text;
use std::ops::Range;
use toml::de::DeTable;

/// TOML text inside a file: the file, and the byte range that is TOML.
#[derive(Debug, Clone)]
pub(crate) struct Toml<'t> {
    pub text: &'t Text,
    pub range: Range<usize>,
}

impl<'t> Toml<'t> {
    /// Parses, reports what is not TOML, and hands what could be read to `read`.
    pub fn read<R>(
        &self,
        faults: &mut Vec<Fault>,
        read: impl FnOnce(&mut Fields<'_, '_>) -> R,
    ) -> R {
        let source = self.text.slice(self.range.clone());
        let (table, errors) = DeTable::parse_recoverable(source);
        let broken = !errors.is_empty();
        let before = faults.len();
        for error in errors {
            let at = error.span().map_or(0, |span| span.start);
            let say = format!("not TOML here: {}", syntax(error.message()));
            faults.push(self.text.fault(self.range.start + at, say));
        }
        let mut found = Vec::new();
        let out = {
            let mut fields = Fields {
                text: self.text,
                base: self.range.start,
                at: self.range.start,
                table: table.get_ref(),
                what: "",
                asked: Vec::new(),
                broken,
                faults: &mut found,
            };
            read(&mut fields)
        };
        // One fault per line where the line is not even TOML.
        let lines: Vec<usize> = faults
            .iter()
            .skip(before)
            .map(|fault| fault.at.line)
            .collect();
        faults.extend(
            found
                .into_iter()
                .filter(|fault| !broken || !lines.contains(&fault.at.line)),
        );
        out
    }
}

/// What the parser says in one sentence, with the way out.
fn syntax(message: &str) -> String {
    let what = message.lines().next().unwrap_or("unexpected text");
    let what = what
        .split(", expected literal string")
        .next()
        .unwrap_or(what);
    let way_out = if what.contains("quoted") {
        "write it as \"…\"."
    } else if what.contains("duplicate") {
        "remove one of the two."
    } else {
        "texts stand in quotes, lists in brackets, one key = value per line."
    };
    format!("{what}; {way_out}")
}
