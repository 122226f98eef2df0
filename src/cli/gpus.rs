//! `gpus`: the database, with ridges, sources and what is unconfirmed.

use std::collections::BTreeMap;

use clap::Args;

use super::Outcome;
use super::args::OutputArgs;
use super::out::Out;
use super::table::{Align, Table};
use super::words::wrapped;
use plan::cost::{GpuDatabase, ridge};
use plan::model::Dtype;
use plan::units::figure;

/// The GPU database, or one GPU with the source of every value.
#[derive(Debug, Args)]
pub(super) struct GpusArgs {
    /// Show one GPU in full
    id: Option<String>,
}

pub(super) fn gpus(output: &OutputArgs, args: &GpusArgs, out: &mut Out) -> Outcome {
    let database = GpuDatabase::embedded()?;
    if let Some(id) = &args.id {
        return one(&database, id, output, out);
    }
    if output.json {
        out.json(&serde_json::json!({
            "schema": 1,
            "gpus": database.all().iter().map(|g| serde_json::json!({
                "id": g.id, "name": g.name, "arch": g.arch,
                "bandwidth_gbs": g.bandwidth_gbs, "fp32_tflops": g.fp32_tflops,
                "bf16_tflops": g.bf16_tflops,
                "ridge_fp32": ridge(g, Dtype::Fp32).ok(),
                "ridge_bf16": ridge(g, Dtype::Bf16).ok(),
                "warp_size": g.warp_size, "compute_units": g.compute_units,
                "sources": g.sources,
            })).collect::<Vec<_>>(),
        }));
        return Ok(0);
    }
    let mut table = Table::new(&[
        ("id", Align::Left),
        ("name", Align::Left),
        ("arch", Align::Left),
        ("GB/s", Align::Right),
        ("fp32", Align::Right),
        ("bf16", Align::Right),
        ("ridge =", Align::Right),
        ("bf16 =", Align::Right),
    ]);
    for gpu in database.all() {
        // A blank where no mark stands keeps the points below each other.
        let mark = |key: &str| if gpu.is_unconfirmed(key) { "?" } else { " " };
        let ridge = |dtype| ridge(gpu, dtype).map_or("–".to_owned(), |r| figure::fixed(r, 2));
        table.row(vec![
            gpu.id.clone(),
            short(&gpu.name).to_owned(),
            gpu.arch.clone(),
            format!("{:.0}{}", gpu.bandwidth_gbs, mark("bandwidth_gbs")),
            format!("{:.1}{}", gpu.fp32_tflops, mark("fp32_tflops")),
            gpu.bf16_tflops.map_or("– ".to_owned(), |t| {
                format!("{t:.1}{}", mark("bf16_tflops"))
            }),
            ridge(Dtype::Fp32),
            ridge(Dtype::Bf16),
        ]);
    }
    out.lines(table.lines());
    out.gap();
    out.line("Data-sheet peaks in TFLOP/s, dense, at boost clock. Ridge of fp32 and of bf16 in");
    out.line("FLOP/B: peak / bandwidth. ? no vendor-grade source was found.");
    out.line("tinyllama-tutor gpus ID shows every value of one GPU with its source.");
    Ok(0)
}

/// The name without the vendor, whom the architecture tells, and without notes.
fn short(name: &str) -> &str {
    let name = name.split(" (").next().unwrap_or(name);
    ["NVIDIA ", "AMD "]
        .into_iter()
        .find_map(|vendor| name.strip_prefix(vendor))
        .unwrap_or(name)
}

fn one(database: &GpuDatabase, id: &str, output: &OutputArgs, out: &mut Out) -> Outcome {
    let gpu = database.get(id)?;
    let values = serde_json::to_value(gpu).unwrap_or_default();
    if output.json {
        let documents: BTreeMap<_, _> = database.documents_of(gpu).into_iter().collect();
        out.json(&serde_json::json!({ "schema": 1, "gpu": values, "documents": documents }));
        return Ok(0);
    }
    out.line(format!("{} ({})", gpu.name, gpu.id));
    let mut table = Table::new(&[
        ("key", Align::Left),
        ("value", Align::Right),
        ("source", Align::Left),
    ]);
    if let Some(map) = values.as_object() {
        for (key, value) in map {
            if matches!(key.as_str(), "sources" | "id" | "name") || value.is_null() {
                continue;
            }
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            let source = gpu.sources.get(key).cloned().unwrap_or_default();
            table.row(vec![key.clone(), text, source]);
        }
    }
    out.lines(table.lines());
    out.gap();
    out.line("The sources, by letter and number:");
    for (id, name) in database.documents_of(gpu) {
        out.lines(wrapped(name, &format!("  {id:<4} "), "       "));
    }
    Ok(0)
}
