//! The `[[key]]` tables of an exercise, and their slips.

use super::is_name;
use crate::answer::{Kernel, Key, Kind, Slip, SlipValue, Table, Tolerance};
use crate::block::typed;
use crate::fields::{Fields, Phrase};
use crate::setup::{Setup, sentence};
use crate::sheet;

/// Reads one `[[key]]`; what is wrong with it is reported.
pub(super) fn key(fields: &mut Fields<'_, '_>, base: &Setup) -> Option<Key> {
    let mut fields = fields.renamed("a key");
    let name = fields.need_text("name", "name = \"block\"").filter(|name| {
        let taken = [sheet::VARIANT, sheet::DEVICE].contains(&name.text.as_str());
        if taken {
            let say = "a sheet says under this name which variant it answers; take another.";
            fields.report_at(name.at, say);
        } else if !is_name(&name.text) {
            fields.report_at(
                name.at,
                format!(
                    "“{}” cannot name a key; use letters, digits, _ and -, such as block_bytes.",
                    name.text
                ),
            );
        }
        !taken && is_name(&name.text)
    });
    let ask = fields.need_text("ask", "ask = \"How many …?\"");
    let kinds: Vec<&str> = Kind::ALL
        .iter()
        .map(|(name, _)| *name)
        .chain(["line", "write"])
        .collect();
    let kind = fields.one_of("kind", &kinds);
    let (kind, kernel) = match kind.as_ref().map(Phrase::as_str) {
        Some("line") => (Kind::Choice, Some(Kernel::read(&mut fields, false)?)),
        Some("write") => (Kind::Text, Some(Kernel::read(&mut fields, true)?)),
        kind => (kind.and_then(Kind::parse).unwrap_or_default(), None),
    };
    let answer = match kind {
        Kind::Table | Kind::Text => None,
        _ if kernel.is_some() => {
            let marked = kernel.as_ref().zip(name.as_ref());
            let line = marked.and_then(|(kernel, name)| kernel.answer(name));
            if line.is_none() && name.is_some() {
                fields
                    .report("no line of the excerpt is marked // defect and the name of this key.");
            }
            Some(line?)
        }
        _ => {
            let answer = fields.need_text("answer", "answer = \"block.launches\"");
            Some(typed::expr(&mut fields, answer?)?)
        }
    };
    let table = match kind {
        Kind::Table => Some(Table::read(&mut fields)?),
        _ => None,
    };
    let (mut model, mut needs_number) = (None, false);
    if kind == Kind::Text && kernel.is_none() {
        model = fields.need_text("model", "model = \"a worked answer\"");
        needs_number = fields.flag("needs_number").unwrap_or(false);
    }
    let tolerance = fields.text("tolerance").map(|written| {
        let read = Tolerance::parse(&written.text);
        read.unwrap_or_else(|say| {
            fields.report_at(written.at, sentence(&say));
            Tolerance::default()
        })
    });
    let unit = typed::unit(&mut fields, "unit");
    let mut options = fields.texts("options");
    if let Some(odd) = options.iter().find(|o| o.text.contains(['|', ';']))
        && kind == Kind::Table
    {
        let say = format!(
            "“{}” cannot stand in a cell; | and ; separate cells and rows.",
            odd.text
        );
        fields.report_at(odd.at, say);
    }
    if let (Some(kernel), Some(name)) = (&kernel, &name) {
        options = kernel.options(name);
    }
    let chosen = matches!(kind, Kind::Choice | Kind::Choices | Kind::Ranking);
    if chosen && options.len() < 2 && !fields.has("options") && kernel.is_none() {
        fields.report(
            "a key to choose from has no options; add options = [\"memory\", \"compute\"].",
        );
    } else if !chosen && kind != Kind::Table && !options.is_empty() {
        fields.report(
            "a key with options needs a kind; add kind = \"choice\", \"choices\" or \"ranking\".",
        );
    }
    let mut slips: Vec<Slip> = fields.tables("slips", slip).into_iter().flatten().collect();
    if let Some(kernel) = &kernel {
        kernel.number_slips(&mut slips, &mut fields);
    }
    let hints = fields.texts("hints");
    let setup = fields.table("config", Setup::read).unwrap_or_default();
    fields.close();
    Some(Key {
        answer,
        table,
        model,
        needs_number,
        kernel,
        tolerance: tolerance.unwrap_or_default(),
        unit,
        options,
        slips,
        hints,
        setup: base.with(&setup),
        own: setup,
        ..Key::new(name?, ask?, kind)
    })
}

fn slip(fields: &mut Fields<'_, '_>) -> Option<Slip> {
    let mut fields = fields.renamed("a slip");
    let answer = fields.text("answer");
    let typed = answer
        .clone()
        .map(|answer| typed::expr(&mut fields, answer));
    let convention = fields.table("convention", Setup::read);
    let printed = fields.text("printed");
    let claim = fields.text("claim");
    let row = fields.text("row");
    let column = fields.text("column");
    let accept = fields.flag("accept").unwrap_or(false);
    let say = fields.need_text("say", "say = \"what was counted, and why it differs\"");
    fields.close();
    match (&answer, &printed) {
        (None, None) if convention.is_none() => {
            fields.report(
                "a slip has no value; add answer = \"…\", convention = { … } or printed = \"…\".",
            );
            return None;
        }
        (Some(answer), Some(_)) => {
            fields.report_at(
                answer.at,
                "a slip takes answer or printed, not both; drop one.",
            );
        }
        _ => {}
    }
    let value = match (typed, printed) {
        (Some(answer), _) => SlipValue::Expr(answer?),
        (None, Some(printed)) => SlipValue::Printed(printed),
        (None, None) => SlipValue::SameAnswer,
    };
    Some(Slip {
        settings: convention.unwrap_or_default().meaning(),
        claim,
        row,
        column,
        accept,
        ..Slip::new(value, say?)
    })
}
