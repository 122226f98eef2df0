//! `cost`: the cost model of a plan, as a table, as JSON, or unfolded.

use clap::Args;

use super::Outcome;
use super::args::{OutputArgs, PlanArgs, SetupArgs, device};
use super::failure::Failure;
use super::out::Out;
use super::study::auto_of;
use super::table::{Align, Table};
use super::words::{counted, wrapped};
use plan::cost::{
    Cost, Figure, Gpu, GpuDatabase, KernelCost, Priced, Why, bound, cost_json, floor_seconds,
    kernel_floor_seconds, price, ridge, why,
};
use plan::units::{Column, Dimension, Quantity, format, group_thousands};

/// Longest name of a kernel that a table shows whole: `gate+up+silu+mul`.
const LONGEST_NAME: usize = 16;

/// The cost model of a plan: launches, FLOPs, bytes, intensity, floor.
#[derive(Debug, Args)]
pub(super) struct CostArgs {
    #[command(flatten)]
    plan: PlanArgs,
    #[command(flatten)]
    setup: SetupArgs,
    /// Unfold a figure into the terms that made it: block.bytes,
    /// kernel.softmax.bytes, forward.flops, peak, kv, params.tied …
    #[arg(long, value_name = "KEY")]
    why: Option<String>,
}

pub(super) fn cost(output: &OutputArgs, args: &CostArgs, out: &mut Out) -> Outcome {
    let mut config = args.setup.config(args.plan.cut_or_auto()?)?;
    let mut planned = None;
    let device = device(output);
    if args.plan.is_auto() {
        let auto = auto_of(&config, device)?;
        config.cut = auto.cut().map_err(Failure::usage)?;
        planned = Some(auto.source());
    }
    let cost = price(&config)?;
    if let Some(key) = &args.why {
        let tree = why(&cost, key)?;
        if output.json {
            out.json(&why_json(key, &tree));
        } else {
            unfold(&tree, out);
        }
        return Ok(0);
    }
    if output.json {
        out.json(&cost_json(&cost));
        return Ok(0);
    }
    let database = GpuDatabase::embedded()?;
    let gpu = database.get(device)?;
    if output.plain {
        spoken(&cost, gpu, out)?;
    } else {
        tables(&cost, gpu, out)?;
    }
    if let Some(source) = planned {
        out.lines(wrapped(&source, "note ", "     "));
    }
    Ok(0)
}

/// What is priced: `workshop B1 S128 fp32 · V1: 17 launches per block, …`.
pub(super) fn heading(cost: &Cost) -> String {
    format!(
        "{} · {}: {}",
        cost.config.title(),
        cost.config.effective_cut().title(),
        cost.counted_launches()
    )
}

/// A kernel's name; a long one by its first and its last op.
fn short(kernel: &KernelCost) -> String {
    match kernel.ops.as_slice() {
        [first, .., last] if kernel.name.len() > LONGEST_NAME => format!("{first}…{last}"),
        _ => kernel.name.clone(),
    }
}

fn tables(cost: &Cost, gpu: &Gpu, out: &mut Out) -> Result<(), Failure> {
    out.lines(wrapped(&heading(cost), "", "  "));
    out.gap();
    // Large sizes give up decimals before they leave the terminal.
    let mut table = table(cost, gpu, 3)?;
    if !table.fits() {
        table = self::table(cost, gpu, 1)?;
    }
    out.lines(table.lines());
    out.gap();
    out.lines(notes(cost, gpu)?);
    Ok(())
}

