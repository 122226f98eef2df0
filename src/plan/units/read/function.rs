//! Functions and constants in what somebody typed.

use super::{Quantity, ReadError, Reader};
use crate::units::Dimension;

/// A function of one plain number.
type Function = fn(f64) -> f64;
/// Functions of one plain number, as calculators and languages spell them.
const FUNCTIONS: [(&str, Function); 9] = [
    ("sqrt", f64::sqrt),
    ("ln", f64::ln),
    ("log2", f64::log2),
    ("log10", f64::log10),
    ("exp", f64::exp),
    ("ceil", f64::ceil),
    ("floor", f64::floor),
    ("round", f64::round),
    ("abs", f64::abs),
];

impl Reader<'_> {
    /// `sqrt(2)`, `√2`, `ln(32000)`; `e` and `π`.
    pub(super) fn function(&mut self, at: usize) -> Result<Option<Quantity>, ReadError> {
        let ratio = |value: f64| Quantity::new(value, Dimension::Ratio);
        if self.peek() == Some('√') {
            self.at += 1;
            self.deeper(at)?;
            let (q, _) = self.atom()?;
            self.depth -= 1;
            return match q.root() {
                Ok(root) => Ok(Some(root)),
                Err(e) => Err(self.arithmetic(at, e)),
            };
        }
        let letters = self.chars.get(at..).unwrap_or_default().iter();
        let word: String = letters.take_while(|c| c.is_alphanumeric()).collect();
        let after = at + word.chars().count();
        match word.to_lowercase().as_str() {
            "e" | "π" | "pi" => {
                self.at = after;
                let constant = match word.to_lowercase().as_str() {
                    "e" => std::f64::consts::E,
                    _ => std::f64::consts::PI,
                };
                return Ok(Some(ratio(constant)));
            }
            "log" => {
                return Err(self.error(at, "log may be either: write ln, log2 or log10".to_owned()));
            }
            _ => {}
        }
        let known = FUNCTIONS
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(&word));
        let Some((name, apply)) = known else {
            return Ok(None);
        };
        self.at = after;
        self.skip();
        if self.peek() != Some('(') {
            return Err(self.error(after, format!("{name} takes its number in parentheses")));
        }
        let (q, _) = self.atom()?;
        if *name == "sqrt" {
            return match q.root() {
                Ok(root) => Ok(Some(root)),
                Err(e) => Err(self.arithmetic(at, e)),
            };
        }
        if !q.dimension().is_plain() {
            return Err(self.error(at, format!("{name} takes a plain number")));
        }
        let value = apply(q.value());
        if !value.is_finite() {
            return Err(self.error(at, format!("{name} has no value there")));
        }
        let whole = matches!(*name, "ceil" | "floor" | "round" | "abs") && value.fract() == 0.0;
        Ok(Some(match whole && value.abs() < 1e15 {
            true => Quantity::whole(value as i128, Dimension::Count),
            false => ratio(value),
        }))
    }
}
