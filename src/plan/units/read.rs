//! Reading what somebody typed: numbers, units, products, powers, fractions.

mod function;

use super::arith::{ArithmeticError, Quantity};
use super::dimension::Dimension;
use super::number::{self, Number};
use super::spelling::{self, Manner};
use super::typed::{ReadError, Typed};
use super::unit::Unit;
use super::words;

/// Longer answers than this are not numbers.
const LONGEST: usize = 400;
/// Parentheses, signs and exponents deeper than this are not numbers either.
const DEEPEST: usize = 32;

/// Reads a typed number. `asked` is the dimension of the question, if there is
/// one; it settles what `FLOPS` means and which example an error shows. Whether
/// the result answers the question is [`read_as`](super::read_as)'s concern.
///
/// ```
/// use plan::units;
/// let typed = units::read("2*4*512*2048^2", None)?;
/// assert_eq!(typed.quantity.exact(), Some(17_179_869_184));
/// # Ok::<(), units::ReadError>(())
/// ```
///
/// # Errors
/// [`ReadError`] with the column for anything else; never panics, never runs
/// away: results beyond 10³⁰, division by zero and deep nesting are errors.
pub fn read(text: &str, asked: Option<Dimension>) -> Result<Typed, ReadError> {
    read_like(text, asked, asked.unwrap_or(Dimension::Bytes).example())
}

/// The same, where an answer looks like this.
pub(super) fn read_like(
    text: &str,
    asked: Option<Dimension>,
    example: &str,
) -> Result<Typed, ReadError> {
    let chars: Vec<char> = unsigned(text).chars().collect();
    let mut reader = Reader {
        chars: &chars,
        at: 0,
        depth: 0,
        asked,
        example,
        units: 0,
        last_unit: None,
        trailing: None,
        digits: None,
        parts: 0,
        single: None,
    };
    if chars.len() > LONGEST {
        return Err(reader.error(
            LONGEST,
            format!("an answer has at most {LONGEST} characters"),
        ));
    }
    reader.skip();
    // “= 17”, “~ 12.6 MB”: how one writes, not what one says.
    while reader.peek().is_some_and(|c| matches!(c, '=' | '~' | '≈')) {
        reader.at += 1;
        reader.skip();
    }
    if reader.peek().is_none() {
        let what = match text.trim() {
            "" => "nothing is typed".to_owned(),
            signs => format!("no number stands behind “{signs}”"),
        };
        return Err(reader.error(reader.at, what));
    }
    let factor = reader.leading_sign();
    let value = reader.sum()?;
    reader.skip();
    if let Some(column) = factor.filter(|_| reader.units == 0) {
        reader.last_unit = Some((Unit::FACTOR, column));
        reader.trailing = Some(Unit::FACTOR);
    }
    if let Some(c) = reader.peek() {
        let what = match c {
            ')' => "this parenthesis was never opened".to_owned(),
            c if c.is_control() => "a control character stands here".to_owned(),
            _ => format!("“{}” does not belong here", reader.word()),
        };
        return Err(reader.error(reader.at, what));
    }
    reader.finish(value)
}

/// A number without the sign behind it that says where it comes from, as pages print it:
/// `71 #`, `12.6 MB =`, `4.1 ms @`.
pub fn unsigned(text: &str) -> &str {
    let number = text.trim_end().strip_suffix(['=', '#', '@']);
    let number = number.filter(|number| number.contains(|c: char| c.is_ascii_digit()));
    number.map_or(text, str::trim_end)
}

struct Reader<'a> {
    chars: &'a [char],
    at: usize,
    depth: usize,
    asked: Option<Dimension>,
    example: &'a str,
    units: usize,
    last_unit: Option<(Unit, usize)>,
    /// The one unit at the end of the text: it belongs to the whole.
    trailing: Option<Unit>,
    digits: Option<u32>,
    parts: usize,
    single: Option<Number>,
}