fn table(cost: &Cost, gpu: &Gpu, decimals: u8) -> Result<Table, Failure> {
    let dtype = cost.config.dtype;
    let block = &cost.block;
    // A sum of one kernel would say everything twice.
    let with_sum = block.kernels.len() > 1;
    let column = |of: fn(&KernelCost) -> u64, make: fn(u64) -> Quantity| -> Vec<Quantity> {
        let sum: u64 = block.kernels.iter().map(of).sum();
        let sum = with_sum.then_some(sum);
        block.kernels.iter().map(of).chain(sum).map(make).collect()
    };
    let bytes = column(KernelCost::bytes, Quantity::bytes);
    let flops = column(|k| k.flops, Quantity::flop);
    // The unit that suits the kernels; the sum may be a thousand of it.
    let unit = |all: &[Quantity]| {
        let kernels = all.get(..block.kernels.len()).unwrap_or(all);
        Column::fit(kernels).decimals(decimals)
    };
    let (byte_unit, flop_unit) = (unit(&bytes), unit(&flops));
    let in_bytes = |of: fn(&KernelCost) -> u64| byte_unit.cells(&column(of, Quantity::bytes));
    let mut intensities: Vec<f64> = block.kernels.iter().map(KernelCost::intensity).collect();
    let mut floors = Vec::new();
    let mut bounds = Vec::new();
    for kernel in &block.kernels {
        floors.push(Quantity::seconds(kernel_floor_seconds(kernel, gpu, dtype)?));
        bounds.push(bound(kernel, gpu, dtype)?.name().to_owned());
    }
    if with_sum {
        intensities.push(block.intensity());
        floors.push(Quantity::seconds(floor_seconds(block, gpu, dtype)?));
    }
    let floor_unit = Column::fit(&floors).decimals(3);
    let heads = [
        "kernel".to_owned(),
        format!("{} =", flop_unit.unit()),
        format!("{} =", byte_unit.unit()),
        "read".to_owned(),
        "weights".to_owned(),
        "written".to_owned(),
        "FLOP/B =".to_owned(),
        format!("floor {}", floor_unit.unit()),
        "bound".to_owned(),
    ];
    let last = heads.len() - 1;
    let heads: Vec<(&str, Align)> = heads
        .iter()
        .enumerate()
        .map(|(i, head)| match i == 0 || i == last {
            true => (head.as_str(), Align::Left),
            false => (head.as_str(), Align::Right),
        })
        .collect();
    let columns = [
        block
            .kernels
            .iter()
            .map(short)
            .chain(["block".to_owned()])
            .collect(),
        flop_unit.cells(&flops),
        byte_unit.cells(&bytes),
        in_bytes(|k| k.read_bytes),
        in_bytes(|k| k.weight_bytes),
        in_bytes(|k| k.written_bytes),
        intensities
            .iter()
            .map(|x| format!("{x:.*}", usize::from(decimals)))
            .collect(),
        floor_unit.cells(&floors),
        bounds,
    ];
    let mut table = Table::new(&heads);
    for row in 0..intensities.len() {
        if row == block.kernels.len() {
            table.rule();
        }
        let cell = |column: &Vec<String>| column.get(row).cloned().unwrap_or_default();
        table.row(columns.iter().map(cell).collect());
    }
    Ok(table)
}

/// The lines under the table.
fn notes(cost: &Cost, gpu: &Gpu) -> Result<Vec<String>, Failure> {
    let dtype = cost.config.dtype;
    let forward = &cost.forward;
    let conventions = &cost.config.conventions;
    let mut notes = vec![
        format!(
            "forward      {} in {}; {:.2} FLOP/B",
            format(&Quantity::flop(forward.flops)),
            counted(forward.launches(), "launch"),
            forward.intensity(),
        ),
        format!(
            "             {}, of them {} weights; floor {}, launches apart",
            format(&Quantity::bytes(forward.bytes())),
            format(&Quantity::bytes(forward.weight_bytes)),
            format(&Quantity::seconds(floor_seconds(forward, gpu, dtype)?)),
        ),
        format!(
            "memory       peak of activations {} ({}); KV cache {}",
            format(&Quantity::bytes(cost.peak.bytes)),
            cost.peak.kernel,
            format(&Quantity::bytes(cost.kv_cache_bytes)),
        ),
        format!(
            "parameters   {} with the head tied, {} with one of its own",
            group_thousands(i128::from(cost.parameters.0)),
            group_thousands(i128::from(cost.parameters.1)),
        ),
        format!(
            "roof         {}, data sheet: {}, {}",
            gpu.name,
            rate(gpu.peak_flops(dtype, true), Dimension::FlopPerSecond),
            rate(Some(gpu.bandwidth()), Dimension::BytesPerSecond),
        ),
        format!("             ridge {:.2} FLOP/B", ridge(gpu, dtype)?),
        format!(
            "counted      {} pairs, {}, RoPE {}{}",
            if conventions.exact_causal {
                "causal"
            } else {
                "dense"
            },
            if cost.config.keeps_kv() {
                "cache written"
            } else {
                "no cache"
            },
            if conventions.rope_split {
                "in two kernels"
            } else {
                "in one kernel"
            },
            if conventions.rope_table {
                " from a table"
            } else {
                ""
            },
        ),
        "             every figure is modelled (=); --why KEY unfolds one".to_owned(),
    ];
    if cost.shares_launch() {
        notes.push(
            "             all blocks share a launch: the table prices one alone, as in V4"
                .to_owned(),
        );
    }
    Ok(notes)
}

