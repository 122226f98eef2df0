//! Lines of code in the room that there is.

use super::rows::Row;
use super::theme::Role;
use text::fold;

/// A line of code behind `head`, in rows of at most `columns` columns.
pub fn code<'s>(
    head: Row,
    spans: impl Iterator<Item = (&'s str, Role)>,
    columns: usize,
) -> Vec<Row> {
    let marked: Vec<(char, Role)> = spans
        .flat_map(|(text, role)| text.chars().map(move |c| (c, role)))
        .collect();
    let margin = head.width();
    let mut head = Some(head);
    let lines = fold(&marked, margin, columns).into_iter();
    lines
        .map(|(lead, line)| {
            let row = head.take();
            let row = row.unwrap_or_else(|| Row::of(" ".repeat(lead), Role::Text));
            line.chunk_by(|a, b| a.1 == b.1).fold(row, |row, run| {
                let text: String = run.iter().map(|(c, _)| *c).collect();
                row.and(text, run.first().map_or(Role::Text, |(_, role)| *role))
            })
        })
        .collect()
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
        assert_eq!(rows[0].text(), "  13      largest = fmaxf(largest,");
        assert_eq!(rows[1].text(), "              widen(right.at[lane], 1));");
    }
}
