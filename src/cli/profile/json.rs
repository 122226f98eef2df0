//! The reading of a profile as JSON.

use std::path::Path;

use super::roof::Roof;
use plan::cost::Gpu;
use study::profile::framework::{Breakdown, merit};
use study::profile::{Asked, By, Limit, MeasuredRoofs, Pair, Profile, Reading};

pub(super) fn document(
    path: &Path,
    profile: &Profile,
    reading: &Reading,
    roof: &Roof<'_>,
) -> serde_json::Value {
    let gpu = roof.gpu;
    let plan = reading.explained.as_ref().map(|found| {
        serde_json::json!({
            "title": found.cut.title(),
            "options": found.cut.as_options(),
            "layers": found.layers,
            "forwards": found.forwards,
            "by": match found.by {
                By::Names => "names",
                By::Entries => "entries",
                By::Calls => "calls",
            },
            "beside": found.beside,
            "others": found.others.iter().map(|cut| cut.as_options()).collect::<Vec<_>>(),
        })
    });
    let limit = reading.limit.as_ref().map(|limit| {
        let (first, second) = match limit {
            Limit::Launches(idle, gap) => (("idle", *idle), ("mean_gap_ns", *gap)),
            Limit::Host(idle, gap) => (("idle", *idle), ("longest_gap_ns", *gap)),
            Limit::Latency(mean, floor) => (("mean_ns", *mean), ("floor_ns", *floor)),
            Limit::Memory(i, ridge) | Limit::Compute(i, ridge) => {
                (("intensity", *i), ("ridge", *ridge))
            }
        };
        serde_json::json!({ "name": limit.name(), (first.0): first.1, (second.0): second.1 })
    });
    serde_json::json!({
        "schema": 1,
        "file": path,
        "tool": profile.tool.name(),
        "generated": profile.generated,
        "gpu": gpu.id,
        "roof": roof.json(),
        "calls": reading.calls,
        "kernel_ns": reading.kernel_ns,
        "plan": plan.as_ref().ok(),
        "layers_of_the_model_named": reading.other_layers,
        "unexplained": reading.explained.as_ref().err().map(ToString::to_string),
        "launches": reading.launches.map(|(counted, planned)| {
            serde_json::json!({ "counted": counted, "planned": planned })
        }),
        "kernels": reading.rows.iter().map(|row| serde_json::json!({
            "name": row.name, "calls": row.calls, "share": row.share,
            "mean_ns": row.mean_ns, "floor_seconds": row.floor_seconds,
            "modelled_bytes": row.modelled_bytes, "dram_bytes": row.dram_bytes,
            "registers": row.resources.registers,
            "accumulation_registers": row.resources.accumulation,
            "shared_bytes": row.resources.shared, "threads": row.resources.threads,
        })).collect::<Vec<_>>(),
        "serialised": reading.serialised,
        "walls": reading.walls.iter().map(|wall| serde_json::json!({
            "device": wall.device, "wall_ns": wall.wall_ns, "busy_ns": wall.busy_ns,
            "kernel_ns": wall.kernel_ns, "gaps": wall.gaps,
            "longest_gap_ns": wall.longest_gap_ns, "idle": wall.idle(),
        })).collect::<Vec<_>>(),
        "framework": reading.framework.as_ref().map(|found| framework(found, reading, gpu)),
        "metrics": profile.metrics.iter().map(|metric| serde_json::json!({
            "name": metric.name, "value": metric.value, "unit": metric.unit,
            "of_peak": metric.of_peak,
        })).collect::<Vec<_>>(),
        "device": profile.device,
        "cut_short": profile.cut_short,
        "launches_without_order": profile.beyond,
        "dram": reading.dram.map(|dram| serde_json::json!({
            "measured_bytes": dram.measured, "modelled_bytes": dram.modelled,
            "ratio": dram.ratio(),
        })),
        "counters_missing": reading.half.as_ref().map(|half| &half.missing),
        "limit": limit,
    })
}

/// What a framework launched.
fn framework(found: &Breakdown, reading: &Reading, gpu: &Gpu) -> serde_json::Value {
    let figures = reading
        .cost
        .as_ref()
        .and_then(|cost| merit(found, cost, gpu));
    serde_json::json!({
        "ordered": found.ordered,
        "forwards": found.forwards.len(),
        "layers": found.layers(),
        "explained": found.explained(),
        "kernel_ns": found.ns,
        "period_ns": found.period_ns,
        "joins_as": found.cut().map(|cut| cut.as_options()),
        "builds": found.builds().iter().map(|(layers, build, forwards)| serde_json::json!({
            "forwards": forwards, "layers": layers, "launches_a_layer": build.launches,
            "launches_a_norm": build.norm, "products_of_q_k_v": build.qkv,
            "attention_in_one": build.flash, "products_of_gate_up": build.gate_up,
        })).collect::<Vec<_>>(),
        "ops": found.rows.iter().map(|row| serde_json::json!({
            "op": row.part.name(), "component": row.part.component().name(),
            "calls": row.calls, "ns": row.ns, "whose": row.makers,
        })).collect::<Vec<_>>(),
        "tokens_per_second": figures.map(|f| f.tokens_per_second),
        "model_flops_utilisation": figures.and_then(|f| f.utilisation),
        "model_flops_utilisation_of_weights": figures.and_then(|f| f.of_weights),
    })
}

pub(super) fn pair(pair: &Pair) -> serde_json::Value {
    serde_json::json!({
        "of_forward": pair.of_forward,
        "of_ops": pair.of_ops,
        "launches": [pair.launches.0, pair.launches.1],
        "kernel_ns": [pair.ns.0, pair.ns.1],
        "wall_ns": pair.wall_ns.map(|(a, b)| [a, b]),
        "rows": pair.rows.iter().map(|row| serde_json::json!({
            "name": row.name,
            "before": row.before.map(|(calls, ns)| serde_json::json!({ "calls": calls, "ns": ns })),
            "after": row.after.map(|(calls, ns)| serde_json::json!({ "calls": calls, "ns": ns })),
        })).collect::<Vec<_>>(),
    })
}

pub(super) fn roofs(path: &Path, devices: &[MeasuredRoofs]) -> serde_json::Value {
    serde_json::json!({
        "schema": 1,
        "file": path,
        "roofs": devices.iter().map(|device| serde_json::json!({
            "device": device.device,
            "roofs": device.roofs.iter().map(|roof| serde_json::json!({
                "name": roof.name, "rate": roof.rate,
                "unit": if roof.operations { "FLOP/s" } else { "B/s" },
            })).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    })
}

/// What an exercise asks, of one's own file.
pub(super) fn questions(
    path: &Path,
    name: &str,
    asked: &[Asked],
    answers: bool,
) -> serde_json::Value {
    serde_json::json!({
        "schema": 1,
        "file": path,
        "like": name,
        "questions": asked.iter().map(|one| serde_json::json!({
            "key": one.key,
            "ask": one.ask,
            "in_this_file": one.answer.is_ok(),
            "answer": one.answer.as_ref().ok().filter(|_| answers),
            "else": one.answer.as_ref().err(),
        })).collect::<Vec<_>>(),
    })
}
