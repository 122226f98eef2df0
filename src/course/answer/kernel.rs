//! The kernel that a question is about: a defective line to be found, or a source
//! to be written.

use super::Env;
use super::expr::{Expr, Value};
use super::key::{Slip, SlipValue};
use crate::fields::{Phrase, Typed};
use plan::run::Bounds;
use plan::run::listing::Listing;

/// The source that a question is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    /// The source, cut.
    pub listing: Listing,
    /// What is asked of it.
    pub task: KernelTask,
}

/// What is asked of a source.
#[derive(Debug, Clone, PartialEq)]
pub enum KernelTask {
    /// The defective line of its excerpt.
    Line,
    /// The kernel itself.
    Write(Box<Contract>),
}

/// What a kernel that is written may cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Contract {
    /// Most bytes that lanes may ask for.
    pub(crate) bound: Option<Typed<Expr>>,
    /// Most bytes of the sectors that they touch.
    pub(crate) sectors: Option<Typed<Expr>>,
    /// Bytes at or below which more can be said: with what.
    pub(crate) praise: Vec<(Typed<Expr>, Phrase)>,
}

impl Kernel {
    /// The lines among which the defective one is looked for; none where it is to
    /// be written.
    pub(super) fn lines(&self) -> Vec<String> {
        if self.is_written() {
            return Vec::new();
        }
        let excerpt = self.listing.excerpt().into_iter();
        excerpt.map(|line| line.text.to_string()).collect()
    }

    /// Is it one to be written?
    pub fn is_written(&self) -> bool {
        matches!(self.task, KernelTask::Write(_))
    }

    /// The bounds in bytes. `slips` are those of the key.
    ///
    /// # Errors
    /// The expression that has no value, and why.
    pub fn bounds(&self, slips: &[Slip], env: &Env<'_>) -> Result<Bounds, (Phrase, String)> {
        let KernelTask::Write(contract) = &self.task else {
            return Ok(Bounds::default());
        };
        let bytes = |expr: &Typed<Expr>| {
            let fault = |say: String| (expr.written.clone(), say);
            match expr.value.evaluate(env).map_err(|e| fault(e.message))? {
                Value::Quantity(q) if q.value() > 0.0 => Ok(q.value()),
                _ => Err(fault("bytes are expected here".to_owned())),
            }
        };
        let slips = slips.iter().filter_map(|slip| match &slip.value {
            SlipValue::Expr(expr) => Some((expr, slip.say.text.clone())),
            SlipValue::SameAnswer | SlipValue::Printed(_) => None,
        });
        Ok(Bounds {
            issued: contract.bound.as_ref().map(bytes).transpose()?,
            sectors: contract.sectors.as_ref().map(bytes).transpose()?,
            slips: slips
                .map(|(expr, say)| Ok((bytes(expr)?, say)))
                .collect::<Result<_, _>>()?,
            praise: contract
                .praise
                .iter()
                .map(|(expr, say)| Ok((bytes(expr)?, say.text.clone())))
                .collect::<Result<_, _>>()?,
        })
    }
}
