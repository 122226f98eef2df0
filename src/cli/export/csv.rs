//! Results as CSV: a head, then a line per question (RFC 4180, lines ended by `\n`).

use super::ExerciseDocument;

const HEAD: [&str; 7] = [
    "exercise", "key", "typed", "verdict", "tries", "hints", "variant",
];

/// Every question of every exercise.
pub(super) fn table(exercises: &[ExerciseDocument]) -> String {
    let mut out = row(HEAD);
    for exercise in exercises {
        for key in &exercise.keys {
            out += &row([
                &exercise.exercise,
                &key.name,
                &key.typed,
                key.verdict.unwrap_or_default(),
                &key.tries.to_string(),
                &key.hints_seen.to_string(),
                &exercise.variant.to_string(),
            ]);
        }
    }
    out
}

fn row(cells: [&str; 7]) -> String {
    let cells: Vec<String> = cells.into_iter().map(cell).collect();
    cells.join(",") + "\n"
}

/// A cell in quotes where it needs them.
///
/// A spreadsheet takes what begins with `=`, `+`, `-` or `@` for a formula, and a
/// learner could type one into an instructor's sheet: an apostrophe makes it
/// text. A number with its sign stays a number.
fn cell(text: &str) -> String {
    let formula = text.trim_start().starts_with(['=', '+', '-', '@']);
    let text = if formula && text.trim().parse::<f64>().is_err() {
        format!("'{text}")
    } else {
        text.to_owned()
    };
    if text.contains([',', '"', '\n', '\r']) || text.trim() != text {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::KeyDocument;
    use super::*;

    #[test]
    fn cells_are_quoted_where_a_reader_would_part_them() {
        assert_eq!(cell("17 launches"), "17 launches");
        assert_eq!(cell("1,245,184 B"), "\"1,245,184 B\"");
        assert_eq!(cell("the \"scores\""), "\"the \"\"scores\"\"\"");
        assert_eq!(cell("one\ntwo"), "\"one\ntwo\"");
        assert_eq!(cell(" 17"), "\" 17\"");
        assert_eq!(cell(""), "");
    }

    #[test]
    fn no_cell_is_a_formula_and_a_negative_number_stays_one() {
        assert_eq!(cell("=1+1"), "'=1+1");
        assert_eq!(cell("@SUM(A1,A2)"), "\"'@SUM(A1,A2)\"");
        assert_eq!(cell("-2+3"), "'-2+3");
        assert_eq!(cell("-2.5"), "-2.5");
    }

    #[test]
    fn a_question_is_a_line() {
        let key = KeyDocument {
            name: "block".to_owned(),
            typed: "1,0".to_owned(),
            verdict: Some("wrong"),
            solved: false,
            tries: 3,
            hints_seen: 1,
            given_up: false,
        };
        let exercise = ExerciseDocument {
            exercise: "ex1".to_owned(),
            sheet: None,
            variant: 2,
            keys: vec![key],
        };
        assert_eq!(
            table(&[exercise]),
            "exercise,key,typed,verdict,tries,hints,variant\nex1,block,\"1,0\",wrong,3,1,2\n"
        );
    }
}
