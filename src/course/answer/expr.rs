//! Expressions over the cost model: one grammar for numbers in prose, chart
//! series, answers, slips and claims.
//!
//! ```text
//! sum(q k v).flops                          FLOPs of three ops
//! 1 - block(v2).launches / block(v1).launches
//! save(group(v1, q k v), group(v1+qkv, q k v), kv_heads=8, batch=8)
//! floor(kernel(v1, res1, batch=8), h200)    seconds
//! 4 B * B*H*S*T                             bytes
//! ```
//!
//! An [`Expr`] is parsed once, with every name checked, and evaluated in an
//! [`Env`] as often as wanted. Values carry dimensions: bytes + FLOP is an error
//! with its column, bytes over seconds is a bandwidth.
//!
//! Decisions where the words leave a choice:
//! - a bare plan is a block in `save`, `mem`, `bound` and `slowest` and a
//!   forward in `floor`;
//! - `kernel(plan, op)` and `group(plan, ops)` are of a block in its steady
//!   state; `embed`, `final_norm` and `lm_head` are looked up in the forward;
//! - `.barriers` are waits of the whole grid inside kernels, `.tensors` what the
//!   ops make (RoPE makes two), `.ops` their names;
//! - `crossing(batch, x, y)` is the least batch at which x exceeds y;
//! - `macs` counts a multiply-accumulate of a product as one FLOP, `no_heads` multiplies qk and pv by H,
//!   `no_gqa` sets K = H, `no_head` drops the kernel `lm_head` of a forward;
//! - a unit belongs to the number before it (`4 B` is four bytes, `4*B` four
//!   batches); of the letters, `a` and `w` are the bytes of one element.

mod arguments;
mod ast;
mod check;
mod derive;
mod error;
mod eval;
mod functions;
mod ground;
mod lookup;
mod parse;
mod price;
mod profiled;
mod search;
mod vocabulary;

pub use derive::Step;
pub use error::ExprError;
pub use ground::Ground;
pub(crate) use vocabulary::{OLD, suggest};

use super::Env;
use plan::cost::Config;
use plan::units::{self, Dimension, Quantity, Spec, Unit, UnitError};
use std::fmt;

/// What an expression yields.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number with its dimension.
    Quantity(Quantity),
    /// A name: `memory`, `softmax`.
    Text(String),
    /// Names, in order where the order means something.
    List(Vec<String>),
}

impl Value {
    /// The number, where it is one.
    pub fn quantity(&self) -> Option<Quantity> {
        match self {
            Self::Quantity(q) => Some(*q),
            _ => None,
        }
    }
}

impl Value {
    /// As prose prints it: in the unit that its author names, else counts and
    /// FLOP in full with commas and everything else in the unit that a person
    /// would pick. `ascii` writes `us` for `µs`.
    ///
    /// # Errors
    /// Where the named unit measures something else, or a name has a unit.
    pub fn print(&self, spec: Option<Spec>, ascii: bool) -> Result<String, UnitError> {
        let text = match (self, spec) {
            (Self::Quantity(q), Some(spec)) => units::format_in(q, spec.unit, spec.decimals)?,
            (Self::Quantity(q), None)
                if q.dimension() == Dimension::Flop && q.exact().is_some() =>
            {
                units::format_in(q, Unit::base(Dimension::Flop), None)?
            }
            (_, None) => self.to_string(),
            (_, Some(spec)) => {
                return Err(UnitError {
                    at: 0,
                    message: format!("{self} is a name and has no unit {}", spec.unit),
                });
            }
        };
        Ok(if ascii { text.replace('µ', "u") } else { text })
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Quantity(q) => f.write_str(&units::format(q)),
            Self::Text(text) => f.write_str(text),
            Self::List(names) => f.write_str(&names.join(", ")),
        }
    }
}

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    source: String,
    root: ast::Node,
}

impl Expr {
    /// Parses and checks every name.
    ///
    /// # Errors
    /// [`ExprError`] with the column and, for a typo, the nearest known name.
    pub fn parse(text: &str) -> Result<Self, ExprError> {
        let root = parse::parse(text)?;
        Ok(Self {
            source: text.to_owned(),
            root,
        })
    }

    /// The text that it was parsed from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What its value rests on.
    pub fn ground(&self) -> Ground {
        ground::of(&self.root)
    }

    /// Its value in an environment.
    ///
    /// # Errors
    /// [`ExprError`]: dimensions that do not fit, a shape that cannot be, a GPU
    /// that the database lacks, a run that was not made.
    pub fn evaluate(&self, env: &Env<'_>) -> Result<Value, ExprError> {
        eval::Evaluator { env, dry: false }.value(&self.root, &env.setup)
    }

    /// The same with a 1 in place of runs that were not made: what lint needs
    /// to check dimensions without a machine.
    ///
    /// # Errors
    /// As [`Expr::evaluate`], less the missing run.
    pub fn check(&self, env: &Env<'_>) -> Result<Value, ExprError> {
        eval::Evaluator { env, dry: true }.value(&self.root, &env.setup)
    }

