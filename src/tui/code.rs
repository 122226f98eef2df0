//! Lines of code in the room that there is.

use super::rows::Row;
use super::theme::Role;

/// How much further in a line goes on.
const DEEPER: usize = 4;

/// A line of code behind `head`; what does not fit in `columns` goes on below,
/// further in, and nothing is cut.
pub fn code<'s>(
    head: Row,
    spans: impl Iterator<Item = (&'s str, Role)>,
    columns: usize,
) -> Vec<Row> {
    let margin = head.width();
    let marked: Vec<(char, Role)> = spans
        .flat_map(|(text, role)| text.chars().map(move |c| (c, role)))
        .collect();
    let inner = marked.iter().take_while(|(c, _)| *c == ' ').count();
    let mut rows = Vec::new();
    let mut rest = marked.as_slice();
    let mut row = head;
    loop {
        let room = columns.saturating_sub(row.width()).max(1);
        let fits = rest.len() <= room;
        let cut = if fits {
            rest.len()
        } else {
            let head = rest.get(..room).unwrap_or(rest);
            let space = head.iter().rposition(|(c, _)| *c == ' ');
            // Not inside the indentation, where a line would stay empty.
            let indented = if rows.is_empty() { inner } else { 0 };
            space.filter(|at| *at > indented).map_or(room, |at| at + 1)
        };
        let (line, left) = rest.split_at(cut);
        for run in line.chunk_by(|a, b| a.1 == b.1) {
            let text: String = run.iter().map(|(c, _)| *c).collect();
            row = row.and(text, run.first().map_or(Role::Text, |(_, role)| *role));
        }
        rows.push(row);
        rest = left;
        if fits {
            return rows;
        }
        // Never so far in that nothing fits.
        let lead = (margin + inner + DEEPER).min(columns / 2);
        row = Row::of(" ".repeat(lead), Role::Text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_of_code_goes_on_below_and_loses_nothing() {
        let line = "    largest = fmaxf(largest, widen(right.at[lane], 1));";
        for columns in [12, 24, 40, 80] {
            let rows = code(
                Row::of("  13  ", Role::Dim),
                [(line, Role::Text)].into_iter(),
                columns,
            );
            assert!(rows.iter().all(|r| r.width() <= columns), "{columns}");
            let joined: String = rows
                .iter()
                .map(|r| r.text().trim_start().to_owned())
                .collect();
            assert_eq!(
                joined.replace(' ', ""),
                format!("13{line}").replace(' ', ""),
                "{columns}"
            );
        }
        let rows = code(
            Row::of("  13  ", Role::Dim),
            [(line, Role::Text)].into_iter(),
            40,
        );
        assert_eq!(rows[0].text(), "  13      largest = fmaxf(largest, ");
        assert_eq!(rows[1].text(), "              widen(right.at[lane], 1));");
    }
}
