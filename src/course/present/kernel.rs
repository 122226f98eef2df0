//! The `kernel` and `micro` blocks: lines of a source, figures of an experiment.

use super::{Facts, Grid, Piece, Weight};
use crate::answer::Env;
use crate::block::Block;
use plan::cost::Config;
use plan::fusion::Version;
use plan::model::OpKind;
use plan::run::{Experiment, Metric, MicroReport, MicroRequest};
use plan::units::figure;

/// Which source.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Model, shape, dtype and plan whose kernel it is.
    pub config: Config,
    /// Id of the GPU that it is launched on.
    pub gpu: String,
    /// Whose kernel, or which file.
    pub of: Of,
    /// The idea whose lines are shown.
    pub part: Option<String>,
}

/// An op's kernel, or a file by its path under `kernels/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Of {
    /// The kernel that computes this op.
    Op(OpKind),
    /// This file.
    File(String),
}

/// Lines of a source, with what is known of the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// Path under `kernels/`.
    pub file: String,
    /// Numbers and texts of the lines.
    pub lines: Vec<(usize, String)>,
    /// Lines that were left out behind them.
    pub more: usize,
    /// What the lines are about, in the author's sentence.
    pub idea: String,
    /// Launch and resources, a sentence each.
    pub facts: Vec<String>,
}

impl Wanted {
    /// What a `kernel` block wants to see; None of other blocks.
    pub fn by(block: &Block, env: &Env<'_>) -> Option<Self> {
        let Block::Kernel {
            op,
            version,
            source,
            part,
        } = block
        else {
            return None;
        };
        let cut = version.as_ref().map_or(Version::V1.cut(), |v| v.value);
        Some(Self {
            config: env.setup.config.with_cut(cut),
            gpu: env.setup.gpu.to_owned(),
            of: match (op, source) {
                (Some(op), _) => Of::Op(op.value),
                (None, source) => Of::File(source.as_ref().map_or("", |s| &s.text).to_owned()),
            },
            part: part.as_ref().map(|part| part.text.clone()),
        })
    }
}

/// A `kernel` block; nothing while its source is being looked up.
pub(super) fn kernel(
    block: &Block,
    env: &Env<'_>,
    facts: &dyn Facts,
) -> Result<Vec<Piece>, String> {
    let found = Wanted::by(block, env).and_then(|wanted| facts.source(&wanted));
    let Some(excerpt) = found.transpose()? else {
        return Ok(Vec::new());
    };
    let aside = |text| Piece::Words(Weight::Aside, text);
    let mut out = vec![Piece::Words(Weight::Title, excerpt.file.clone())];
    if !excerpt.idea.is_empty() {
        out.push(Piece::Words(Weight::Text, excerpt.idea));
    }
    out.push(Piece::Code(excerpt.file, excerpt.lines));
    if excerpt.more > 0 {
        let more = figure::counted(excerpt.more as u64, "more line", "more lines");
        out.push(aside(more));
    }
    out.extend(excerpt.facts.into_iter().map(aside));
    Ok(out)
}

/// A `micro` block; its figures once it was run.
pub(super) fn micro(
    request: &MicroRequest,
    show: &[Metric],
    facts: &dyn Facts,
) -> Result<Vec<Piece>, String> {
    let title = Experiment::find(&request.kernel).map_or("", |e| e.title);
    let title = format!("{}: {title}", request.kernel);
    let mut out = vec![Piece::Words(Weight::Title, title)];
    match facts.micro(request) {
        None => {}
        Some(Err(why)) => out.push(Piece::Words(Weight::Fault, why)),
        Some(Ok(report)) => out.extend(reported(&report, show)),
    }
    let sweep: Vec<String> = request.sweep.iter().map(u32::to_string).collect();
    out.push(Piece::Run(format!(
        "micro {} --sweep {}",
        request.kernel,
        sweep.join(",")
    )));
    Ok(out)
}

/// What an experiment showed: the columns that are named, or the usual ones.
pub fn reported(report: &MicroReport, show: &[Metric]) -> Vec<Piece> {
    let (head, rows) = report.table(show);
    let table = Piece::Table(Grid {
        head,
        rows,
        ..Grid::default()
    });
    let said = std::iter::once(&report.device).chain(&report.notes);
    let said = said.map(|text| Piece::Words(Weight::Aside, text.clone()));
    std::iter::once(table).chain(said).collect()
}