impl Reader<'_> {
    /// The sign before a factor, `x8` or `×8`: its column.
    fn leading_sign(&mut self) -> Option<usize> {
        let next = self.chars.get(self.at + 1..)?;
        let digit = next.iter().find(|c| !c.is_whitespace())?.is_ascii_digit();
        let signed = matches!(self.peek(), Some('x' | 'X' | '×')) && digit;
        signed.then(|| {
            self.at += 1;
            self.at
        })
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn skip(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// The word at this place, or the one character.
    fn word(&self) -> String {
        let rest = self.chars.get(self.at..).unwrap_or_default();
        let letters = rest
            .iter()
            .take_while(|c| c.is_alphanumeric())
            .take(24)
            .count();
        rest.iter().take(letters.max(1)).collect()
    }

    fn error(&self, at: usize, what: String) -> ReadError {
        let example = self.example;
        let mut message = what;
        if !message.ends_with('.') {
            message.push('.');
        }
        message.push_str(&format!(" An answer looks like {example}."));
        ReadError {
            column: at + 1,
            message: capitalised(&message),
        }
    }

    fn arithmetic(&self, at: usize, e: ArithmeticError) -> ReadError {
        self.error(at, e.to_string())
    }

    fn deeper(&mut self, at: usize) -> Result<(), ReadError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error(at, "this is nested too deeply".to_owned()));
        }
        Ok(())
    }

    fn sum(&mut self) -> Result<Quantity, ReadError> {
        let mut left = self.product()?;
        loop {
            self.skip();
            let at = self.at;
            let plus = match self.peek() {
                Some('+') => true,
                Some('-' | '−' | '–') => false,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.product()?;
            left = if plus {
                left.plus(right)
            } else {
                left.minus(right)
            }
            .map_err(|e| self.arithmetic(at, e))?;
        }
    }

    fn product(&mut self) -> Result<Quantity, ReadError> {
        let mut left = self.signed(true)?;
        loop {
            self.skip();
            let at = self.at;
            let times = match self.peek() {
                // `**` is how Python writes a power; powers are read tighter.
                Some('*' | '·' | '⋅' | '∙' | '×' | 'x' | 'X') => true,
                Some('/' | '÷' | '⁄' | '∕') => false,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.signed(true)?;
            left = if times {
                left.times(right)
            } else {
                left.over(right)
            }
            .map_err(|e| self.arithmetic(at, e))?;
        }
    }

    fn signed(&mut self, units: bool) -> Result<Quantity, ReadError> {
        self.skip();
        let mut negative = false;
        let mut signs = 0;
        while let Some(c) = self.peek() {
            match c {
                '-' | '−' | '–' => negative = !negative,
                '+' => {}
                _ => break,
            }
            signs += 1;
            if signs > 2 {
                return Err(self.error(self.at, "one sign is enough".to_owned()));
            }
            self.at += 1;
            self.skip();
        }
        let q = self.power(units)?;
        Ok(if negative { q.negated() } else { q })
    }

    fn power(&mut self, units: bool) -> Result<Quantity, ReadError> {
        let base_at = self.at;
        let (mut q, number) = self.atom()?;
        let bare = self.at;
        self.skip();
        let at = self.at;
        let starred = self.peek() == Some('*') && self.chars.get(self.at + 1) == Some(&'*');
        let exponent = if self.peek() == Some('^') || starred {
            self.at += if starred { 2 } else { 1 };
            self.deeper(at)?;
            let e = self.signed(false)?;
            self.depth -= 1;
            Some(e)
        } else {
            self.superscript()
        };
        if let Some(e) = exponent {
            q = q.power(e).map_err(|e| self.arithmetic(at, e))?;
            self.parts += 1;
        } else {
            self.at = bare;
        }
        if let (None, Some(n)) = (exponent, number) {
            self.single = Some(n);
        }
        if units {
            self.with_unit(q, number.filter(|_| exponent.is_none()), base_at)
        } else {
            Ok(q)
        }
    }

    fn atom(&mut self) -> Result<(Quantity, Option<Number>), ReadError> {
        self.skip();
        let at = self.at;
        self.parts += 1;
        if self.peek() == Some('(') {
            self.at += 1;
            self.deeper(at)?;
            let q = self.sum()?;
            self.skip();
            if self.peek() != Some(')') {
                return Err(self.error(at, "this parenthesis is not closed".to_owned()));
            }
            self.at += 1;
            self.depth -= 1;
            self.parts += 1;
            return Ok((q, None));
        }
        if let Some(q) = self.function(at)? {
            self.parts += 1;
            return Ok((q, None));
        }
        if let Some((q, next)) = words::lex(self.chars, at) {
            self.at = next;
            // A whole number has its digits in words as well; a fraction is exact.
            if let Some(n) = q.exact() {
                let digits = n.unsigned_abs().checked_ilog10().unwrap_or(0) + 1;
                self.digits = Some(self.digits.map_or(digits, |d| d.min(digits)));
            }
            self.parts += 1;
            return Ok((q, None));
        }
        match number::lex(self.chars, at, false) {
            Ok(Some((n, next))) => {
                self.at = next;
                if !n.whole {
                    self.digits = Some(self.digits.map_or(n.digits, |d| d.min(n.digits)));
                }
                Ok((n.plain(), Some(n)))
            }
            Ok(None) => {
                let what = match self.peek() {
                    None => "a number is missing at the end".to_owned(),
                    Some(c) if c.is_control() => "a control character stands here".to_owned(),
                    Some(_) => format!("a number is expected where “{}” stands", self.word()),
                };
                Err(self.error(at, what))
            }
            Err(e) => Err(self.error(e.at, e.message)),
        }
    }

    /// `2048²`, `10⁻³`.
    fn superscript(&mut self) -> Option<Quantity> {
        let mut i = self.at;
        let negative = self.chars.get(i) == Some(&'⁻');
        i += usize::from(negative);
        let mut value = 0_i128;
        let start = i;
        while let Some(d) = self
            .chars
            .get(i)
            .and_then(|c| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|s| s == *c))
        {
            value = (value * 10 + d as i128).min(1_000_000);
            i += 1;
        }
        (i > start).then(|| {
            self.at = i;
            Quantity::whole(if negative { -value } else { value }, Dimension::Count)
        })
    }

    fn with_unit(
        &mut self,
        q: Quantity,
        number: Option<Number>,
        at: usize,
    ) -> Result<Quantity, ReadError> {
        self.skip();
        let here = self.at;
        if self.peek() == Some('x') && number.is_some_and(|n| n.value == 0.0) && here == at + 1 {
            return Err(self.error(at, "hexadecimal is not read here".to_owned()));
        }
        // `2 x 3`: a sign of multiplication when a factor follows.
        if matches!(self.peek(), Some('x' | 'X' | '×')) {
            let next = self.chars[here + 1..].iter().find(|c| !c.is_whitespace());
            if next.is_some_and(|c| c.is_ascii_digit() || matches!(c, '(' | '.' | '-' | '−')) {
                return Ok(q);
            }
        }
        let found = spelling::lex(self.chars, here, Manner::Typed, self.asked)
            .map_err(|e| self.error(e.at, e.message))?;
        let Some((unit, next)) = found else {
            return Ok(q);
        };
        self.at = next;
        self.units += 1;
        self.last_unit = Some((unit, here + 1));
        let rest = self.chars.get(next..).unwrap_or_default();
        let last = rest.iter().all(|c| c.is_whitespace());
        if last && self.depth == 0 && self.units == 1 {
            self.trailing = Some(unit);
            return Ok(q);
        }
        if !q.dimension().is_plain() {
            return Err(self.error(here, "a unit stands here twice".to_owned()));
        }
        match number {
            Some(n) => Ok(n.in_unit(unit)),
            None => q.scaled(unit).map_err(|e| self.arithmetic(at, e)),
        }
    }

    fn finish(self, value: Quantity) -> Result<Typed, ReadError> {
        let single = self.single.filter(|_| self.parts == 1);
        let quantity = match (self.trailing, single) {
            (None, _) => value,
            (Some(unit), _) if !value.dimension().is_plain() => {
                let (_, column) = self.last_unit.unwrap_or((unit, 1));
                return Err(self.error(column - 1, "a unit stands here twice".to_owned()));
            }
            (Some(unit), Some(n)) => {
                let q = n.in_unit(unit);
                if value.value() < 0.0 { q.negated() } else { q }
            }
            (Some(unit), None) => value.scaled(unit).map_err(|e| self.arithmetic(0, e))?,
        };
        if !quantity.value().is_finite() || quantity.value().abs() > 1e30 {
            return Err(self.arithmetic(0, ArithmeticError::TooLarge));
        }
        let size = self.last_unit.map_or(1.0, |(u, _)| u.size());
        let (digits, half_place) = match (single, self.digits) {
            (Some(n), _) => (Some(n.digits), 0.5 * 10_f64.powi(n.last_place) * size),
            (None, Some(d)) => {
                let magnitude = quantity.value().abs().log10().floor();
                let place = 10_f64.powf(magnitude - f64::from(d) + 1.0);
                (Some(d), if place.is_finite() { 0.5 * place } else { 0.0 })
            }
            (None, None) => (None, 0.0),
        };
        Ok(Typed {
            quantity,
            unit: self.last_unit,
            digits,
            zeros: single.map_or(0, |n| n.zeros),
            half_place,
            computed: single.is_none(),
        })
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests;
