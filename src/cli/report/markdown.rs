//! Pieces as markdown. What was typed stays text: nothing in it becomes markup.

use crate::cli::live;
use course::present::{Figure, Grid, Piece, Weight};

/// Pieces one after another.
pub(super) fn pieces(pieces: &[Piece]) -> String {
    let parts: Vec<String> = pieces.iter().map(piece).collect();
    let mut out = String::new();
    for (at, part) in parts.iter().enumerate() {
        // Items of one list stand together.
        let item = |at: usize| matches!(pieces.get(at), Some(Piece::Said(..)));
        if at > 0 && !(item(at) && item(at - 1)) {
            out.push('\n');
        }
        out += part;
    }
    out
}

fn piece(piece: &Piece) -> String {
    match piece {
        Piece::Words(Weight::Title, text) => format!("### {}\n", plain(text)),
        Piece::Words(Weight::Place, text) => format!("**{}**\n", plain(text)),
        Piece::Words(_, text) => format!("{}\n", plain(text)),
        Piece::Said(label, text) => format!("- **{}** {}\n", plain(label), plain(text)),
        Piece::Table(grid) => table(grid),
        Piece::Roofline(found) => table(&found.grid),
        Piece::Chart(chart) => {
            // Its figures stand in the tables; a page draws it.
            let lines: Vec<&str> = chart.lines.iter().map(|line| line.name.as_str()).collect();
            let lines = plain(&lines.join(", "));
            format!(
                "Drawn in the HTML form: {lines} over {}.\n",
                plain(&chart.x)
            )
        }
        Piece::Figures(figures) => figures.iter().map(figure).collect(),
        Piece::Run(command) => format!("`tinyllama-tutor {command}`\n"),
        other => {
            let lines = live::lines(std::slice::from_ref(other), false);
            format!("```text\n{}\n```\n", lines.join("\n"))
        }
    }
}

fn figure(figure: &Figure) -> String {
    let value = figure.value.as_ref().unwrap_or_else(|why| why);
    format!("- **{}** {}\n", plain(&figure.label), plain(value))
}

fn table(grid: &Grid) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| plain(cell)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let numbers = |at: usize| {
        let mut cells = grid.rows.iter().filter_map(|row| row.get(at));
        cells.all(|cell| cell.starts_with(|c: char| c.is_ascii_digit() || "-–·".contains(c)))
    };
    let rules: Vec<String> = (0..grid.head.len())
        .map(|at| if numbers(at) { "---:" } else { "---" }.to_owned())
        .collect();
    let mut out = line(&grid.head);
    out += &format!("| {} |\n", rules.join(" | "));
    out += &grid.rows.iter().map(|row| line(row)).collect::<String>();
    if !grid.foot.is_empty() {
        out += &format!("\n{}\n", plain(&grid.foot));
    }
    out
}

/// Text on one line, with nothing that markdown or HTML would take for its own.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in text
        .chars()
        .filter(|c| !course::obeyed(*c) || c.is_whitespace())
    {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '#' | '>' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_whitespace() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_stays_text() {
        let typed = "a|b <img src=x> `c` *d*\nnext_1\u{1b}[31m";
        assert_eq!(
            plain(typed),
            "a\\|b &lt;img src=x\\> \\`c\\` \\*d\\* next\\_1\\[31m"
        );
    }

    #[test]
    fn a_table_has_a_rule_and_its_numbers_stand_to_the_right() {
        let grid = Grid {
            head: vec!["plan".into(), "time µs @".into()],
            rows: vec![vec!["V1".into(), "12.5".into()]],
            foot: "… 3 more".into(),
            ..Grid::default()
        };
        let text = pieces(&[Piece::Table(grid)]);
        assert_eq!(
            text,
            "| plan | time µs @ |\n| --- | ---: |\n| V1 | 12.5 |\n\n… 3 more\n"
        );
    }

    #[test]
    fn items_of_a_list_stand_together() {
        let said = |word: &str| Piece::Said(word.to_owned(), "x".to_owned());
        let text = pieces(&[said("a"), said("b"), Piece::Words(Weight::Text, "c".into())]);
        assert_eq!(text, "- **a** x\n- **b** x\n\nc\n");
    }
}
