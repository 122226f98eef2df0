//! Reading questions about a kernel: a defective line to be found, a kernel to be
//! written.

use crate::answer::{Contract, Expr, Kernel, KernelTask, Slip, SlipValue};
use crate::block::typed;
use crate::fields::{Fields, Phrase, Typed};
use crate::setup::sentence;
use plan::run::listing::Listing;

impl Kernel {
    /// Reads `source` of a key of kind `line`, or the contract of kind `write`.
    pub(super) fn read(fields: &mut Fields<'_, '_>, write: bool) -> Option<Self> {
        let source = fields.need_text("source", "source = \"exercises/scaled_twice.cu\"");
        let expression = |fields: &mut Fields<'_, '_>, key: &'static str| {
            let written = fields.text(key)?;
            typed::expr(fields, written)
        };
        let task = if write {
            KernelTask::Write(Box::new(Contract {
                bound: expression(fields, "bound"),
                sectors: expression(fields, "sectors"),
                praise: fields
                    .tables("praise", praised)
                    .into_iter()
                    .flatten()
                    .collect(),
            }))
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
            KernelTask::Write(_) => listing.gaps().count() > 0,
        };
        if !fits {
            let say = match task {
                KernelTask::Line => "this source has no excerpt with a defect in it.",
                KernelTask::Write(_) => "this source has no gaps to be written.",
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
            KernelTask::Write(_) => Vec::new(),
        }
    }

    /// The number of the line that carries the defect of this key: the one of its
    /// name, or the only one.
    pub(super) fn answer(&self, name: &Phrase) -> Option<Typed<Expr>> {
        let lines = self.listing.excerpt();
        let marked = || lines.iter().filter(|line| line.defect.is_some());
        let named = marked().find(|line| line.defect.as_deref() == Some(name.as_str()));
        let line = named.or_else(|| marked().next().filter(|_| marked().count() == 1))?;
        Typed::expression(Phrase {
            text: format!("'{}'", line.number),
            at: name.at,
        })
        .ok()
    }

    /// A slip names its line by a part of it (`'l *= expf'`): the line's number
    /// takes its place.
    pub(super) fn number_slips(&self, slips: &mut [Slip], fields: &mut Fields<'_, '_>) {
        if self.is_written() {
            return;
        }
        let lines = self.listing.excerpt();
        for slip in slips {
            let SlipValue::Expr(answer) = &mut slip.value else {
                continue;
            };
            let at = answer.written.at;
            let part = answer.as_str().trim_matches('\'');
            let mut found = lines.iter().filter(|line| line.text.contains(part));
            match (found.next(), found.next()) {
                (Some(line), None) => {
                    let text = format!("'{}'", line.number);
                    if let Ok(number) = Typed::expression(Phrase { text, at }) {
                        *answer = number;
                    }
                }
                (None, _) => fields.report_at(
                    at,
                    format!("no line of the excerpt holds “{part}”; copy a part of one."),
                ),
                _ => fields.report_at(
                    at,
                    format!("several lines of the excerpt hold “{part}”; copy more of one."),
                ),
            }
        }
    }
}

fn praised(fields: &mut Fields<'_, '_>) -> Option<(Typed<Expr>, Phrase)> {
    let mut fields = fields.renamed("a praise");
    let answer = fields.need_text("answer", "answer = \"8 B * B*S*D\"");
    let say = fields.need_text("say", "say = \"what else is good about it\"");
    fields.close();
    Some((typed::expr(&mut fields, answer?)?, say?))
}
