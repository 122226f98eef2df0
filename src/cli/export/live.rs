//! Live blocks on a page: figures as tables, predictions before what came out.

use super::html::{escape, figure};
use crate::cli::live::{Piece, Table};
use text::{Role, Span, code};

/// A block; what follows a prediction is folded away until it is asked for.
pub(super) fn block(kind: &str, pieces: Vec<Piece>) -> String {
    let (asks, rest): (Vec<Piece>, Vec<Piece>) = pieces
        .into_iter()
        .partition(|piece| matches!(piece, Piece::Ask(_)));
    let shown = |pieces: Vec<Piece>| pieces.into_iter().map(piece).collect::<String>();
    let folded = !asks.is_empty();
    let (asks, rest) = (shown(asks), shown(rest));
    let rest = match folded {
        true => format!("<details>\n<summary>What comes out</summary>\n{rest}</details>\n"),
        false => rest,
    };
    format!(
        "<figure class=\"live\">\n<figcaption>{}</figcaption>\n{asks}{rest}</figure>\n",
        escape(kind)
    )
}

/// A block that cannot be shown, and why.
pub(super) fn refused(kind: &str, sentence: &str) -> String {
    figure("live", kind, &[format!("({sentence})")])
}

fn piece(piece: Piece) -> String {
    match piece {
        Piece::Ask(ask) => format!("<p><strong>Predict:</strong> {}</p>\n", coded(&ask)),
        Piece::Line(line) => {
            let class = if line.starts_with(' ') {
                " class=\"under\""
            } else {
                ""
            };
            format!("<p{class}>{}</p>\n", coded(line.trim()))
        }
        Piece::Table(table) => of_table(&table),
        Piece::Steps(steps) => {
            let items = steps
                .iter()
                .map(|step| format!("<li>{}</li>\n", coded(step)));
            format!("<ol>\n{}</ol>\n", items.collect::<String>())
        }
        Piece::Code(lines) => source(&lines),
        Piece::Command(command) => format!(
            "<p class=\"dim\">Command: <code>tinyllama-tutor {}</code></p>\n",
            escape(&command)
        ),
    }
}

/// A table; a column of figures stands to the right.
fn of_table(table: &Table) -> String {
    let begins = |text: &str| text.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let class = |at: usize| {
        let mut cells = table.rows.iter().filter_map(|row| row.get(at));
        match cells.all(|cell| begins(cell)) {
            true => " class=\"right\"",
            false => "",
        }
    };
    let row = |cells: &[String], tag: &str, scope: &str| {
        let cells = cells.iter().enumerate();
        let cells =
            cells.map(|(at, cell)| format!("<{tag}{scope}{}>{}</{tag}>", class(at), coded(cell)));
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let head = row(&table.columns, "th", " scope=\"col\"");
    let rows: String = table
        .rows
        .iter()
        .map(|cells| row(cells, "td", ""))
        .collect();
    format!(
        "<div class=\"wide\" tabindex=\"0\"><table>\n<thead>\n{head}</thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

/// Lines of a kernel with their numbers and colours.
pub(super) fn source(lines: &[(usize, String)]) -> String {
    let text: Vec<&str> = lines.iter().map(|(_, text)| text.as_str()).collect();
    let coloured = code::highlight("cuda", &text.join("\n"));
    let numbered: Vec<String> = lines
        .iter()
        .zip(coloured)
        .map(|((number, _), spans)| {
            let number = Span::new(format!("{number:4}  "), Role::Dim);
            std::iter::once(number)
                .chain(spans)
                .map(|span| super::html::span(&span, Role::Code))
                .collect()
        })
        .collect();
    format!(
        "<pre class=\"code\" tabindex=\"0\"><code>{}</code></pre>\n",
        numbered.join("\n")
    )
}

/// Text in which backticks mark code.
fn coded(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escape(text);
    }
    let part = |(at, part): (usize, &&str)| match at % 2 {
        0 => escape(part),
        _ => format!("<code>{}</code>", escape(part)),
    };
    parts.iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_a_table_and_numbers_stand_to_the_right() {
        let table = Table {
            said: Vec::new(),
            columns: vec!["plan".into(), "bytes".into()],
            rows: vec![vec!["<V1>".into(), "9.964 MB".into()]],
        };
        let out = block(
            "lab",
            vec![Piece::Table(table), Piece::Command("run `x`".into())],
        );
        for part in [
            "<th scope=\"col\">plan</th><th scope=\"col\" class=\"right\">bytes</th>",
            "<tr><td>&lt;V1&gt;</td><td class=\"right\">9.964 MB</td></tr>",
            "Command: <code>tinyllama-tutor run `x`</code>",
        ] {
            assert!(out.contains(part), "{part} not in {out}");
        }
        assert!(!out.contains("<details>"), "{out}");
    }

    #[test]
    fn what_is_to_be_predicted_is_folded_away() {
        let pieces = vec![
            Piece::Ask("How many of `q`?".into()),
            Piece::Line("  17.".into()),
        ];
        let out = block("lab", pieces);
        let (before, after) = out.split_once("<details>").unwrap();
        assert!(before.contains("How many of <code>q</code>?"), "{out}");
        assert!(after.contains("<p class=\"under\">17.</p>"), "{out}");
        assert_eq!(coded("a ` b"), "a ` b");
    }
}
