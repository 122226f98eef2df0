//! What is said to the learner. Never the expected value, and never a ratio to
//! it, before the key is solved.

use super::{Judgement, Side, Verdict};

impl Judgement {
    /// One to three sentences, without the verdict's word: it stands before them.
    pub fn sentence(&self) -> String {
        let typed = self.shown();
        match &self.verdict {
            Verdict::Open => "Not answered.".to_owned(),
            Verdict::Kept => "Kept as you wrote it; nothing is graded here.".to_owned(),
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
                    (Some(tolerance), Some(close)) => format!(
                        "{typed} is {how}: outside {tolerance}, inside {close}. The method looks right. Carry one more digit in each step. Not counted as a try."
                    ),
                    _ => format!(
                        "{typed} is near, but an exact count needs at least four right digits. Carry more digits. Not counted as a try."
                    ),
                }
            }
            Verdict::Wrong(Some(Side::High)) => {
                format!("{typed} is too high, and no known slip gives it.")
            }
            Verdict::Wrong(Some(Side::Low)) => {
                format!("{typed} is too low, and no known slip gives it.")
            }
            Verdict::Wrong(None) => format!("{typed} is not it, and no known slip explains it."),
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

    fn right(&self, typed: &str, accepted: Option<&str>) -> String {
        let exact = self.exact.as_deref().unwrap_or(typed);
        match (accepted, &self.tolerance) {
            (Some(say), _) => format!("{say} The course counts {exact}."),
            _ if exact == typed => format!("{typed}."),
            (None, Some(tolerance)) => format!("{typed}. Exact: {exact} (tolerance {tolerance})."),
            (None, None) => format!("{typed}. Exact: {exact}."),
        }
    }

    /// What was typed, short and without control characters.
    fn shown(&self) -> String {
        let mut short: String = self
            .typed
            .chars()
            .filter(|c| !c.is_control())
            .take(48)
            .collect();
        if self.typed.chars().count() > 48 {
            short.push('…');
        }
        short
    }
}
