//! Results as CSV: a head, then a line per question.

use super::ExerciseDocument;
use course::csv::row;

const HEAD: [&str; 8] = [
    "exercise", "key", "typed", "verdict", "misses", "hints", "variant", "device",
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
                &key.misses.to_string(),
                &key.hints_seen.to_string(),
                &exercise.variant.to_string(),
                exercise.device.unwrap_or_default(),
            ]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::KeyDocument;
    use super::*;

    #[test]
    fn a_question_is_a_line() {
        let key = KeyDocument {
            name: "block".to_owned(),
            typed: "1,0".to_owned(),
            verdict: Some("wrong"),
            solved: false,
            misses: 3,
            hints_seen: 1,
            given_up: false,
        };
        let exercise = ExerciseDocument {
            exercise: "ex1".to_owned(),
            sheet: None,
            device: Some("mi300a"),
            variant: 2,
            keys: vec![key],
        };
        assert_eq!(
            table(&[exercise]),
            "exercise,key,typed,verdict,misses,hints,variant,device\nex1,block,\"1,0\",wrong,3,1,2,mi300a\n"
        );
    }
}
