//! Pages that fit an 80-column terminal.

use crate::block::{Block, Cell, LANGUAGES, mistyped};
use crate::fault::{Fault, Place, way_out};
use crate::lesson::{Part, Section};
use crate::number::split;
use crate::scan::{Piece, pieces};
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
        if let Part::Prose {
            text: markdown,
            line,
            ..
        } = part
        {
            rows += text(file, markdown, *line, faults);
        }
    }
    for live in section.live() {
        if let Ok(Block::Table { columns, rows }) = &live.content {
            let mut table = Table::new(Place {
                line: live.line,
                column: 1,
            });
            table.cells(columns.iter().map(|column| unbreakable(&column.text)));
            for row in rows {
                table.cells(row.iter().map(|cell| match cell {
                    Cell::Text(text) => unbreakable(&text.text),
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
pub(super) fn text(file: &str, markdown: &str, first: usize, faults: &mut Vec<Fault>) -> usize {
    let mut rows = 0;
    let mut fence: Option<(String, usize, usize)> = None;
    let mut table: Option<Table> = None;
    let mut paragraph = 0;
    let wrapped = |columns: usize| columns.div_ceil(MEASURE);
    for (index, line) in markdown.lines().enumerate() {
        let number = first + index;
        let at = Place {
            line: number,
            column: 1,
        };
        if let Some((mark, opened, count)) = &mut fence {
            if line.trim_start().starts_with(mark.as_str()) {
                if *count > CODE {
                    let at = Place {
                        line: *opened,
                        column: 1,
                    };
                    faults.push(Fault::at(file, at, format!(
                        "this code has {count} lines and a page shows {CODE}; show the part that matters."
                    )).warning());
                }
                fence = None;
            } else {
                *count += 1;
                let width = line.width();
                if width > PAGE {
                    let at = Place {
                        line: number,
                        column: PAGE + 1,
                    };
                    faults.push(Fault::at(file, at, format!(
                        "this line of code is {width} columns wide and a page has {PAGE}; break it."
                    )));
                }
            }
            continue;
        }
        let trimmed = line.trim_start();
        let mark: String = trimmed
            .chars()
            .take_while(|c| matches!(c, '`' | '~'))
            .collect();
        if mark.len() >= 3 && !trimmed.trim_start_matches(['`', '~']).contains('`') {
            rows += wrapped(std::mem::take(&mut paragraph));
            let info = trimmed
                .trim_start_matches(['`', '~'])
                .split_whitespace()
                .next();
            if let Some(info) =
                info.filter(|info| !LANGUAGES.contains(info) && mistyped(info).is_none())
            {
                faults.push(
                    Fault::at(
                        file,
                        at,
                        format!(
                            "no colours are known for “{info}”; {}",
                            way_out(info, &LANGUAGES)
                        ),
                    )
                    .warning(),
                );
            }
            fence = Some((mark, number, 0));
            continue;
        }
        if trimmed.starts_with('|') {
            rows += wrapped(std::mem::take(&mut paragraph));
            table.get_or_insert_with(|| Table::new(at)).row(trimmed);
            continue;
        }
        if let Some(table) = table.take() {
            table.close(file, faults);
        }
        if trimmed.is_empty()
            || trimmed.starts_with(['-', '*', '>', '#'])
            || trimmed.starts_with(|c: char| c.is_ascii_digit())
        {
            rows += wrapped(std::mem::take(&mut paragraph));
        }
        paragraph += shown(trimmed) + usize::from(!trimmed.is_empty());
    }
    if let Some(table) = table.take() {
        table.close(file, faults);
    }
    rows + wrapped(paragraph)
}

/// Columns that a stretch of markdown takes about, numbers filled in.
fn shown(markdown: &str) -> usize {
    pieces(markdown)
        .into_iter()
        .map(|(piece, range)| {
            let text = markdown.get(range).unwrap_or_default();
            match piece {
                Piece::Code => {
                    let inner = text.trim_matches('`');
                    if split(inner).is_some() {
                        FIGURE.min(inner.width())
                    } else {
                        inner.width()
                    }
                }
                Piece::Hidden => 0,
                Piece::Plain => text.replace("**", "").width(),
                Piece::Math | Piece::Quoted => text.width(),
            }
        })
        .sum()
}

/// Columns that a cell needs at least: its text wraps at [`NARROWEST`].
fn unbreakable(cell: &str) -> usize {
    let words = cell.split_whitespace().count() > 1 && !cell.contains("`=");
    if words {
        shown(cell).min(NARROWEST)
    } else {
        shown(cell)
    }
}

/// A markdown table while its rows go by.
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

    fn row(&mut self, line: &str) {
        let rule = line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '));
        if rule {
            return;
        }
        self.cells(cells(line).into_iter().map(|cell| unbreakable(cell.trim())));
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

/// Cells of a row; a bar inside a code span or after a backslash is none.
fn cells(line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut from = 0;
    for (piece, range) in pieces(line) {
        if piece == Piece::Code || piece == Piece::Math {
            continue;
        }
        for (at, _) in line
            .get(range.clone())
            .unwrap_or_default()
            .match_indices('|')
        {
            let at = range.start + at;
            if at > 0 && line.as_bytes().get(at - 1) == Some(&b'\\') {
                continue;
            }
            if at > 0 {
                out.push(line.get(from..at).unwrap_or_default());
            }
            from = at + 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(markdown: &str) -> Vec<String> {
        let mut faults = Vec::new();
        text("a.md", markdown, 1, &mut faults);
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
            text("a.md", &format!("{words}\n\n- one\n- two"), 1, &mut faults),
            5
        );
        assert!(faults.is_empty());
    }
}
