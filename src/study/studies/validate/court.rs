//! The documents' tolerance, judged: which right runs fail it, and which wrong programs
//! pass it.
//!
//! The documents have one, "--tolerance 1e-4" of a script that does not exist, without a
//! type, and without a word on what is compared. It is read both ways: as the largest
//! difference of a logit, and as the root mean square of the differences over that of the
//! logits.

use crate::findings::{ABSOLUTE, Cell, Column, Findings, SCIENTIFIC, Sheet};
use plan::run::{CheckReport, WrongReport};
use plan::units::figure;

/// The documents' tolerance.
const TOLERANCE: f64 = 1e-4;

/// What was heard of right runs and of wrong programs.
#[derive(Debug, Default)]
pub(super) struct Court {
    /// Name, largest difference, relative error of each run that this program's check passes.
    right: Vec<(String, f64, f64)>,
    wrong: Vec<WrongReport>,
}

impl Court {
    /// Takes a run.
    pub fn hear(&mut self, name: &str, check: &CheckReport) {
        if check.pass {
            self.right
                .push((name.to_owned(), check.max_abs_error, check.rel_error));
        }
        self.wrong.extend(check.wrong.iter().cloned());
    }

    /// The tables and the sentences.
    pub fn judge(&self, found: &mut Findings) {
        if self.wrong.is_empty() {
            return;
        }
        let mut programs = Sheet::new(
            "wrong programs, computed in fp64",
            [
                Column::given("what is wrong"),
                Column::measured("largest", ABSOLUTE, 0),
                Column::measured("logits", SCIENTIFIC, 0),
                Column::given("seen here at"),
            ],
        );
        for wrong in &self.wrong {
            programs.rows.push(vec![
                wrong.what.as_str().into(),
                wrong.max_abs_error.into(),
                wrong.rel_error.into(),
                wrong
                    .first_wrong
                    .clone()
                    .map_or("nowhere".into(), Cell::from),
            ]);
        }
        let mut sheet = Sheet::new(
            "tolerances, of the logits",
            [
                Column::given("tolerance"),
                Column::counted("right runs", "", 0),
                Column::counted("that fail", "", 0),
                Column::counted("wrong programs", "", 0),
                Column::counted("that pass", "", 0),
            ],
        );
        let counts = |right: usize, wrong: usize| -> [Cell; 4] {
            [
                (self.right.len() as u64).into(),
                (right as u64).into(),
                (self.wrong.len() as u64).into(),
                (wrong as u64).into(),
            ]
        };
        let of = |right: &dyn Fn(&(String, f64, f64)) -> f64,
                  wrong: &dyn Fn(&WrongReport) -> f64| {
            let fail = self.right.iter().filter(|r| right(r) > TOLERANCE);
            let pass = self.wrong.iter().filter(|w| wrong(w) <= TOLERANCE);
            (
                fail.map(|r| r.0.as_str()).collect::<Vec<_>>(),
                pass.map(|w| w.what.as_str()).collect::<Vec<_>>(),
            )
        };
        let largest = of(&|r| r.1, &|w| w.max_abs_error);
        let relative = of(&|r| r.2, &|w| w.rel_error);
        for (name, (fail, pass)) in [
            ("1e-4, the largest difference", &largest),
            ("1e-4, relative", &relative),
        ] {
            let mut row: Vec<Cell> = vec![name.into()];
            row.extend(counts(fail.len(), pass.len()));
            sheet.rows.push(row);
        }
        let unseen = self.wrong.iter().filter(|w| w.first_wrong.is_none());
        let mut row: Vec<Cell> = vec!["here, by type and tensor".into()];
        // What this program's check fails is not counted among the right.
        row.extend(counts(0, unseen.count()));
        sheet.rows.push(row);
        for (read, (fail, pass)) in [
            (
                "1e-4, the documents' only tolerance, has no type. As the largest difference of a logit it",
                &largest,
            ),
            ("Relative to the logits it", &relative),
        ] {
            found.sentences.push(format!(
                "{read} fails {} of {} @ and passes {} of {} @.",
                listed(fail),
                figure::counted(self.right.len() as u64, "right run", "right runs"),
                listed(pass),
                figure::counted(self.wrong.len() as u64, "wrong program", "wrong programs"),
            ));
        }
        found.sheets.push(sheet);
        found.sheets.push(programs);
    }
}

/// `2 (V1 bf16, V4 bf16)`, `none`; the first two of many.
fn listed(names: &[&str]) -> String {
    match names {
        [] => "none".to_owned(),
        [one] => format!("1 ({one})"),
        [a, b] => format!("2 ({a}, {b})"),
        [a, b, rest @ ..] => format!("{} ({a}, {b} and {} more)", rest.len() + 2, rest.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(max_abs: f64, rel: f64, wrong: Vec<WrongReport>) -> CheckReport {
        CheckReport {
            reference: "fp64".into(),
            max_abs_error: max_abs,
            rel_error: rel,
            tolerance: 1e-2,
            pass: true,
            first_wrong: None,
            tensors: vec![],
            wrong,
        }
    }

    #[test]
    fn a_tolerance_is_judged_by_the_right_that_fail_and_the_wrong_that_pass() {
        let wrong = |what: &str, rel: f64| WrongReport {
            what: what.into(),
            rel_error: rel,
            max_abs_error: 3.0 * rel,
            first_wrong: Some("block 0: n1".into()),
        };
        let mut court = Court::default();
        let wrong = vec![
            wrong("ε", 5e-6),
            wrong("zeros", 1.0),
            wrong("between", 5e-5),
        ];
        court.hear("V1 fp32", &check(3e-6, 1e-6, wrong));
        court.hear("V1 bf16", &check(3e-2, 1e-2, vec![]));
        let mut found = Findings::default();
        court.judge(&mut found);
        let rows = &found.sheets[0].rows;
        // 1.5e-4 is above 1e-4, 5e-5 is not.
        let counted = |row: &[Cell]| row[1..].to_vec();
        assert_eq!(counted(&rows[0]), [2u64, 1, 3, 1].map(Cell::from));
        assert_eq!(counted(&rows[1]), [2u64, 1, 3, 2].map(Cell::from));
        assert_eq!(counted(&rows[2]), [2u64, 0, 3, 0].map(Cell::from));
        assert!(
            found.sentences[0].contains("fails 1 (V1 bf16) of 2 right runs @ and passes 1 (ε)")
        );
        assert!(found.sentences[1].contains("passes 2 (ε, between) of 3 wrong programs"));
        // Without wrong programs nothing is judged.
        let mut nothing = Findings::default();
        Court::default().judge(&mut nothing);
        assert_eq!(nothing, Findings::default());
    }
}
