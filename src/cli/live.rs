//! Live blocks on paper: their numbers, and the command that runs them.

mod drawn;
mod piece;

pub(super) use piece::{Piece, Table};

use super::answers::excerpt;
use super::claims;
use super::desk::{Desk, Runs};
use super::failure::Failure;
use super::words::{counted, quoted};
use app::live::ask::{Of, Wanted};
use backend::gym;
use course::answer::Env;
use course::{Block, Ledger, Lesson, Live, Phrase, Sample, Typed};
use plan::cost::{Config, Cost, bound, floor_seconds, price, ridge};
use plan::fusion::{Cut, Fusion, Version};
use plan::model::{OpKind, preset};
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
    Ok(match block {
        Block::Lab { start, toggles, .. } => lab(config, start.as_ref(), toggles)?,
        Block::Compare {
            plans,
            metrics,
            forward,
        } => compare(desk, config, plans, metrics, *forward)?,
        Block::Ribbon { plan, .. } => lab(config, plan.as_ref(), &[])?,
        Block::Roofline { plan, gpus, .. } => roofline(desk, config, plan.as_ref(), gpus)?,
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
        Block::Chart {
            x,
            range,
            unit,
            series,
            ..
        } => drawn::chart(env, x, range, unit.as_ref().map(Typed::as_str), series),
        Block::Table { columns, rows } => drawn::table(desk, env, columns, rows),
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
        Block::Profile(sample) => profile(desk, config, sample)?,
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
    })
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
    if config.dtype != plan::model::Dtype::Fp32 {
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

fn compare(
    desk: &Desk,
    config: &Config,
    plans: &[Typed<Cut>],
    metrics: &[String],
    forward: bool,
) -> Result<Vec<Piece>, Failure> {
    let gpu = desk.gpus()?.get("h200")?;
    let mut said = vec![format!(
        "Compare, per {}, modelled:",
        if forward { "forward" } else { "block" }
    )];
    let mut rows = Vec::new();
    for plan in plans {
        let cut = plan.value;
        let cost = price(&config.with_cut(cut))?;
        let priced = if forward { &cost.forward } else { &cost.block };
        let mut parts = Vec::new();
        for metric in metrics {
            parts.push(match metric.as_str() {
                "launches" => counted(priced.launches(), "launch"),
                "flops" => format(&Quantity::flop(priced.flops)),
                "bytes" => format(&Quantity::bytes(priced.bytes())),
                "weight_bytes" => {
                    format!(
                        "{} of weights",
                        format(&Quantity::bytes(priced.weight_bytes))
                    )
                }
                "intensity" => format!("{:.2} FLOP/B", priced.intensity()),
                "peak" => format!("peak {}", format(&Quantity::bytes(cost.peak.bytes))),
                "floor" => format!(
                    "floor {} on {}, data sheet",
                    format(&Quantity::seconds(floor_seconds(
                        priced,
                        gpu,
                        config.dtype
                    )?)),
                    gpu.name
                ),
                "time" => "time not run".to_owned(),
                other => other.to_owned(),
            });
        }
        said.push(format!("  {}: {}.", cut.title(), parts.join("; ")));
        // The head of a column says its word already.
        let cells = metrics.iter().zip(&parts).map(|(metric, part)| {
            let bare = part.strip_prefix(metric.as_str()).unwrap_or(part);
            bare.trim().to_owned()
        });
        rows.push(std::iter::once(cut.title()).chain(cells).collect());
    }
    let head = if forward { "per forward" } else { "per block" };
    let heads = metrics.iter().map(|metric| match metric.as_str() {
        "flops" => "FLOPs".to_owned(),
        other => other.replace('_', " "),
    });
    let columns = std::iter::once(format!("modelled, {head}")).chain(heads);
    let table = Table {
        said,
        columns: columns.collect(),
        rows,
    };
    let names: Vec<&str> = plans.iter().map(Typed::as_str).collect();
    let names: Vec<_> = names.iter().map(|n| quoted(n)).collect();
    let command = format!("compare {} {} --run", names.join(" "), options(config));
    Ok(vec![Piece::Table(table), Piece::Command(command)])
}

fn roofline(
    desk: &Desk,
    config: &Config,
    plan: Option<&Typed<Cut>>,
    gpus: &[Phrase],
) -> Result<Vec<Piece>, Failure> {
    let cut = cut_of(config, plan);
    let cost = price(&config.with_cut(cut))?;
    let title = format!("Roofline of {}, kernel by kernel, modelled:", cut.title());
    let rows: Vec<Vec<String>> = cost
        .block
        .kernels
        .iter()
        .map(|kernel| {
            vec![
                kernel.name.to_string(),
                format!("{:.3}", kernel.intensity()),
            ]
        })
        .collect();
    let mut out = vec![
        Piece::Line(title),
        Piece::Table(Table {
            said: rows
                .iter()
                .map(|row| format!("  {} FLOP/B", row.join(": ")))
                .collect(),
            columns: vec!["kernel".to_owned(), "FLOP/B".to_owned()],
            rows,
        }),
    ];
    let default = [Phrase {
        text: "h200".to_owned(),
        ..Phrase::default()
    }];
    for id in if gpus.is_empty() { &default[..] } else { gpus } {
        let gpu = desk.gpus()?.get(id.as_str())?;
        let mut memory = 0;
        for kernel in &cost.block.kernels {
            memory += usize::from(bound(kernel, gpu, config.dtype)? == plan::cost::Bound::Memory);
        }
        out.push(Piece::Line(format!(
            "  {}, data sheet: ridge {:.2} FLOP/B; {memory} of {} kernels are memory-bound.",
            gpu.name,
            ridge(gpu, config.dtype)?,
            cost.block.kernels.len()
        )));
    }
    Ok(out)
}

/// The top of a generated file, and what the reader makes of it.
fn profile(desk: &Desk, config: &Config, sample: &Sample) -> Result<Vec<Piece>, Failure> {
    let shown = sample
        .show(config, desk.gpus()?)
        .map_err(Failure::content)?;
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
