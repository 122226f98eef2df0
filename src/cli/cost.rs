//! `cost`: the cost model of a plan, as a table, as JSON, or unfolded.

use clap::Args;

use super::Outcome;
use super::args::{OutputArgs, PlanArgs, SetupArgs};
use super::out::Out;
use super::table::{Align, Table};
use crate::cost::{
    Cost, Figure, Gpu, GpuDatabase, KernelCost, Priced, Why, bound, cost_json, floor_seconds,
    kernel_floor_seconds, price, ridge, why,
};
use crate::units::{Column, Dimension, Quantity, format, group_thousands};

/// The cost model of a plan: launches, FLOPs, bytes, intensity, floor.
#[derive(Debug, Args)]
pub(super) struct CostArgs {
    #[command(flatten)]
    plan: PlanArgs,
    #[command(flatten)]
    setup: SetupArgs,
    /// Whose roofline judges the kernels (see `gpus`)
    #[arg(long, value_name = "GPU", default_value = "h200")]
    gpu: String,
    /// Unfold a figure into the terms that made it: block.bytes,
    /// kernel.softmax.bytes, forward.flops, peak, kv, params.tied …
    #[arg(long, value_name = "KEY")]
    why: Option<String>,
}

pub(super) fn cost(output: &OutputArgs, args: &CostArgs, out: &mut Out) -> Outcome {
    let config = args.setup.config(args.plan.cut()?)?;
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
    let gpu = database.get(&args.gpu)?;
    if output.plain {
        spoken(&cost, gpu, out)?;
    } else {
        tables(&cost, gpu, output.ascii, out)?;
    }
    Ok(0)
}

/// What is priced: `workshop B1 S128 fp32 · V1`.
pub(super) fn heading(cost: &Cost) -> String {
    let config = &cost.config;
    let context = if config.shape.has_past() {
        format!(" T{}", config.shape.context)
    } else {
        String::new()
    };
    format!(
        "{} B{} S{}{context} {} · {}: {} per block, {} per forward",
        config.model.name,
        config.shape.batch,
        config.shape.seq,
        config.dtype.name(),
        config.effective_cut().title(),
        launches(cost.block.launches()),
        group_thousands(i128::from(cost.forward.launches())),
    )
}

fn launches(n: u64) -> String {
    format!("{n} launch{}", if n == 1 { "" } else { "es" })
}

