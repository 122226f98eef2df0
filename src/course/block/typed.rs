//! Fields of a block that name something: read once, when the text is loaded, so
//! that whoever shows the block works with the same cut, fusion, op, unit or
//! expression.

use crate::answer::{Expr, data_sheets};
use crate::fault::{Place, way_out};
use crate::fields::{Fields, Phrase, Typed};
use crate::setup::sentence;
use plan::fusion::{Cut, Fusion};
use plan::model::{BLOCK_OPS, OpKind};
use plan::units::Spec;

/// Ops outside a block.
const ENDS: [OpKind; 3] = [OpKind::Embed, OpKind::FinalNorm, OpKind::LmHead];

type Read<T> = Result<T, (Place, String)>;

/// A text in a list, or one alone, as what it names; what names nothing is reported.
fn typed<T>(
    fields: &mut Fields<'_, '_>,
    phrases: impl IntoIterator<Item = Phrase>,
    read: impl Fn(&Phrase) -> Read<T>,
) -> Vec<Typed<T>> {
    let mut out = Vec::new();
    for written in phrases {
        match read(&written) {
            Ok(value) => out.push(Typed { value, written }),
            Err((at, say)) => fields.report_at(at, sentence(&say)),
        }
    }
    out
}

/// Single quotes around a plan are those of the expressions and of a shell.
fn unquoted(phrase: Phrase) -> Phrase {
    match phrase.text.strip_prefix('\'') {
        Some(rest) => Phrase {
            text: rest.strip_suffix('\'').unwrap_or(rest).to_owned(),
            at: phrase.at.right(1),
        },
        None => phrase,
    }
}

fn read_cut(phrase: &Phrase) -> Read<Cut> {
    Cut::parse(&phrase.text).map_err(|e| (phrase.at, e.to_string()))
}

fn read_op(phrase: &Phrase) -> Read<OpKind> {
    OpKind::parse(&phrase.text).ok_or_else(|| {
        let ops = BLOCK_OPS.iter().chain(&ENDS).map(|op| op.name());
        let names: Vec<&str> = ops.chain(["rope"]).collect();
        unknown("op", phrase, &names)
    })
}

fn unknown(what: &str, phrase: &Phrase, names: &[&str]) -> (Place, String) {
    let way_out = way_out(&phrase.text, names);
    let say = format!("there is no {what} “{}”; {way_out}", phrase.text);
    (phrase.at, say)
}

/// A plan.
pub(super) fn cut(fields: &mut Fields<'_, '_>, key: &'static str) -> Option<Typed<Cut>> {
    let phrase = fields.text(key).map(unquoted);
    typed(fields, phrase, read_cut).pop()
}

/// Several plans.
pub(super) fn cuts(fields: &mut Fields<'_, '_>, key: &'static str) -> Vec<Typed<Cut>> {
    let phrases = fields.texts(key).into_iter().map(unquoted);
    typed(fields, phrases, read_cut)
}

/// Fusions by their names.
pub(super) fn fusions(fields: &mut Fields<'_, '_>, key: &'static str) -> Vec<Typed<Fusion>> {
    let phrases = fields.texts(key);
    typed(fields, phrases, |phrase| {
        Fusion::parse(&phrase.text).map_err(|e| (phrase.at, e.to_string()))
    })
}

/// An op by its name.
pub(super) fn op(fields: &mut Fields<'_, '_>, key: &'static str) -> Option<Typed<OpKind>> {
    let phrase = fields.text(key);
    typed(fields, phrase, read_op).pop()
}

/// Several ops.
pub(super) fn ops(fields: &mut Fields<'_, '_>, key: &'static str) -> Vec<Typed<OpKind>> {
    let phrases = fields.texts(key);
    typed(fields, phrases, read_op)
}

/// Ids of GPUs that the database has.
pub(super) fn gpus(
    fields: &mut Fields<'_, '_>,
    phrases: impl IntoIterator<Item = Phrase>,
) -> Vec<Phrase> {
    let ids = data_sheets().into_iter().flat_map(|sheets| sheets.all());
    // `gpu` is the device of the course.
    let names: Vec<&str> = ids.map(|gpu| gpu.id.as_str()).chain(["gpu"]).collect();
    known(fields, "GPU", phrases, &names)
}

/// Words of which only some are known, with the sentence that names their kind.
pub(super) fn known(
    fields: &mut Fields<'_, '_>,
    what: &str,
    phrases: impl IntoIterator<Item = Phrase>,
    names: &[&str],
) -> Vec<Phrase> {
    let read = |phrase: &Phrase| match names.contains(&phrase.as_str()) {
        true => Ok(()),
        false => Err(unknown(what, phrase, names)),
    };
    let found = typed(fields, phrases, read);
    found.into_iter().map(|typed| typed.written).collect()
}

/// A unit, with a number of decimals or without.
pub(crate) fn unit(fields: &mut Fields<'_, '_>, key: &'static str) -> Option<Typed<Spec>> {
    let phrase = fields.text(key);
    typed(fields, phrase, |phrase| {
        Spec::parse(&phrase.text).map_err(|e| (phrase.at, e.message))
    })
    .pop()
}

/// An expression that was read as a text.
pub(crate) fn expr(fields: &mut Fields<'_, '_>, phrase: Phrase) -> Option<Typed<Expr>> {
    typed(fields, Some(phrase), |phrase| {
        let at = |column: usize| phrase.at.right(column.saturating_sub(1));
        Expr::parse(&phrase.text).map_err(|e| (at(e.column), e.message))
    })
    .pop()
}
