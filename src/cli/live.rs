//! Live blocks on paper: their numbers, and the command that runs them.

#[cfg(test)]
mod parity;
mod piece;

pub(super) use piece::{Piece, Table};

use super::claims;
use super::desk::{Desk, Runs};
use super::failure::Failure;
use super::words::{counted, quoted};
use app::ask::{Of, Wanted};
use backend::gym;
use course::answer::Env;
use course::present::{self, Facts, Ran};
use course::{Block, Ledger, Lesson, Live, Phrase, Sample, Typed};
use host::excerpt;
use plan::cost::{Config, Cost, Gpu, Priced, floor_seconds, price};
use plan::fusion::{Cut, Fusion, Version};
use plan::model::{Dtype, OpKind, preset};
use plan::run::{BackendKind, Metric, MicroRequest};
use plan::units::{Quantity, format};

/// The lines of a block.
pub(super) fn lines(desk: &Desk, lesson: &Lesson, live: &Live) -> Result<Vec<String>, Failure> {
    let pieces = pieces(desk, lesson, live)?;
    Ok(pieces.into_iter().flat_map(Piece::lines).collect())
}

/// The parts of a block.
pub(super) fn pieces(desk: &Desk, lesson: &Lesson, live: &Live) -> Result<Vec<Piece>, Failure> {
    let runs = Runs::default();
    let env = desk.env(&lesson.setup.with(&live.setup), &runs)?;
    let mut out = Vec::new();
    for predict in &live.predict {
        out.push(Piece::Ask(desk.filled(predict.ask.as_str(), &env)));
    }
    match &live.content {
        Err(faults) => {
            let kind = &live.kind;
            out.push(Piece::Line(format!(
                "Live block {kind}, which cannot be read:"
            )));
            out.extend(faults.iter().map(|fault| Piece::Line(fault.to_string())));
        }
        Ok(block) => out.extend(of_block(desk, block, &env)?),
    }
    Ok(out)
}

fn of_block(desk: &Desk, block: &Block, env: &Env<'_>) -> Result<Vec<Piece>, Failure> {
    let config = &env.setup.config;
    let mut unshown = false;
    let pieces = match block {
        Block::Lab { start, toggles, .. } => lab(config, start.as_ref(), toggles)?,
        Block::Compare { plans, .. } => {
            let mut pieces = cells(block, env, &mut unshown)?;
            let names: Vec<String> = plans.iter().map(|n| quoted(n.as_str())).collect();
            let command = format!("compare {} {} --run", names.join(" "), options(config));
            pieces.push(Piece::Command(command));
            pieces
        }
        Block::Table { .. } | Block::Roofline { .. } | Block::Chart { .. } => {
            cells(block, env, &mut unshown)?
        }
        Block::Ribbon { plan, .. } => lab(config, plan.as_ref(), &[])?,
        Block::Claim { id } => {
            let claim = Ledger::built_in()
                .find(id.as_str())
                .map_err(Failure::content)?;
            let runs = Runs::default();
            let env = claim.env(desk.gpus()?, &runs)?;
            let title = format!("Claim {}: {}", claim.id.text, claim.title);
            let evidence = claims::evidence(claim, &env).into_iter();
            std::iter::once(title)
                .chain(evidence)
                .map(Piece::Line)
                .collect()
        }
        Block::Micro {
            kernel,
            sweep,
            show,
            ..
        } => micro(kernel.as_str(), sweep, show)?,
        Block::Kernel {
            op,
            version,
            source,
            part,
        } => kernel(
            config,
            op.as_ref(),
            version.as_ref(),
            [source.as_ref(), part.as_ref()],
        )?,
        Block::Profile(sample) => profile(env, sample)?,
        Block::Steps { title, steps } => {
            let title = title
                .iter()
                .map(|t| Piece::Line(format!("{}:", t.as_str())));
            let steps = steps.iter().map(|step| desk.filled(step.as_str(), env));
            title.chain([Piece::Steps(steps.collect())]).collect()
        }
        Block::Question { exercise, key } => {
            let found = desk.exercise(exercise.as_str())?;
            let key = match key {
                Some(key) => Some(desk.key(found, key.as_str())?),
                None => found.keys.first(),
            };
            match key {
                Some(key) => vec![
                    Piece::Line(format!(
                        "Question {} {}: {}",
                        found.id,
                        key.name.as_str(),
                        desk.filled(key.ask.as_str(), env)
                    )),
                    Piece::Command(format!(
                        "check {} --answer {}=...",
                        found.id,
                        key.name.as_str()
                    )),
                ],
                None => Vec::new(),
            }
        }
    };
    if unshown {
        desk.has_failed();
    }
    Ok(pieces)
}