fn rate(value: Option<f64>, dimension: Dimension) -> String {
    value.map_or("no peak".to_owned(), |v| {
        format(&Quantity::new(v, dimension))
    })
}

/// Reading order, units in words.
fn spoken(cost: &Cost, gpu: &Gpu, out: &mut Out) -> Result<(), Failure> {
    let dtype = cost.config.dtype;
    out.line(format!("## {}", heading(cost).replace(" ·", ",")));
    let total = cost.block.kernels.len();
    for (index, kernel) in cost.block.kernels.iter().enumerate() {
        out.line(format!(
            "kernel {} of {total}: {}, one launch, {} modelled, {} modelled, {:.2} FLOP per byte, {}-bound.",
            index + 1,
            kernel.ops.join(" "),
            format(&Quantity::flop(kernel.flops)),
            format(&Quantity::bytes(kernel.bytes())),
            kernel.intensity(),
            bound(kernel, gpu, dtype)?.name(),
        ));
    }
    let sums = |what: &str, p: &Priced| {
        format!(
            "{what}: {}; {}; {}, of them {} weights; {:.2} FLOP per byte.",
            counted(p.launches(), "launch"),
            format(&Quantity::flop(p.flops)),
            format(&Quantity::bytes(p.bytes())),
            format(&Quantity::bytes(p.weight_bytes)),
            p.intensity()
        )
    };
    out.line(sums("block, modelled", &cost.block));
    out.line(sums("forward, modelled", &cost.forward));
    for note in notes(cost, gpu)?.iter().skip(2) {
        out.line(note.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    Ok(())
}

/// A figure with its unit; exact ones in full.
fn figure(why: &Why) -> String {
    let number = match why.value {
        Figure::Exact(n) => group_thousands(i128::from(n)),
        Figure::Real(x) => format!("{x:.4}"),
    };
    format!("{number} {}", why.unit.name())
        .trim_end()
        .to_owned()
}

/// Columns of a terminal.
const TERMINAL: usize = 80;

fn unfold(tree: &Why, out: &mut Out) {
    let rows = tree.flatten();
    let label = |depth: usize, w: &Why| format!("{}{}", "  ".repeat(depth), w.label);
    let width = rows
        .iter()
        .map(|(d, w)| label(*d, w).chars().count())
        .max()
        .unwrap_or(0);
    let figures = rows.iter().map(|(_, w)| figure(w).len()).max().unwrap_or(0);
    for (depth, w) in rows {
        let head = format!("{:<width$}  {:>figures$} =", label(depth, w), figure(w));
        let formula = match w.formula.is_empty() {
            true => String::new(),
            false => format!("{} = {}", w.formula, w.numbers),
        };
        let note = match w.note.is_empty() {
            true => String::new(),
            false => format!("({})", w.note),
        };
        out.lines(beside(head, &[formula, note], 2 * depth + 4));
    }
}

/// Parts behind a head, each whole on its line: what has no room goes on below, `indent`
/// columns in.
fn beside(head: String, parts: &[String], indent: usize) -> Vec<String> {
    let mut lines = vec![head];
    let indent = " ".repeat(indent);
    for part in parts.iter().filter(|part| !part.is_empty()) {
        match lines.last_mut() {
            Some(line) if text::width(line) + 2 + text::width(part) <= TERMINAL => {
                *line += &format!("  {part}");
            }
            _ => lines.extend(wrapped(part, &indent, &indent)),
        }
    }
    lines
}

fn why_json(key: &str, tree: &Why) -> serde_json::Value {
    fn node(w: &Why) -> serde_json::Value {
        serde_json::json!({
            "label": w.label,
            "value": match w.value {
                Figure::Exact(n) => serde_json::json!(n),
                Figure::Real(x) => serde_json::json!(x),
            },
            "unit": w.unit.name(),
            "formula": w.formula,
            "numbers": w.numbers,
            "note": w.note,
            "terms": w.terms.iter().map(node).collect::<Vec<_>>(),
        })
    }
    serde_json::json!({ "schema": 1, "key": key, "why": node(tree) })
}
