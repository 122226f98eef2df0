//! What is said to the learner. Never the expected value, and never a ratio to
//! it, before the key is solved.

use super::{Judgement, Prediction, Side, Verdict};
use crate::answer::key::Tolerance;

/// Characters of an answer that are repeated at most.
const LONGEST: usize = 160;
/// Said of a table with an empty cell, in which something is not right.
pub const UNCOUNTED: &str = " No miss is counted while cells are empty.";

/// `1 of 36 cells is`, `3 of 36 cells are`.
pub fn cells_are(some: usize, all: usize) -> String {
    format!(
        "{some} of {all} cells {}",
        if some == 1 { "is" } else { "are" }
    )
}

/// Cells of a table of which it is said what is wrong.
const MOST_CELLS: usize = 4;

impl Judgement {
    /// One to three sentences, without the verdict's word: it stands before them.
    pub fn sentence(&self) -> String {
        let typed = self.shown();
        if !self.cells.is_empty() {
            return self.table();
        }
        match &self.verdict {
            Verdict::Open => "Not answered.".to_owned(),
            Verdict::Kept => match &self.prediction {
                Some(prediction) => self.predicted(&typed, prediction),
                None => "Kept as you wrote it; nothing is graded here.".to_owned(),
            },
            Verdict::Right { accepted } => self.right(&typed, accepted.as_deref()),
            Verdict::Slip(fits) => {
                let said: Vec<&str> = fits.iter().map(|f| f.say.as_str()).collect();
                match said.as_slice() {
                    [one] if one.starts_with(|c: char| c.is_ascii_digit()) => (*one).to_owned(),
                    [one] => format!("{typed}. {one}"),
                    several => format!(
                        "{typed} fits {} slips. {}",
                        several.len(),
                        several.join(" Or: ")
                    ),
                }
            }
            Verdict::Close(side) => {
                let how = match side {
                    Side::High => "a little high",
                    Side::Low => "a little low",
                };
                match (&self.tolerance, &self.close) {
                    (Some(tolerance), Some(close)) if self.measured => format!(
                        "{typed} is {how}: outside {tolerance}, inside {close}. It is compared with what your runs gave: another run, or fewer digits, gives this. Not counted as a try."
                    ),
                    (Some(tolerance), Some(close)) => format!(
                        "{typed} is {how}: outside {tolerance}, inside {close}. A step was rounded too early, or a small term is left out or counted in. Not counted as a try."
                    ),
                    (Some(tolerance), None) => format!(
                        "{typed} is right as far as it goes; {tolerance} asks for more digits. Not counted as a try."
                    ),
                    _ => format!(
                        "{typed} is near, but an exact count is wanted: whole, or with at least four right digits, and every digit that is written must be right, the last one rounded. Not counted as a try."
                    ),
                }
            }
            Verdict::Wrong(Some(Side::High)) => {
                format!("{typed} is too high, and no known slip gives it.")
            }
            Verdict::Wrong(Some(Side::Low)) => {
                format!("{typed} is too low, and no known slip gives it.")
            }
            Verdict::Wrong(None) if self.several => {
                format!(
                    "{typed}: at least one mark is missing or too many, and no known slip explains it."
                )
            }
            Verdict::Wrong(None) => format!("{typed} is not right, and no known slip explains it."),
            Verdict::Unmet(say) => format!("{typed}. {say}"),
            Verdict::Unread { column, message } => {
                let inside = *column <= self.typed.chars().count();
                let place = if inside {
                    format!(" Column {column}.")
                } else {
                    String::new()
                };
                format!("{message} Nothing was graded.{place}")
            }
        }
    }

    /// The same, and how the answer was read where that is not plain: an expression's
    /// value, a bare number's unit.
    pub fn read_as(&self) -> String {
        // Commas in a number, and between marks, say nothing more.
        let bare = |text: &str| text.replace([',', ' '], "");
        match (&self.read, &self.verdict) {
            (Some(read), Verdict::Slip(_) | Verdict::Wrong(_) | Verdict::Close(_))
                if bare(read) != bare(&self.typed) =>
            {
                format!("{} Read as {read}.", self.sentence())
            }
            _ => self.sentence(),
        }
    }

    fn right(&self, typed: &str, accepted: Option<&str>) -> String {
        let exact = self.exact.as_deref().unwrap_or(typed);
        let is = if self.rounded { "Rounded" } else { "Exact" };
        match (accepted, &self.tolerance) {
            (Some(say), _) => format!("{say} The course counts {exact}."),
            _ if exact == typed => format!("{typed}."),
            // A long order is shown once, whole.
            _ if typed
                .strip_suffix('…')
                .is_some_and(|head| exact.starts_with(head)) =>
            {
                format!("{exact}.")
            }
            (None, Some(tolerance)) => format!("{typed}. {is}: {exact} (tolerance {tolerance})."),
            (None, None) => format!("{typed}. {is}: {exact}."),
        }
    }

    /// A prediction is not judged: both numbers are said, and how far apart.
    fn predicted(&self, typed: &str, prediction: &Prediction) -> String {
        let Some(seen) = &prediction.seen else {
            return format!(
                "{typed} is kept as your prediction and stays as it is. Run it to see what comes out."
            );
        };
        let apart = match (prediction.within, prediction.factor) {
            (Some(Tolerance::Exact), _) => " That is it.".to_owned(),
            (Some(tolerance), _) => format!(" The two agree ({tolerance})."),
            (None, Some(factor)) if factor < 10.0 => format!(" A factor of {factor:.2} apart."),
            (None, Some(factor)) => format!(" A factor of {factor:.0} apart."),
            (None, None) => String::new(),
        };
        let why = prediction.explained.iter().map(|say| format!(" {say}"));
        format!(
            "You predicted {typed}, and it came out as {seen}.{apart}{}",
            why.collect::<String>()
        )
    }

    /// How many cells are right, and what is said to the others.
    fn table(&self) -> String {
        let right = self.cells.iter().filter(|c| c.judgement.verdict.is_right());
        let open = self
            .cells
            .iter()
            .filter(|c| c.judgement.verdict == Verdict::Open);
        let (right, open, all) = (right.count(), open.count(), self.cells.len());
        let mut text = match (right == all, open) {
            (true, _) => format!("All {all} cells are right."),
            (false, 0) => format!("{} right.", cells_are(right, all)),
            (false, open) => format!("{} right, {open} open.", cells_are(right, all)),
        };
        if self.verdict == Verdict::Open
            && self
                .cells
                .iter()
                .any(|c| c.judgement.verdict.is_try() && !c.judgement.verdict.is_right())
        {
            text.push_str(UNCOUNTED);
        }
        let said: Vec<String> = self
            .cells
            .iter()
            .filter(|c| !c.judgement.verdict.is_right() && c.judgement.verdict != Verdict::Open)
            .map(|c| {
                let (row, column) = (&c.row, &c.column);
                let word = c.judgement.verdict.word();
                format!(" {row}, {column} ({word}): {}", c.judgement.sentence())
            })
            .collect();
        text.extend(said.iter().take(MOST_CELLS).map(String::as_str));
        if said.len() > MOST_CELLS {
            text.push_str(&format!(" And {} more.", said.len() - MOST_CELLS));
        }
        text
    }

    /// What was typed, short and without control characters.
    fn shown(&self) -> String {
        let mut short: String = self
            .typed
            .chars()
            .filter(|c| !c.is_control())
            .take(LONGEST)
            .collect();
        if self.typed.chars().count() > LONGEST {
            short.push('…');
        }
        // A stop follows in every sentence.
        short.trim_end_matches('.').to_owned()
    }
}