fn cut_of(config: &Config, plan: Option<&Typed<Cut>>) -> Cut {
    plan.map_or(config.cut, |plan| plan.value)
}

fn summed(cost: &Cost) -> String {
    format!(
        "{} and {} per block; {} and {} per forward, modelled",
        counted(cost.block.launches(), "launch"),
        format(&Quantity::bytes(cost.block.bytes())),
        counted(cost.forward.launches(), "launch"),
        format(&Quantity::bytes(cost.forward.bytes())),
    )
}

/// What [`summed`] says, behind a name.
fn summed_cells(name: String, cost: &Cost) -> Vec<String> {
    let parts = [&cost.block, &cost.forward];
    let cells = parts.into_iter().flat_map(|part| {
        [
            part.launches().to_string(),
            format(&Quantity::bytes(part.bytes())),
        ]
    });
    std::iter::once(name).chain(cells).collect()
}

/// An experiment, run on the SIMT machine: it takes no time and no GPU.
fn micro(kernel: &str, sweep: &[u32], show: &[Metric]) -> Result<Vec<Piece>, Failure> {
    let report = gym::run(&MicroRequest::new(kernel, sweep, BackendKind::Simt)?)?;
    let (columns, rows) = report.table(show);
    let title = format!(
        "Experiment {kernel}, {} rows: {}.",
        rows.len(),
        columns.join("; ")
    );
    let mut out = vec![Piece::Table(Table::of_rows(title, columns, rows))];
    let notes = report.notes.iter();
    out.extend(notes.map(|note| Piece::Line(format!("  {note}."))));
    let sweep: Vec<String> = report.rows.iter().map(|r| r.value.to_string()).collect();
    let sweep = sweep.join(",");
    out.push(Piece::Command(format!("micro {kernel} --sweep {sweep}")));
    Ok(out)
}

/// Lines of a kernel's source.
fn kernel(
    config: &Config,
    op: Option<&Typed<OpKind>>,
    version: Option<&Typed<Cut>>,
    [source, part]: [Option<&Phrase>; 2],
) -> Result<Vec<Piece>, Failure> {
    let of = match (op, source) {
        (Some(op), _) => Of::Op(op.value),
        (None, source) => Of::File(source.map_or("", Phrase::as_str).to_owned()),
    };
    let cut = version.map_or(Version::V1.cut(), |version| version.value);
    let excerpt = excerpt(&Wanted {
        config: config.with_cut(cut),
        gpu: "h200".to_owned(),
        of,
        part: part.map(|p| p.text.clone()),
    })
    .map_err(Failure::usage)?;
    let mut out = vec![Piece::Line(format!("Source of kernels/{}:", excerpt.file))];
    if !excerpt.idea.is_empty() {
        out.push(Piece::Line(format!("  {}", excerpt.idea)));
    }
    out.push(Piece::Code(excerpt.lines));
    if excerpt.more > 0 {
        let more = counted(excerpt.more as u64, "more line");
        out.push(Piece::Line(format!("  and {more}.")));
    }
    let facts = excerpt.facts.iter();
    out.extend(facts.map(|fact| Piece::Line(format!("  {fact}"))));
    Ok(out)
}

/// The options that set up a configuration on the command line.
fn options(config: &Config) -> String {
    let shape = config.shape;
    let mut text = format!(
        "--model {} --batch {} --seq {}",
        config.model.name, shape.batch, shape.seq
    );
    if shape.has_past() {
        text += &format!(" --context {}", shape.context);
    }
    if config.dtype != Dtype::Fp32 {
        text += &format!(" --dtype {}", config.dtype.name());
    }
    text
}