fn tables(cost: &Cost, gpu: &Gpu, ascii: bool, out: &mut Out) -> Result<(), super::Failure> {
    let dtype = cost.config.dtype;
    let heading = heading(cost);
    out.line(if ascii {
        heading.replace('·', "-")
    } else {
        heading
    });
    out.gap();
    let kernels = &cost.block.kernels;
    let of = |part: fn(&KernelCost) -> u64, total: u64, make: fn(u64) -> Quantity| {
        let values: Vec<Quantity> = kernels
            .iter()
            .map(|k| make(part(k)))
            .chain([make(total)])
            .collect();
        let column = Column::fit(&values).decimals(3);
        (column.unit(), column.cells(&values))
    };
    let (flop_unit, flops) = of(|k| k.flops, cost.block.flops, Quantity::flop);
    let (byte_unit, bytes) = of(KernelCost::bytes, cost.block.bytes(), Quantity::bytes);
    let in_bytes = |part: fn(&KernelCost) -> u64, total: u64| {
        let values: Vec<Quantity> = kernels
            .iter()
            .map(|k| Quantity::bytes(part(k)))
            .chain([Quantity::bytes(total)])
            .collect();
        Column::new(byte_unit, 3).cells(&values)
    };
    let block = &cost.block;
    let read = in_bytes(|k| k.read_bytes, block.read_bytes);
    let weights = in_bytes(|k| k.weight_bytes, block.weight_bytes);
    let written = in_bytes(|k| k.written_bytes, block.written_bytes);
    let mut floors = Vec::new();
    for kernel in kernels {
        floors.push(Quantity::seconds(kernel_floor_seconds(kernel, gpu, dtype)?));
    }
    floors.push(Quantity::seconds(floor_seconds(block, gpu, dtype)?));
    let floor_column = Column::fit(&floors);
    let floors_text = floor_column.cells(&floors);
    let head = [
        ("kernel".to_owned(), Align::Left),
        (format!("{flop_unit} ="), Align::Right),
        (format!("{byte_unit} ="), Align::Right),
        ("read".to_owned(), Align::Right),
        ("weights".to_owned(), Align::Right),
        ("written".to_owned(), Align::Right),
        ("FLOP/B =".to_owned(), Align::Right),
        (
            format!("floor {} =", symbol(floor_column, ascii)),
            Align::Right,
        ),
        ("bound by".to_owned(), Align::Left),
    ];
    let head: Vec<(&str, Align)> = head.iter().map(|(h, a)| (h.as_str(), *a)).collect();
    let mut table = Table::new(&head);
    for i in 0..=kernels.len() {
        let kernel = kernels.get(i);
        let intensity = kernel.map_or(block.intensity(), KernelCost::intensity);
        if kernel.is_none() {
            table.rule();
        }
        let cell = |column: &[String]| column.get(i).cloned().unwrap_or_default();
        table.row(vec![
            kernel.map_or("block".to_owned(), |k| k.name.clone()),
            cell(&flops),
            cell(&bytes),
            cell(&read),
            cell(&weights),
            cell(&written),
            format!("{intensity:.3}"),
            cell(&floors_text),
            match kernel {
                Some(k) => bound(k, gpu, dtype)?.name().to_owned(),
                None => String::new(),
            },
        ]);
    }
    for line in table.lines(ascii) {
        out.line(line);
    }
    out.gap();
    for line in notes(cost, gpu)? {
        out.line(if ascii {
            line.replace('µ', "u").replace('·', "-")
        } else {
            line
        });
    }
    Ok(())
}

fn symbol(column: Column, ascii: bool) -> &'static str {
    if ascii {
        column.unit().ascii()
    } else {
        column.unit().symbol()
    }
}

/// The lines under the table.
fn notes(cost: &Cost, gpu: &Gpu) -> Result<Vec<String>, super::Failure> {
    let dtype = cost.config.dtype;
    let forward = &cost.forward;
    let conventions = &cost.config.conventions;
    let mut notes = vec![
        format!(
            "forward      {} in {}; {:.2} FLOP/B",
            format(&Quantity::flop(forward.flops)),
            launches(forward.launches()),
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
            "roof         {}, data sheet: {}, {}, ridge {:.2} FLOP/B",
            gpu.name,
            rate(gpu.peak_flops(dtype, true), Dimension::FlopPerSecond),
            rate(Some(gpu.bandwidth()), Dimension::BytesPerSecond),
            ridge(gpu, dtype)?,
        ),
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
    if cost
        .config
        .effective_cut()
        .fusions()
        .contains(&crate::fusion::Fusion::Forward)
    {
        notes.push(
            "             a fused forward has no launch per block: it is priced alone, as V4"
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
fn spoken(cost: &Cost, gpu: &Gpu, out: &mut Out) -> Result<(), super::Failure> {
    let dtype = cost.config.dtype;
    out.line(format!("## {}", heading(cost).replace('·', ",")));
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
            launches(p.launches()),
            format(&Quantity::flop(p.flops)),
            format(&Quantity::bytes(p.bytes())),
            format(&Quantity::bytes(p.weight_bytes)),
            p.intensity()
        )
    };
    out.line(sums("block, modelled", &cost.block));
    out.line(sums("forward, modelled", &cost.forward));
    for note in notes(cost, gpu)?.iter().skip(1) {
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
        let mut text = format!("{:<width$}  {:>figures$} =", label(depth, w), figure(w));
        if !w.formula.is_empty() {
            text += &format!("  {} = {}", w.formula, w.numbers);
        }
        if !w.note.is_empty() {
            text += &format!("  ({})", w.note);
        }
        out.line(text);
    }
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
