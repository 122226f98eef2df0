//! Pages that fit an 80-column terminal.

use crate::block::{Block, Cell, LANGUAGES, mistyped};
use crate::fault::{Fault, Place, way_out};
use crate::lesson::{Part, Section};
use text::{Element, Inline, parse, words};
use unicode_width::UnicodeWidthStr;

/// Columns of text on a page.
const MEASURE: usize = 72;
/// Columns of a page, margins excluded: what cannot wrap must fit here.
const PAGE: usize = 76;
/// Rows that a section's prose should take at most; it can be scrolled beyond.
const PROSE: usize = 18;
/// Lines of one piece of code.
const CODE: usize = 14;
/// Rows of one table without its head.
const ROWS: usize = 7;
/// Columns of words in a table wrap down to this.
const NARROWEST: usize = 16;
/// Columns that a computed number takes at most.
const FIGURE: usize = 12;

/// Checks a section of a lesson.
pub(super) fn section(file: &str, section: &Section, faults: &mut Vec<Fault>) {
    let mut rows = 0;
    for part in &section.parts {
        if let Part::Prose { body, .. } = part {
            rows += text(file, body, faults);
        }
    }
    for live in section.live() {
        if let Ok(Block::Table { columns, rows }) = &live.content {
            let mut table = Table::new(Place {
                line: live.line,
                column: 1,
            });
            table.cells(columns.iter().map(|column| unbreakable_text(&column.text)));
            for row in rows {
                table.cells(row.iter().map(|cell| match cell {
                    Cell::Text(text) => unbreakable_text(&text.text),
                    Cell::Number(number) => FIGURE.min(number.expr.text.width()),
                }));
            }
            table.close(file, faults);
        }
    }
    if rows > PROSE {
        let at = Place {
            line: section.lines.start,
            column: 1,
        };
        faults.push(Fault::at(file, at, format!(
            "“{}” takes {rows} rows of prose and a page shows about {PROSE}; make it two sections.", section.title
        )).warning());
    }
}

/// Checks markdown and returns the rows that its running text takes.
pub(super) fn text(file: &str, section: &text::Section, faults: &mut Vec<Fault>) -> usize {
    blocks(file, &section.blocks, faults)
}

fn blocks(file: &str, blocks: &[text::Block], faults: &mut Vec<Fault>) -> usize {
    let wrapped = |text: &[Inline], marker: usize| (shown(text) + 1 + marker).div_ceil(MEASURE);
    let mut rows = 0;
    for block in blocks {
        match &block.element {
            Element::Heading { text, level } => rows += wrapped(text, usize::from(*level) + 1),
            Element::Paragraph(text) => rows += wrapped(text, 0),
            Element::Math(formula) => rows += (formula.source.width() + 1).div_ceil(MEASURE),
            Element::Aside(inner) => rows += self::blocks(file, inner, faults),
            Element::List { items, .. } => {
                for item in items {
                    rows += self::blocks(file, &item.blocks, faults);
                }
            }
            Element::Table(table) => {
                let mut widths = Table::new(block.place);
                for row in std::iter::once(&table.head).chain(&table.rows) {
                    widths.cells(row.iter().map(|cell| unbreakable(cell)));
                }
                widths.close(file, faults);
            }
            Element::Code {
                language,
                text,
                first,
            } => code(file, block.place, (language, text, *first), faults),
            Element::Live(_) | Element::Rule => {}
        }
    }
    rows
}

/// Checks a block of code: its language, its lines, which begin at line `first`.
fn code(
    file: &str,
    at: Place,
    (language, text, first): (&str, &str, usize),
    faults: &mut Vec<Fault>,
) {
    let strange = !language.is_empty() && !LANGUAGES.contains(&language);
    if strange && mistyped(language).is_none() {
        let way_out = way_out(language, &LANGUAGES);
        let say = format!("no colours are known for “{language}”; {way_out}");
        faults.push(Fault::at(file, at, say).warning());
    }
    for (line, text) in (first..).zip(text.lines()) {
        let width = text.width();
        if width > PAGE {
            let column = PAGE + 1;
            faults.push(Fault::at(
                file,
                Place { line, column },
                format!(
                    "this line of code is {width} columns wide and a page has {PAGE}; break it."
                ),
            ));
        }
    }
    let count = text.lines().count();
    if count > CODE {
        faults.push(Fault::at(file, at, format!(
            "this code has {count} lines and a page shows {CODE}; show the part that matters."
        )).warning());
    }
}

