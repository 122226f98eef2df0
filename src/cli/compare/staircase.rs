//! `compare --staircase`: from V1, one fusion more at each step.

use serde::Serialize;

use super::Asked;
use crate::cli::Outcome;
use crate::cli::failure::Failure;
use crate::cli::live;
use crate::cli::out::Out;
use crate::cli::study::table;
use crate::cli::words::wrapped;
use course::present::study::found;
use plan::cost::Gpu;
use plan::fusion::Fusion;
use study::findings::Findings;
use study::lab::Scope;
use study::lab::staircase::{Staircase, order, usual};

/// `compare --staircase --json`, schema 1.
#[derive(Serialize)]
struct Document<'f> {
    schema: u32,
    /// The fusions in the order in which they are added.
    order: Vec<&'static str>,
    #[serde(flatten)]
    findings: &'f Findings,
}

pub(super) fn staircase(asked: &Asked<'_>, gpu: &Gpu, scope: Scope, out: &mut Out) -> Outcome {
    let (args, output) = (asked.args, asked.output);
    let order = match &args.order {
        Some(typed) => order(typed).map_err(Failure::usage)?,
        None => usual(),
    };
    let mut stairs = Staircase::new(&asked.base.config, &order, gpu, scope)?;
    let mut code = 0;
    if args.measure {
        code = asked.measure(&mut stairs.plans)?;
    }
    let findings = stairs.findings();
    if output.json {
        out.json(&Document {
            schema: 1,
            order: order.into_iter().map(Fusion::name).collect(),
            findings: &findings,
        });
    } else if output.plain {
        out.lines(live::lines(&found(&findings), output.ascii));
    } else {
        tell(&findings, out);
    }
    Ok(code)
}

/// The sheets, then what they come to.
fn tell(findings: &Findings, out: &mut Out) {
    out.lines(wrapped(&findings.title, "", "  "));
    for sheet in &findings.sheets {
        out.gap();
        out.lines(table(sheet, Some(usize::MAX)));
    }
    out.gap();
    for said in &findings.sentences {
        out.lines(wrapped(said, "", "  "));
    }
    for note in &findings.notes {
        out.lines(wrapped(note, "note ", "     "));
    }
}