fn lab(
    config: &Config,
    start: Option<&Typed<Cut>>,
    toggles: &[Typed<Fusion>],
) -> Result<Vec<Piece>, Failure> {
    let cut = cut_of(config, start);
    let cost = price(&config.with_cut(cut))?;
    let mut said = vec![format!(
        "Live block lab, {}: {}.",
        cut.title(),
        summed(&cost)
    )];
    let mut rows = vec![summed_cells(cut.title(), &cost)];
    for toggle in toggles {
        let fusion = toggle.value;
        let flipped = price(&config.with_cut(cut.fuse(fusion)))?;
        let with = format!("with {}", fusion.name());
        said.push(format!("  {with}: {}.", summed(&flipped)));
        rows.push(summed_cells(with, &flipped));
    }
    let columns = ["modelled", "launches", "bytes", "launches", "bytes"];
    let per = [
        "",
        " per block",
        " per block",
        " per forward",
        " per forward",
    ];
    let columns = columns
        .iter()
        .zip(per)
        .map(|(what, per)| format!("{what}{per}"));
    Ok(vec![
        Piece::Table(Table {
            said,
            columns: columns.collect(),
            rows,
        }),
        Piece::Command(format!("run {} {}", options(config), cut.as_options())),
    ])
}

/// The cells of a block whose surface is a table: those that the screen shows.
fn cells(block: &Block, env: &Env<'_>, unshown: &mut bool) -> Result<Vec<Piece>, Failure> {
    let facts = Sheet {
        gpu: env.gpus.get("h200")?,
    };
    let Some(grid) = present::grid(block, env, &facts) else {
        return Ok(Vec::new());
    };
    let grid = grid.map_err(Failure::content)?;
    *unshown |= grid.unshown;
    let what = match block {
        Block::Compare { .. } => "Compare, modelled",
        Block::Roofline { .. } => "Roofline, kernel by kernel, modelled",
        Block::Chart { .. } => "Chart, modelled",
        _ => "Table",
    };
    let title = format!(
        "{what}, {}: {}.",
        counted(grid.rows.len() as u64, "row"),
        grid.head.join("; ")
    );
    let mut out = vec![Piece::Table(Table::of_rows(title, grid.head, grid.rows))];
    if !grid.foot.is_empty() {
        out.push(Piece::Line(format!("  {}", grid.foot)));
    }
    Ok(out)
}

/// On paper nothing was run, and the roof is that of a data sheet.
struct Sheet<'g> {
    gpu: &'g Gpu,
}

impl Facts for Sheet<'_> {
    fn floor(&self, priced: &Priced, dtype: Dtype) -> Option<f64> {
        floor_seconds(priced, self.gpu, dtype).ok()
    }

    fn roof(&self) -> String {
        format!("Floors on {}, data sheet.", self.gpu.name)
    }

    fn ran(&self, _: Cut) -> Option<Ran> {
        None
    }
}

/// The top of a generated file, and what the reader makes of it.
fn profile(env: &Env<'_>, sample: &Sample) -> Result<Vec<Piece>, Failure> {
    let config = &env.setup.config;
    let shown = sample.show(config, env.gpus).map_err(Failure::content)?;
    let title = format!("Profile, {}:", shown.caption);
    let mut table = Table::of_rows(title, shown.excerpt.head, shown.excerpt.rows);
    if !table.columns.is_empty() {
        // The head is a line of the file as well.
        table
            .said
            .insert(1, format!("  {}", table.columns.join("; ")));
    }
    let mut out = vec![Piece::Table(table)];
    if !shown.rest.is_empty() {
        out.push(Piece::Line(format!("  {}.", shown.rest)));
    }
    let said = shown.said.iter();
    out.extend(said.map(|said| Piece::Line(format!("  {}: {}.", said.about, said.text))));
    // A command names the plan, which may be the question.
    if sample.reading {
        let layers =
            preset(&config.model.name).is_ok_and(|p| p.model().layers == config.model.layers);
        let layers = match layers {
            true => String::new(),
            false => format!(" --layers {}", config.model.layers),
        };
        out.push(Piece::Command(format!(
            "profile --sample {} {} {}{layers} --gpu {} --forwards {}",
            sample.tool.name(),
            shown.cut.as_options(),
            options(config),
            shown.gpu,
            shown.forwards
        )));
    }
    Ok(out)
}