/// Columns that words take about, numbers filled in.
fn shown(text: &[Inline]) -> usize {
    let width = |inline: &Inline| match inline {
        Inline::Words { text, .. } => text.replace('\n', " ").width(),
        Inline::Code { text, .. } => text.width(),
        Inline::Value(value) => FIGURE.min(value.expression.width()),
        Inline::Math(formula) => formula.source.width() + 2,
        Inline::Strong(text) | Inline::Emphasis(text) | Inline::Link { text, .. } => shown(text),
        Inline::Break => 1,
    };
    text.iter().map(width).sum()
}

/// Columns that a cell needs at least: its text wraps at [`NARROWEST`].
fn unbreakable(cell: &[Inline]) -> usize {
    let computed = cell.iter().any(|inline| matches!(inline, Inline::Value(_)));
    match words(cell).split_whitespace().count() > 1 && !computed {
        true => shown(cell).min(NARROWEST),
        false => shown(cell),
    }
}

/// The same for a cell as it is written.
fn unbreakable_text(cell: &str) -> usize {
    let document = parse(cell, 1, &[]);
    let mut width = 0;
    for section in &document.sections {
        section.each_text(|text| width = width.max(unbreakable(text)));
    }
    width
}

/// A table while its rows go by.
struct Table {
    at: Place,
    /// Columns that each column needs: words wrap, numbers do not.
    widths: Vec<usize>,
    rows: usize,
}

impl Table {
    fn new(at: Place) -> Self {
        Self {
            at,
            widths: Vec::new(),
            rows: 0,
        }
    }

    /// Adds a row by the widths of its cells.
    fn cells(&mut self, widths: impl Iterator<Item = usize>) {
        self.rows += 1;
        for (index, width) in widths.enumerate() {
            match self.widths.get_mut(index) {
                Some(widest) => *widest = width.max(*widest),
                None => self.widths.push(width),
            }
        }
    }

    fn close(self, file: &str, faults: &mut Vec<Fault>) {
        let width = self.widths.iter().sum::<usize>() + 2 * self.widths.len().saturating_sub(1);
        if width > MEASURE {
            faults.push(Fault::at(file, self.at, format!(
                "this table is about {width} columns wide and a page has {MEASURE}, so it scrolls sideways; shorten its cells."
            )).warning());
        }
        let rows = self.rows.saturating_sub(1);
        if rows > ROWS {
            faults.push(
                Fault::at(
                    file,
                    self.at,
                    format!("this table has {rows} rows and a page shows {ROWS} well; split it."),
                )
                .warning(),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(file: &str, markdown: &str, faults: &mut Vec<Fault>) -> usize {
        let document = parse(markdown, 1, &[]);
        let sections = document.sections.iter();
        sections.map(|section| text(file, section, faults)).sum()
    }

    fn said(markdown: &str) -> Vec<String> {
        let mut faults = Vec::new();
        rows("a.md", markdown, &mut faults);
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn code_must_fit_the_page() {
        let code = format!("```c\n{}\n{}\n```", "x".repeat(76), "y".repeat(77));
        assert_eq!(
            said(&code),
            ["a.md:3:77: this line of code is 77 columns wide and a page has 76; break it."]
        );
    }

    #[test]
    fn long_code_and_long_tables_are_noticed() {
        let code = format!("```c\n{}```", "x\n".repeat(15));
        assert_eq!(
            said(&code),
            [
                "a.md:1:1: warning: this code has 15 lines and a page shows 14; show the part that matters."
            ]
        );
        let table = format!("|a|b|\n|-|-|\n{}", "|1|2|\n".repeat(8));
        assert_eq!(
            said(&table),
            ["a.md:1:1: warning: this table has 8 rows and a page shows 7 well; split it."]
        );
    }

    #[test]
    fn table_widths_count_numbers_as_they_show() {
        let number = "`= kernel(v1, softmax).weight_bytes + kernel(v1, softmax).read_bytes | MB 3`";
        assert!(said(&format!("| a | b |\n|---|---|\n| x | {number} |")).is_empty());
        let wide = "w".repeat(71);
        // 71 columns, a gap of 2, and 1 more are 74.
        assert_eq!(said(&format!("| {wide} | b |\n|---|---|")).len(), 1);
    }

    #[test]
    fn rows_of_prose_are_counted_as_they_wrap() {
        let mut faults = Vec::new();
        // 150 characters wrap to three rows of 72, the list adds two.
        let words = "abcd ".repeat(30);
        assert_eq!(
            rows("a.md", &format!("{words}\n\n- one\n- two"), &mut faults),
            5
        );
        assert!(faults.is_empty());
    }
}
