//! Inline numbers: `` `= EXPR | UNIT` `` in prose, hints, steps and solutions.

use super::fault::Place;
use super::fields::Phrase;
use crate::answer::{Env, Expr, ExprError, Value};
use ::text::{self, parse_from};
use plan::units::{Spec, format_in};
use std::ops::Range;

/// An expression that a text shows as a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inline {
    /// The expression, with its place in the file.
    pub expr: Phrase,
    /// The unit asked for, and decimals: `MB 3`. Without one a person's choice is made.
    pub unit: Option<String>,
    /// Byte range in the scanned text, backticks included.
    pub range: Range<usize>,
}

/// Finds the inline numbers of a text that begins at `start` of its file.
///
/// ```
/// use course::{Place, numbers};
/// let text = "V1 moves `= block(v1).bytes | MB 3` per block.";
/// let found = numbers(text, Place { line: 7, column: 1 });
/// assert_eq!(found[0].expr.text, "block(v1).bytes");
/// assert_eq!(found[0].unit.as_deref(), Some("MB 3"));
/// assert_eq!((found[0].expr.at.line, found[0].expr.at.column), (7, 13));
/// ```
pub fn numbers(text: &str, start: Place) -> Vec<Inline> {
    if !text.contains("= ") || !text.contains('`') {
        return Vec::new();
    }
    let document = parse_from(text, start, &[]);
    document.values().into_iter().map(Inline::of).collect()
}

impl Inline {
    /// A value of a parsed text.
    pub fn of(value: &text::Value) -> Self {
        let (expr, unit) = parted(&value.expression);
        Self {
            expr: Phrase {
                text: expr.replace('\n', " ").replace("\\|", "|"),
                at: value.place,
            },
            unit,
            range: value.span.clone(),
        }
    }

    /// The number as it is shown: evaluated, in its unit.
    ///
    /// # Errors
    /// Where in the text it fails, and why.
    pub fn show(&self, env: &Env<'_>) -> Result<String, (Place, String)> {
        let failed = |error: ExprError| {
            let column = self.expr.at.column + error.column.saturating_sub(1);
            (
                Place {
                    column,
                    ..self.expr.at
                },
                error.message,
            )
        };
        let expr = Expr::parse(&self.expr.text).map_err(failed)?;
        let value = expr.evaluate(env).map_err(failed)?;
        print(&value, self.unit.as_deref()).map_err(|say| (self.expr.at, say))
    }
}

/// A value in a unit such as `MB 3`, or in the one a person would pick.
///
/// # Errors
/// A sentence: the unit cannot be read, or measures something else.
pub fn print(value: &Value, unit: Option<&str>) -> Result<String, String> {
    let Some(unit) = unit else {
        return Ok(value.to_string());
    };
    let spec = Spec::parse(unit).map_err(|error| error.message)?;
    match value {
        Value::Quantity(quantity) => {
            format_in(quantity, spec.unit, spec.decimals).map_err(|error| error.message)
        }
        Value::Text(_) | Value::List(_) => Err(format!("a name has no unit; leave out | {unit}")),
    }
}

/// `= EXPR | UNIT 3` into its parts; None where it is no inline number.
pub(crate) fn split(inner: &str) -> Option<(String, Option<String>)> {
    let body = inner.trim().strip_prefix('=')?;
    // `==` and `=>` are code.
    if body.starts_with(['=', '>']) || body.trim().is_empty() {
        return None;
    }
    Some(parted(body))
}

/// `EXPR | UNIT 3` at its last bar outside quotes.
fn parted(body: &str) -> (String, Option<String>) {
    let mut quoted = false;
    let mut bar = None;
    for (at, c) in body.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            '|' if !quoted => bar = Some(at),
            _ => {}
        }
    }
    let Some(bar) = bar else {
        return (body.trim().to_owned(), None);
    };
    let (expr, unit) = body.split_at(bar);
    let expr = expr.trim_end_matches('\\').trim().to_owned();
    let unit: Vec<&str> = unit.trim_start_matches('|').split_whitespace().collect();
    (expr, (!unit.is_empty()).then(|| unit.join(" ")))
}

/// Puts a value in place of every inline number of `text`.
pub fn fill(text: &str, mut value: impl FnMut(&Inline) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for inline in numbers(text, Place { line: 1, column: 1 }) {
        out.push_str(text.get(from..inline.range.start).unwrap_or_default());
        out.push_str(&value(&inline));
        from = inline.range.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_follows_the_last_bar_outside_quotes() {
        let cases = [
            ("= block(v1).bytes | MB", ("block(v1).bytes", Some("MB"))),
            ("= block(v1).launches", ("block(v1).launches", None)),
            ("= save(v1, v4) | % 2", ("save(v1, v4)", Some("% 2"))),
            (
                "= block('norm1|q k v').bytes",
                ("block('norm1|q k v').bytes", None),
            ),
            (
                "= block('norm1|q').bytes |  MB  3",
                ("block('norm1|q').bytes", Some("MB 3")),
            ),
            ("= kv \\| MiB", ("kv", Some("MiB"))),
        ];
        for (written, (expr, unit)) in cases {
            let read = split(written).expect(written);
            assert_eq!(read, (expr.into(), unit.map(Into::into)), "{written}");
        }
        for code in ["x = 3", "== y", "=> z", "=", ""] {
            assert_eq!(split(code), None, "{code}");
        }
    }

    #[test]
    fn values_replace_their_spans_only() {
        let filled = fill("a `= 1+1` b `code` c `= 2*2 | B`.", |inline| {
            format!("<{}>", inline.expr.text)
        });
        assert_eq!(filled, "a <1+1> b `code` c <2*2>.");
    }

    #[test]
    fn formulas_hold_numbers_too() {
        let found = numbers(
            "so $x = `= kv | MB`$ and\n$$y = `= 1+1`$$",
            Place { line: 1, column: 1 },
        );
        let exprs: Vec<(&str, Place)> = found
            .iter()
            .map(|n| (n.expr.text.as_str(), n.expr.at))
            .collect();
        // "so $x = `= " are 11 characters, "$$y = `= " are 9.
        assert_eq!(
            exprs,
            [
                (
                    "kv",
                    Place {
                        line: 1,
                        column: 12
                    }
                ),
                (
                    "1+1",
                    Place {
                        line: 2,
                        column: 10
                    }
                )
            ]
        );
    }

    #[test]
    fn places_hold_over_lines() {
        let found = numbers(
            "one\ntwo `= kv` x",
            Place {
                line: 10,
                column: 3,
            },
        );
        assert_eq!(
            found[0].expr.at,
            Place {
                line: 11,
                column: 8
            }
        );
    }
}
