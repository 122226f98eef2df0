//! Questions about a kernel: a defective line to be found, a kernel to be written.

use super::read::is_sound;
use crate::answer::{Env, Expr, Value};
use crate::fields::{Fields, Phrase};
use crate::setup::sentence;
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
    Write {
        /// Most bytes that lanes may ask for: an expression.
        bound: Option<Phrase>,
        /// Most bytes of the sectors that they touch.
        sectors: Option<Phrase>,
        /// Bytes at or below which more can be said: with what.
        praise: Vec<(Phrase, Phrase)>,
    },
}

impl Kernel {
    /// Reads `source` of a key of kind `line`, or the contract of kind `write`.
    pub(super) fn read(fields: &mut Fields<'_, '_>, write: bool) -> Option<Self> {
        let source = fields.need_text("source", "source = \"exercises/scaled_twice.cu\"");
        let expression = |fields: &mut Fields<'_, '_>, key: &'static str| {
            let written = fields.text(key)?;
            is_sound(fields, &written).then_some(written)
        };
        let task = if write {
            KernelTask::Write {
                bound: expression(fields, "bound"),
                sectors: expression(fields, "sectors"),
                praise: fields
                    .tables("praise", praised)
                    .into_iter()
                    .flatten()
                    .collect(),
            }
        } else {
            KernelTask::Line
        };
        let source = source?;
        let listing = match Listing::named(&source.text) {
            Ok(listing) => listing,
            Err(error) => {
                fields.report_at(source.at, sentence(&error.to_string()));
                return None;
            }
        };
        let fits = match task {
            KernelTask::Line => !listing.excerpt().is_empty(),
            KernelTask::Write { .. } => listing.gaps().count() > 0,
        };
        if !fits {
            let say = match task {
                KernelTask::Line => "this source has no excerpt with a defect in it.",
                KernelTask::Write { .. } => "this source has no gaps to be written.",
            };
            fields.report_at(source.at, say);
            return None;
        }
        Some(Self { listing, task })
    }

    /// Numbers of the lines, as the options of the question.
    pub(super) fn options(&self, at: &Phrase) -> Vec<Phrase> {
        let phrase = |number: usize| Phrase {
            text: number.to_string(),
            at: at.at,
        };
        match self.task {
            KernelTask::Line => (1..=self.listing.excerpt().len()).map(phrase).collect(),
            KernelTask::Write { .. } => Vec::new(),
        }
    }

    /// The number of the line that carries the defect of this key: the one of its
    /// name, or the only one.
    pub(super) fn answer(&self, name: &Phrase) -> Option<Phrase> {
        let lines = self.listing.excerpt();
        let marked = || lines.iter().filter(|line| line.defect.is_some());
        let named = marked().find(|line| line.defect.as_deref() == Some(name.as_str()));
        let line = named.or_else(|| marked().next().filter(|_| marked().count() == 1))?;
        Some(Phrase {
            text: format!("'{}'", line.number),
            at: name.at,
        })
    }

    /// A slip names its line by a part of it (`'l *= expf'`): the line's number
    /// takes its place.
    pub(super) fn number_slips(&self, slips: &mut [super::Slip], fields: &mut Fields<'_, '_>) {
        if self.is_written() {
            return;
        }
        let lines = self.listing.excerpt();
        for answer in slips.iter_mut().filter_map(|slip| slip.answer.as_mut()) {
            let part = answer.text.trim_matches('\'');
            let mut found = lines.iter().filter(|line| line.text.contains(part));
            match (found.next(), found.next()) {
                (Some(line), None) => answer.text = format!("'{}'", line.number),
                (None, _) => fields.report_at(
                    answer.at,
                    format!("no line of the excerpt holds “{part}”; copy a part of one."),
                ),
                _ => fields.report_at(
                    answer.at,
                    format!("several lines of the excerpt hold “{part}”; copy more of one."),
                ),
            }
        }
    }

    /// Is it one to be written?
    pub fn is_written(&self) -> bool {
        matches!(self.task, KernelTask::Write { .. })
    }

    /// The bounds in bytes. `slips` are those of the key.
    ///
    /// # Errors
    /// The expression that has no value, and why.
    pub fn bounds(&self, slips: &[super::Slip], env: &Env<'_>) -> Result<Bounds, (Phrase, String)> {
        let KernelTask::Write {
            bound,
            sectors,
            praise,
        } = &self.task
        else {
            return Ok(Bounds::default());
        };
        let bytes = |written: &Phrase| {
            let fault = |say: String| (written.clone(), say);
            let value = Expr::parse(&written.text)
                .and_then(|expr| expr.evaluate(env))
                .map_err(|e| fault(e.message))?;
            match value {
                Value::Quantity(q) if q.value() > 0.0 => Ok(q.value()),
                _ => Err(fault("bytes are expected here".to_owned())),
            }
        };
        let slips = slips
            .iter()
            .filter_map(|slip| Some((slip.answer.as_ref()?, slip.say.text.clone())));
        Ok(Bounds {
            issued: bound.as_ref().map(bytes).transpose()?,
            sectors: sectors.as_ref().map(bytes).transpose()?,
            slips: slips
                .map(|(answer, say)| Ok((bytes(answer)?, say)))
                .collect::<Result<_, _>>()?,
            praise: praise
                .iter()
                .map(|(answer, say)| Ok((bytes(answer)?, say.text.clone())))
                .collect::<Result<_, _>>()?,
        })
    }
}

fn praised(fields: &mut Fields<'_, '_>) -> Option<(Phrase, Phrase)> {
    let mut fields = fields.renamed("a praise");
    let answer = fields.need_text("answer", "answer = \"8 B * B*S*D\"");
    let say = fields.need_text("say", "say = \"what else is good about it\"");
    fields.close();
    let answer = answer?;
    is_sound(&mut fields, &answer).then_some((answer, say?))
}
