//! Lines of code in the room that there is.

use unicode_width::UnicodeWidthChar;

/// How much further in a line of code goes on than it begins.
const DEEPER: usize = 4;

/// A line of code of marked characters in `columns` columns, of which the first line
/// loses `margin`, as lines: how far in each begins, and what stands there. What does not
/// fit goes on below, further in than it began: at the note behind the code where there
/// is one, else at a space. No character is lost but spaces at a break.
pub fn fold<M: Copy>(
    line: &[(char, M)],
    margin: usize,
    columns: usize,
) -> Vec<(usize, Vec<(char, M)>)> {
    let blank = |at: usize| line.get(at).is_some_and(|(c, _)| *c == ' ');
    let inner = line.iter().take_while(|(c, _)| *c == ' ').count();
    let mut out = Vec::new();
    let (mut from, mut lead) = (0, margin);
    loop {
        let rest = line.get(from..).unwrap_or_default();
        let end = from + fitting(rest, columns.saturating_sub(lead)).max(1);
        if end >= line.len() {
            out.push((lead, rest.to_vec()));
            return out;
        }
        // Not inside the indentation, where a line would stay empty.
        let first = if out.is_empty() { inner } else { from };
        let spaces = || (first + 1..end).filter(|at| blank(*at));
        // Two spaces part code from what is noted behind it.
        let note = spaces().find(|at| blank(at + 1));
        let cut = note.or_else(|| spaces().next_back()).unwrap_or(end);
        out.push((lead, line.get(from..cut).unwrap_or_default().to_vec()));
        from = (cut..line.len())
            .find(|at| !blank(*at))
            .unwrap_or(line.len());
        if from == line.len() {
            return out;
        }
        // Never so far in that nothing fits.
        lead = (margin + inner + DEEPER).min(columns / 2);
    }
}

/// How many characters fit into so many columns.
fn fitting<M>(line: &[(char, M)], columns: usize) -> usize {
    let mut used = 0;
    let fits = |marked: &&(char, M)| {
        used += marked.0.width().unwrap_or(0);
        used <= columns
    };
    line.iter().take_while(fits).count()
}

#[cfg(test)]
mod tests {
    use super::fold;

    fn folded(line: &str, columns: usize) -> Vec<String> {
        let marked: Vec<(char, ())> = line.chars().map(|c| (c, ())).collect();
        let lines = fold(&marked, 0, columns).into_iter();
        lines
            .map(|(lead, line)| {
                let text: String = line.iter().map(|(c, ())| *c).collect();
                format!("{}{text}", " ".repeat(lead))
            })
            .collect()
    }

    #[test]
    fn a_note_behind_code_goes_below_it_and_is_whole() {
        let line = "    past = exp(m - m')               one factor for all of the past";
        assert_eq!(folded(line, 80), [line]);
        assert_eq!(
            folded(line, 54),
            [
                "    past = exp(m - m')",
                "        one factor for all of the past"
            ]
        );
        assert_eq!(
            folded("for (int i = 0; i < n; ++i) x[i] = y[i];", 28),
            ["for (int i = 0; i < n; ++i)", "    x[i] = y[i];"]
        );
    }

    #[test]
    fn nothing_is_lost_in_any_room() {
        let line = "    largest = fmaxf(largest, widen(right.at[lane], 1));  // two of them";
        let bare = |text: &str| text.replace(' ', "");
        for columns in 12..90 {
            let lines = folded(line, columns);
            assert!(
                lines.iter().all(|l| l.len() <= columns),
                "{columns} {lines:?}"
            );
            assert_eq!(bare(&lines.concat()), bare(line), "{columns}");
        }
    }
}
