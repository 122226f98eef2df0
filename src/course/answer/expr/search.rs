//! Searches over an expression: where two curves cross, which of several is
//! the largest.

use super::Value;
use super::ast::{Arg, Function, Node};
use super::error::ExprError;
use super::eval::{Evaluator, arithmetic};
use crate::answer::setup::{Setting, Setup};
use plan::units::Quantity;

type Result<T> = std::result::Result<T, ExprError>;

/// Settings along which curves are followed.
const AXES: [&str; 5] = ["batch", "seq", "tokens", "context", "layers"];
/// Where the search ends.
const FARTHEST: u64 = 1 << 20;

impl Evaluator<'_> {
    /// The least n ≥ 1 of a setting at which `left` exceeds `right`. Their
    /// difference must grow with n: it is looked for by doubling and bisection.
    pub(super) fn crossing(
        &self,
        name: &str,
        left: &Node,
        right: &Node,
        setup: &Setup,
        column: usize,
    ) -> Result<Value> {
        let refuse = |message: String| ExprError { column, message };
        if !AXES.contains(&name) {
            let known = AXES.join(", ");
            return Err(refuse(format!("curves cross along {known}, not “{name}”")));
        }
        let above = |n: u64| -> Result<bool> {
            let (left, right) = self.sides((left, right), &along(name, n, setup, column)?)?;
            let apart = left.minus(right).map_err(|e| arithmetic(e, column))?;
            Ok(apart.value() > 0.0)
        };
        let mut high = 1;
        while !above(high)? {
            if high >= FARTHEST {
                return Err(refuse(format!(
                    "these do not cross up to {name} = {FARTHEST}"
                )));
            }
            high *= 2;
        }
        // above(high), and not above(high / 2).
        let mut low = high / 2;
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if above(middle)? {
                high = middle;
            } else {
                low = middle;
            }
        }
        Ok(Value::Quantity(Quantity::count(high)))
    }

    /// What two curves are at a place.
    pub(super) fn sides(
        &self,
        (left, right): (&Node, &Node),
        setup: &Setup,
    ) -> Result<(Quantity, Quantity)> {
        Ok((self.number(left, setup)?, self.number(right, setup)?))
    }

    /// Names by their numbers, the largest first; of equals the first named.
    pub(super) fn ranked(
        &self,
        function: Function,
        named: &[Arg],
        setup: &Setup,
        column: usize,
    ) -> Result<Value> {
        let mut ranked: Vec<(&str, Quantity)> = Vec::with_capacity(named.len());
        for arg in named {
            if let Arg::Named(name, node) = arg {
                let value = self.number(node, setup)?;
                if let Some((_, first)) = ranked.first() {
                    // A difference exists only within one dimension.
                    first.minus(value).map_err(|e| arithmetic(e, column))?;
                }
                ranked.push((name, value));
            }
        }
        ranked.sort_by(|a, b| b.1.value().total_cmp(&a.1.value()));
        let mut names = ranked.iter().map(|(name, _)| (*name).to_owned());
        Ok(match function {
            Function::Ranked => Value::List(names.collect()),
            Function::Largest => Value::Text(names.next().unwrap_or_default()),
            _ => Value::Text(names.next_back().unwrap_or_default()),
        })
    }
}

/// A setup with a setting at n.
pub(super) fn along(name: &str, n: u64, setup: &Setup, column: usize) -> Result<Setup> {
    let setting = Setting::parse(name, &n.to_string());
    let setting = setting.map_err(|e| ExprError {
        column,
        message: e.message,
    })?;
    Ok(setup.with(&[setting]))
}
