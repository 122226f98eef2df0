//! Live blocks in plain text: their numbers, and the command that runs them.

use super::answers::excerpt;
use super::claims;
use super::desk::{Desk, Runs};
use super::failure::Failure;
use super::words::{counted, quoted};
use crate::answer::{Env, Expr};
use crate::app::live::ask::{Of, Wanted, op_named};
use crate::backend::gym;
use crate::cost::{Config, Cost, bound, floor_seconds, price, ridge};
use crate::course::{Block, Cell, Ledger, Lesson, Live, Phrase, Series, print, swept};
use crate::fusion::{Cut, Fusion, Version};
use crate::run::{BackendKind, Metric, MicroRequest};
use crate::units::{Quantity, format};

/// The lines of a block.
pub(super) fn lines(desk: &Desk, lesson: &Lesson, live: &Live) -> Result<Vec<String>, Failure> {
    let runs = Runs::default();
    let env = desk.env(&lesson.setup.with(&live.setup), &runs)?;
    let mut out = Vec::new();
    for predict in &live.predict {
        out.push(format!(
            "Predict before you read on: {}",
            desk.filled(predict.ask.as_str(), &env)
        ));
    }
    match &live.content {
        Err(faults) => {
            out.push(format!("Live block {}, which cannot be read:", live.kind));
            out.extend(faults.iter().map(ToString::to_string));
        }
        Ok(block) => out.extend(block_lines(desk, block, &env)?),
    }
    Ok(out)
}

fn block_lines(desk: &Desk, block: &Block, env: &Env<'_>) -> Result<Vec<String>, Failure> {
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
            let mut out = vec![format!("Claim {}: {}", claim.id.text, claim.title)];
            out.extend(claims::evidence(claim, &env));
            out
        }
        Block::Chart {
            x,
            range,
            unit,
            series,
            ..
        } => chart(env, x, range, unit.as_deref(), series),
        Block::Table { columns, rows } => table(desk, env, columns, rows),
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
        } => kernel(config, [op, version, source, part])?,
        Block::Steps { title, steps } => {
            let mut out = Vec::new();
            if let Some(title) = title {
                out.push(format!("{}:", title.as_str()));
            }
            for (number, step) in (1..).zip(steps) {
                out.push(format!("  {number}. {}", desk.filled(step.as_str(), env)));
            }
            out
        }
        Block::Question { exercise, key } => {
            let found = desk.exercise(exercise.as_str())?;
            let key = match key {
                Some(key) => Some(desk.key(found, key.as_str())?),
                None => found.keys.first(),
            };
            match key {
                Some(key) => vec![
                    format!(
                        "Question {} {}: {}",
                        found.id,
                        key.name.as_str(),
                        desk.filled(key.ask.as_str(), env)
                    ),
                    format!(
                        "  Command: tinyllama-tutor check {} --answer {}=...",
                        found.id,
                        key.name.as_str()
                    ),
                ],
                None => Vec::new(),
            }
        }
    })
}