    /// Whether its value comes from a run (`run.…` or `micro(…)` anywhere in it).
    pub fn asks_for_a_run(&self) -> bool {
        self.root
            .any(&|call| matches!(call.function, ast::Function::Run | ast::Function::Micro))
    }

    /// Whether its value comes from running a defective kernel.
    pub fn asks_for_a_mutant(&self) -> bool {
        self.root
            .any(&|call| call.function == ast::Function::Mutant)
    }

    /// Every run that it asks, in the configuration that it asks for, with the
    /// figure.
    pub fn runs(&self, setup: &super::Setup) -> Vec<(Config, String)> {
        let mut found = Vec::new();
        self.root.runs(setup, &mut found);
        found
    }

    /// Every microbenchmark that it asks, with the value of the sweep.
    pub fn micros(&self, env: &Env<'_>) -> Vec<(String, u64)> {
        let mut calls = Vec::new();
        self.root.micros(&mut calls);
        let value = |node| {
            let found = eval::Evaluator { env, dry: true }
                .number(node, &env.setup)
                .ok()?;
            eval::size(&found, 1).ok()
        };
        let calls = calls.into_iter();
        calls
            .filter_map(|(kernel, node)| Some((kernel.to_owned(), value(node)?)))
            .collect()
    }

    /// `time.median` where the value rests on that figure of one run, and on no
    /// other run: as it is, or divided by a count.
    pub(super) fn run_path(&self) -> Option<&str> {
        let mut calls = Vec::new();
        self.root.run_calls(&mut calls);
        let (first, rest) = calls.split_first()?;
        let alone = rest.iter().all(|call| call == first) && !self.asks_for_a_mutant();
        first.field.as_deref().filter(|_| alone)
    }

    /// The same with that run asked for another of its figures.
    pub(super) fn with_run_path(&self, path: &str) -> Self {
        let mut other = self.clone();
        other.root.set_run_path(path);
        other
    }
}

impl ast::Node {
    fn run_calls<'n>(&'n self, found: &mut Vec<&'n ast::Call>) {
        match &self.kind {
            ast::Kind::Negated(inner) => inner.run_calls(found),
            ast::Kind::Binary(_, a, b) => {
                a.run_calls(found);
                b.run_calls(found);
            }
            ast::Kind::Call(call) => {
                if call.function == ast::Function::Run {
                    found.push(call);
                }
                for arg in &call.args {
                    if let ast::Arg::Value(node) | ast::Arg::Named(_, node) = arg {
                        node.run_calls(found);
                    }
                }
            }
            _ => {}
        }
    }

    fn set_run_path(&mut self, path: &str) {
        match &mut self.kind {
            ast::Kind::Negated(inner) => inner.set_run_path(path),
            ast::Kind::Binary(_, a, b) => {
                a.set_run_path(path);
                b.set_run_path(path);
            }
            ast::Kind::Call(call) => {
                if call.function == ast::Function::Run {
                    call.field = Some(path.to_owned());
                }
                for arg in &mut call.args {
                    if let ast::Arg::Value(node) | ast::Arg::Named(_, node) = arg {
                        node.set_run_path(path);
                    }
                }
            }
            _ => {}
        }
    }

    fn micros<'n>(&'n self, found: &mut Vec<(&'n str, &'n Self)>) {
        match &self.kind {
            ast::Kind::Negated(inner) => inner.micros(found),
            ast::Kind::Binary(_, a, b) => {
                a.micros(found);
                b.micros(found);
            }
            ast::Kind::Call(call) => {
                if let (ast::Function::Micro, [ast::Arg::Word(kernel), ast::Arg::Value(value)]) =
                    (call.function, call.args.as_slice())
                {
                    found.push((kernel, value));
                }
                for arg in &call.args {
                    if let ast::Arg::Value(node) | ast::Arg::Named(_, node) = arg {
                        node.micros(found);
                    }
                }
            }
            _ => {}
        }
    }

    fn runs(&self, setup: &super::Setup, found: &mut Vec<(Config, String)>) {
        match &self.kind {
            ast::Kind::Negated(inner) => inner.runs(setup, found),
            ast::Kind::Binary(_, a, b) => {
                a.runs(setup, found);
                b.runs(setup, found);
            }
            ast::Kind::Call(call) => {
                let setup = setup.with(&call.settings);
                if call.function == ast::Function::Run {
                    let mut config = setup.config.clone();
                    if let Some(ast::Arg::Plan(Some(cut))) = call.args.first() {
                        config.cut = *cut;
                    }
                    found.push((config, call.field.clone().unwrap_or_default()));
                }
                for arg in &call.args {
                    if let ast::Arg::Value(node) | ast::Arg::Named(_, node) = arg {
                        node.runs(&setup, found);
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether any call of the tree satisfies `test`.
    fn any(&self, test: &dyn Fn(&ast::Call) -> bool) -> bool {
        match &self.kind {
            ast::Kind::Negated(inner) => inner.any(test),
            ast::Kind::Binary(_, a, b) => a.any(test) || b.any(test),
            ast::Kind::Call(call) => {
                test(call)
                    || call
                        .args
                        .iter()
                        .any(|arg| matches!(arg, ast::Arg::Value(node) | ast::Arg::Named(_, node) if node.any(test)))
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
