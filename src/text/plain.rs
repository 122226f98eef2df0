//! Elements as sentences in reading order: for a pipe, a screen reader, a
//! terminal that can do nothing else.

use super::clean;
use super::element::{Block, Element, Inline, Live, Section, Table, Value};
use super::math::{Formula, Style};
use super::page::Resolved;
use super::span::{Role, Span};
use super::wrap::Flow;

/// Plain rendering: no boxes, nothing that must be seen to be understood.
#[derive(Clone, Copy)]
pub struct Plain<'a> {
    /// Columns of a line of prose; code is never broken.
    pub width: usize,
    /// Only ASCII characters.
    pub ascii: bool,
    /// Gives values their text.
    pub resolve: &'a dyn Fn(&Value) -> Resolved,
    /// Gives live blocks their sentences.
    pub live: &'a dyn Fn(&Live) -> Vec<String>,
}

impl Plain<'_> {
    /// A section, its heading as `## `.
    pub fn section(&self, section: &Section) -> Vec<String> {
        let mut out = Vec::new();
        if !section.heading.is_empty() {
            out.extend(self.flow("## ", &section.heading, ""));
        }
        out.extend(self.blocks(&section.blocks));
        out
    }

    /// Blocks one after another; only paragraphs in a row are parted by an
    /// empty line.
    pub fn blocks(&self, blocks: &[Block]) -> Vec<String> {
        let mut out = Vec::new();
        let mut words_before = false;
        for block in blocks {
            let words = matches!(block.element, Element::Paragraph(_));
            if words && words_before {
                out.push(String::new());
            }
            words_before = words;
            out.extend(self.block(block));
        }
        out
    }

    fn block(&self, block: &Block) -> Vec<String> {
        match &block.element {
            Element::Heading { level, text } => self.flow(
                &format!("{} ", "#".repeat(usize::from((*level).max(3)))),
                text,
                "",
            ),
            Element::Paragraph(text) => self.flow("", text, ""),
            Element::List { first, items } => {
                let mut out = Vec::new();
                for (i, item) in items.iter().enumerate() {
                    let marker = match first {
                        None => "- ".to_owned(),
                        Some(first) => format!("{}. ", first.saturating_add(i as u64)),
                    };
                    let indent = " ".repeat(marker.len());
                    let inside = Self {
                        width: self.width.saturating_sub(marker.len()).max(1),
                        ..*self
                    };
                    let lines = inside.blocks(&item.blocks);
                    if lines.is_empty() {
                        out.push(marker.trim_end().to_owned());
                    }
                    for (j, line) in lines.into_iter().enumerate() {
                        let prefix = if j == 0 { &marker } else { &indent };
                        out.push(format!("{prefix}{line}").trim_end().to_owned());
                    }
                }
                out
            }
            Element::Aside(blocks) => {
                let mut lines = self.blocks(blocks);
                match blocks.first().map(|b| &b.element) {
                    Some(Element::Paragraph(text)) => {
                        lines = self.flow("Aside: ", text, "");
                        lines.extend(self.blocks(blocks.get(1..).unwrap_or(&[])));
                    }
                    _ => lines.insert(0, "Aside:".to_owned()),
                }
                lines
            }
            Element::Table(table) => self.table(table),
            Element::Code { language, text, .. } => {
                let lines = super::code::highlight("", text);
                let name = if matches!(language.as_str(), "" | "text") {
                    String::new()
                } else {
                    format!(" in {}", self.fold(language))
                };
                let mut out = vec![format!("Code{name}, {}:", count(lines.len(), "line"))];
                out.extend(lines.iter().map(|line| {
                    let line = self.fold(&line.iter().map(|s| s.text.as_str()).collect::<String>());
                    format!("  {line}").trim_end().to_owned()
                }));
                out
            }
            Element::Math(formula) => vec![format!("Formula: {}", self.formula(formula))],
            Element::Live(live) => (self.live)(live)
                .iter()
                .map(|line| self.fold(&clean::clean(line)))
                .collect(),
            Element::Rule => vec![String::new()],
        }
    }

    fn table(&self, table: &Table) -> Vec<String> {
        let cells = |row: &[Vec<Inline>]| row.iter().map(|c| self.line(c)).collect::<Vec<_>>();
        let head = cells(&table.head);
        let (by, heads) = match head.split_first() {
            Some((first, rest)) => (first.as_str(), rest.join("; ")),
            None => ("", String::new()),
        };
        let by = if by.is_empty() {
            String::new()
        } else {
            format!(" by {by}")
        };
        let rows = count(table.rows.len(), "row");
        let mut out = match heads.as_str() {
            "" => vec![format!("Table, {rows}{by}.")],
            heads => vec![format!("Table, {rows}{by}: {heads}.")],
        };
        for row in &table.rows {
            let row = cells(row);
            let (name, rest) = match row.split_first() {
                Some((name, rest)) => (name.as_str(), rest.join("; ")),
                None => ("", String::new()),
            };
            out.push(match rest.as_str() {
                "" => format!("  {name}"),
                rest => format!("  {name}: {rest}"),
            });
        }
        let lines = out.into_iter();
        lines.flat_map(|line| self.broken(line)).collect()
    }

    /// A row that is longer than a line of prose goes on in the next.
    fn broken(&self, row: String) -> Vec<String> {
        if super::width(&row) <= self.width {
            return vec![row];
        }
        let indent = if row.starts_with(' ') { "  " } else { "" };
        let words = row.split_whitespace();
        super::fill(words, self.width, indent, &format!("{indent}  "))
    }

    /// A formula as it would be read out: `saved = (2*B*S) / (5*B*S + 2*D)`.
    pub fn formula(&self, formula: &Formula) -> String {
        let spans = formula.line(&self.style());
        self.fold(&text(&spans))
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Inline elements on one line.
    pub fn line(&self, inlines: &[Inline]) -> String {
        text(&Flow::of(inlines, Role::Text, &self.style()).line())
    }

    fn flow(&self, lead: &str, inlines: &[Inline], indent: &str) -> Vec<String> {
        let mut flow = Flow::default();
        flow.words(lead, Role::Text, &self.style());
        flow.append(Flow::of(inlines, Role::Text, &self.style()));
        let lines = flow.wrap(self.width.saturating_sub(indent.len()).max(1));
        lines
            .iter()
            .map(|line| format!("{indent}{}", text(line)))
            .collect()
    }

    fn fold(&self, text: &str) -> String {
        if self.ascii {
            clean::ascii(text).into_owned()
        } else {
            text.to_owned()
        }
    }

    fn style(&self) -> Style<'_> {
        Style {
            ascii: self.ascii,
            spoken: true,
            resolve: self.resolve,
        }
    }
}

fn text(spans: &[Span]) -> String {
    spans.iter().map(|s| s.text.as_str()).collect()
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