fn cut_of(config: &Config, plan: Option<&Phrase>) -> Result<Cut, Failure> {
    Ok(match plan {
        Some(plan) => Cut::parse(plan.as_str())?,
        None => config.cut,
    })
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

/// An experiment, run on the SIMT machine: it takes no time and no GPU.
fn micro(kernel: &str, sweep: &[u32], show: &[Metric]) -> Result<Vec<String>, Failure> {
    let report = gym::run(&MicroRequest::new(kernel, sweep, BackendKind::Simt)?)?;
    let (head, rows) = report.table(show);
    let mut out = vec![format!(
        "Experiment {kernel}, {} rows: {}.",
        rows.len(),
        head.join("; ")
    )];
    out.extend(rows.iter().map(|row| format!("  {}", row.join("; "))));
    out.extend(report.notes.iter().map(|note| format!("  {note}.")));
    let sweep: Vec<String> = report.rows.iter().map(|r| r.value.to_string()).collect();
    out.push(format!(
        "  Command: tinyllama-tutor micro {kernel} --sweep {}",
        sweep.join(",")
    ));
    Ok(out)
}

/// Lines of a kernel's source.
fn kernel(
    config: &Config,
    [op, version, source, part]: [&Option<Phrase>; 4],
) -> Result<Vec<String>, Failure> {
    let of = match (op, source) {
        (Some(op), _) => Of::Op(op_named(op.as_str()).map_err(Failure::usage)?),
        (None, source) => Of::File(source.as_ref().map_or("", |s| s.as_str()).to_owned()),
    };
    let cut = cut_of(&config.with_cut(Version::V1.cut()), version.as_ref())?;
    let excerpt = excerpt(&Wanted {
        config: config.with_cut(cut),
        gpu: "h200".to_owned(),
        of,
        part: part.as_ref().map(|p| p.text.clone()),
    })
    .map_err(Failure::usage)?;
    let mut out = vec![format!("Source of kernels/{}:", excerpt.file)];
    if !excerpt.idea.is_empty() {
        out.push(format!("  {}", excerpt.idea));
    }
    let lines = excerpt.lines.iter();
    out.extend(lines.map(|(number, text)| format!("  {number:4}  {text}").trim_end().to_owned()));
    if excerpt.more > 0 {
        out.push(format!(
            "  and {}.",
            counted(excerpt.more as u64, "more line")
        ));
    }
    out.extend(excerpt.facts.iter().map(|fact| format!("  {fact}")));
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
    if config.dtype != crate::model::Dtype::Fp32 {
        text += &format!(" --dtype {}", config.dtype.name());
    }
    text
}

fn lab(
    config: &Config,
    start: Option<&Phrase>,
    toggles: &[Phrase],
) -> Result<Vec<String>, Failure> {
    let cut = cut_of(config, start)?;
    let cost = price(&config.with_cut(cut))?;
    let mut out = vec![format!(
        "Live block lab, {}: {}.",
        cut.title(),
        summed(&cost)
    )];
    for toggle in toggles {
        let fusion = Fusion::parse(toggle.as_str())?;
        let flipped = price(&config.with_cut(cut.fuse(fusion)))?;
        out.push(format!("  with {}: {}.", fusion.name(), summed(&flipped)));
    }
    out.push(format!(
        "  Command: tinyllama-tutor run {} {}",
        options(config),
        cut.as_options()
    ));
    Ok(out)
}

fn compare(
    desk: &Desk,
    config: &Config,
    plans: &[Phrase],
    metrics: &[String],
    forward: bool,
) -> Result<Vec<String>, Failure> {
    let gpu = desk.gpus()?.get("h200")?;
    let mut out = vec![format!(
        "Compare, per {}, modelled:",
        if forward { "forward" } else { "block" }
    )];
    for plan in plans {
        let cut = Cut::parse(plan.as_str())?;
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
        out.push(format!("  {}: {}.", cut.title(), parts.join("; ")));
    }
    let names: Vec<&str> = plans.iter().map(Phrase::as_str).collect();
    out.push(format!(
        "  Command: tinyllama-tutor compare {} {} --run",
        names
            .iter()
            .map(|n| quoted(n))
            .collect::<Vec<_>>()
            .join(" "),
        options(config)
    ));
    Ok(out)
}

fn roofline(
    desk: &Desk,
    config: &Config,
    plan: Option<&Phrase>,
    gpus: &[Phrase],
) -> Result<Vec<String>, Failure> {
    let cut = cut_of(config, plan)?;
    let cost = price(&config.with_cut(cut))?;
    let mut out = vec![format!(
        "Roofline of {}, kernel by kernel, modelled:",
        cut.title()
    )];
    for kernel in &cost.block.kernels {
        out.push(format!(
            "  {}: {:.3} FLOP/B",
            kernel.name,
            kernel.intensity()
        ));
    }
    let default = [Phrase {
        text: "h200".to_owned(),
        ..Phrase::default()
    }];
    for id in if gpus.is_empty() { &default[..] } else { gpus } {
        let gpu = desk.gpus()?.get(id.as_str())?;
        let mut memory = 0;
        for kernel in &cost.block.kernels {
            memory += usize::from(bound(kernel, gpu, config.dtype)? == crate::cost::Bound::Memory);
        }
        out.push(format!(
            "  {}, data sheet: ridge {:.2} FLOP/B; {memory} of {} kernels are memory-bound.",
            gpu.name,
            ridge(gpu, config.dtype)?,
            cost.block.kernels.len()
        ));
    }
    Ok(out)
}

fn chart(
    env: &Env<'_>,
    x: &str,
    range: &[f64],
    unit: Option<&str>,
    series: &[Series],
) -> Vec<String> {
    let mut out = vec![format!("Chart over {x}, modelled:")];
    for s in series {
        let points: Vec<String> = range
            .iter()
            .map(|at| {
                let here = env.with(&swept(x, *at));
                let value = Expr::parse(s.y.as_str())
                    .and_then(|e| e.evaluate(&here))
                    .map_err(|e| e.to_string())
                    .and_then(|v| print(&v, unit));
                format!("{at}: {}", value.unwrap_or_else(|say| format!("({say})")))
            })
            .collect();
        let name = if s.name.is_empty() { x } else { &s.name };
        out.push(format!("  {name}: {}", points.join("; ")));
    }
    out
}

fn table(desk: &Desk, env: &Env<'_>, columns: &[Phrase], rows: &[Vec<Cell>]) -> Vec<String> {
    let heads: Vec<&str> = columns.iter().map(Phrase::as_str).collect();
    let mut out = vec![format!("Table, {} rows: {}.", rows.len(), heads.join("; "))];
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .map(|cell| match cell {
                Cell::Text(text) => desk.filled(text.as_str(), env),
                Cell::Number(inline) => inline
                    .show(env)
                    .unwrap_or_else(|(_, say)| format!("({say})")),
            })
            .collect();
        out.push(format!("  {}", cells.join("; ")));
    }
    out
}
