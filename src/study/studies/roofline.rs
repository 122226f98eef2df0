//! Kernels as measured points under the roofs of the machine, and where the time goes.

mod said;

use super::timeline::{kinds, recorded, trace_of};
use crate::catalogue::{Definition, Study};
use crate::evidence::{Asks, Evidence};
use crate::findings::{Column, Findings, Plot, Sheet, Source};
use crate::timing::Agreed;
use plan::cost::{Bound, Config, GpuDatabase, KernelCost, Planned, Roof};
use plan::model::Dtype;
use plan::run::{Axis, Request, SpanReport};
use said::sentences;

/// What it is.
pub const DEFINITION: Definition = Definition {
    name: "roofline",
    asks: "Which kernels take the time, how near is each to its roof, what is to be tried?",
    varies: "nothing",
    held: "plan, model, shape, device",
    finds: "each kernel's time in nine forwards (@), FLOPs and bytes (=), the machine's roofs (@), else those of a data sheet",
    reduced: "FLOP/s and share of the roof per kind of kernel, the longest first",
    ends: "how much of the time the roofs explain, and where most of the rest is",
    lessons: &["03"],
    models: false,
};

/// `study roofline`.
#[derive(Debug, Clone)]
pub struct Roofline {
    /// What is run.
    pub run: Request,
}

/// The two roofs of an element type, and whose they are.
struct Roofs {
    plain: Roof,
    product: Roof,
    /// Whether the device has units for products of matrices.
    matrix: bool,
    said: String,
}

/// A kind of kernel, all blocks together.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Kind<'k> {
    name: &'k str,
    kernels: usize,
    /// Seconds, and their median absolute deviation.
    time: f64,
    spread: f64,
    flops: f64,
    bytes: f64,
    /// Seconds that its roof asks for.
    floor: f64,
    bound: Option<Bound>,
    /// FLOP/s that its intensity may reach.
    attainable: f64,
    /// Whether the device has units for products of matrices.
    matrix: bool,
}

impl Kind<'_> {
    fn part(&self) -> f64 {
        self.floor / self.time
    }
}

impl Study for Roofline {
    fn definition(&self) -> &'static Definition {
        &DEFINITION
    }

    fn asks(&self) -> Asks {
        Asks {
            roofs: Some(self.run.backend),
            ..Asks::runs(vec![recorded(&self.run)])
        }
    }

    fn smaller(&self) -> &'static str {
        "fewer tokens with --seq, or a smaller --model"
    }

    /// The roofs, where kernels are faster than they allow.
    fn once_more(&self, evidence: &Evidence) -> Asks {
        let faster = || {
            let trace = trace_of(evidence).ok()?;
            let planned = Planned::of(&self.run.config).ok()?;
            let roofs = roofs(evidence, &self.run.config, &mut Vec::new()).ok()?;
            let kinds = under(&trace.spans, &planned, roofs.as_ref());
            (!faster(&kinds, Bound::Compute).is_empty()).then_some(self.run.backend)
        };
        Asks {
            roofs: matches!(&evidence.roofs, Some(Ok(_)))
                .then(faster)
                .flatten(),
            ..Asks::default()
        }
    }

    fn reduce(&self, evidence: &Evidence) -> Result<Findings, String> {
        let trace = trace_of(evidence)?;
        if trace.axis == Axis::Instructions {
            return Err("the SIMT machine has no clock, and a roof is a rate; study timeline --backend simt shows where its instructions are".to_owned());
        }
        let config = &self.run.config;
        let planned = Planned::of(config).map_err(|e| e.to_string())?;
        let mut found = Findings {
            title: format!("{}, {}", config.title(), config.effective_cut().title()),
            ..Findings::default()
        };
        let roofs = roofs(evidence, config, &mut found.notes)?;
        let kinds = under(&trace.spans, &planned, roofs.as_ref());
        found.sentences = sentences(&kinds, roofs.as_ref(), evidence.again);
        found.sheets = vec![hotspots(&kinds), points(&kinds, config)];
        found.plots = plot(&kinds, roofs.is_some());
        found.notes.push(trace.how.clone());
        Ok(found)
    }
}

/// The roofs that were measured, else those of the device's data sheet, else none.
fn roofs(
    evidence: &Evidence,
    config: &Config,
    notes: &mut Vec<String>,
) -> Result<Option<Roofs>, String> {
    let why = match &evidence.roofs {
        Some(Ok(measured)) => {
            notes.extend(measured.beside());
            notes.extend(measured.notes.iter().cloned());
            let rate = |flops: Agreed| Roof {
                flops_per_second: flops.rate,
                bytes_per_second: measured.bandwidth.rate,
            };
            let product = match config.dtype {
                Dtype::Bf16 => measured.matrix16.unwrap_or(measured.fp32),
                Dtype::Fp32 => measured.fp32,
            };
            return Ok(Some(Roofs {
                plain: rate(measured.fp32),
                product: rate(product),
                matrix: measured.matrix16.is_some(),
                said: format!(
                    "the roofs of {}, measured @ (copy {:.0} GB/s, products {:.0} GFLOP/s)",
                    measured.of,
                    measured.bandwidth.rate * 1e-9,
                    product.rate * 1e-9
                ),
            }));
        }
        Some(Err(why)) => why.to_string(),
        None => "no roof was measured".to_owned(),
    };
    let device = evidence.device().unwrap_or_default();
    let database = GpuDatabase::embedded().map_err(|e| e.to_string())?;
    notes.push(why);
    let Some(gpu) = database.named_in(&device) else {
        return Ok(None);
    };
    let roof = |product| Roof::of(gpu, config.dtype, product).map_err(|e| e.to_string());
    Ok(Some(Roofs {
        plain: roof(false)?,
        product: roof(true)?,
        matrix: true,
        said: format!("the roofs of {}'s data sheet, not measured", gpu.name),
    }))
}

/// The kinds of kernels under the roofs, the longest first.
fn under<'t>(spans: &'t [SpanReport], planned: &Planned, roofs: Option<&Roofs>) -> Vec<Kind<'t>> {
    let costs = &planned.cost.forward.kernels;
    let found = kinds(spans).into_iter();
    let mut found: Vec<Kind<'t>> = found
        .filter_map(|(name, spans)| kind(name, &spans, costs, roofs))
        .collect();
    found.sort_by(|a, b| b.time.total_cmp(&a.time));
    found
}

/// Kinds on a side of the ridge that take less time than that roof asks for, by more than
/// they spread.
fn faster<'k>(kinds: &[Kind<'k>], side: Bound) -> Vec<&'k str> {
    let of = kinds.iter().filter(|k| k.bound == Some(side));
    let fast = of.filter(|k| k.floor > k.time + k.spread);
    fast.map(|k| k.name).collect()
}

fn kind<'k>(
    name: &'k str,
    spans: &[&SpanReport],
    costs: &[KernelCost],
    roofs: Option<&Roofs>,
) -> Option<Kind<'k>> {
    let of: Vec<&KernelCost> = spans.iter().filter_map(|s| costs.get(s.kernel)).collect();
    let product = of.first()?.has_product();
    let roof = roofs.map(|roofs| match product {
        true => &roofs.product,
        false => &roofs.plain,
    });
    let flops: u64 = of.iter().map(|k| k.flops).sum();
    let bytes: u64 = of.iter().map(|k| k.bytes()).sum();
    // Without a roof there is no number, and a cell stays empty.
    let floor = |roof: &Roof| {
        of.iter()
            .map(|k| roof.floor_seconds(k.flops, k.bytes()))
            .sum()
    };
    let intensity = flops as f64 / bytes.max(1) as f64;
    Some(Kind {
        name,
        kernels: spans.len(),
        time: 1e-6 * spans.iter().map(|s| s.median()).sum::<f64>(),
        spread: 1e-6 * spans.iter().map(|s| s.mad()).sum::<f64>(),
        flops: flops as f64,
        bytes: bytes as f64,
        floor: roof.map_or(f64::NAN, floor),
        bound: roof.map(|roof| roof.bound(flops, bytes)),
        attainable: roof.map_or(f64::NAN, |roof| roof.attainable(intensity)),
        matrix: roofs.is_some_and(|roofs| roofs.matrix),
    })
}

/// Seconds below which a kernel is mostly its start and its end.
const SMALL: f64 = 5e-6;
/// A share of the roof from which on a kernel is near it.
const NEAR: f64 = 0.6;

/// What is said of a kernel of which no more is to be had.
const LEAVE: &str = "near its roof: leave it";

/// What is to be tried with a kernel that stands so below its roof.
fn try_this(kind: &Kind<'_>) -> &'static str {
    let Some(bound) = kind.bound else {
        return "–";
    };
    let each = kind.floor / kind.kernels.max(1) as f64;
    match (kind.part(), bound) {
        (part, Bound::Memory) if part > 1.0 => "its bytes sat in cache",
        (part, Bound::Compute) if part > 1.0 => "above the roof: measure it again",
        (part, Bound::Memory) if part >= NEAR => "fewer bytes: fuse it",
        (part, Bound::Compute) if part >= NEAR => LEAVE,
        _ if each < SMALL => "too small: fuse it, more rows",
        (_, Bound::Memory) => "loads: wider, side by side, more",
        (_, Bound::Compute) if kind.matrix => "tile, matrix unit: study tune",
        (_, Bound::Compute) => "tile: study tune",
    }
}

/// Where the time goes, the longest first.
fn hotspots(kinds: &[Kind<'_>]) -> Sheet {
    let mut sheet = Sheet::new(
        "hotspots",
        [
            Column::given("kernel"),
            Column::given("of"),
            Column::measured("time", "µs", 1),
            Column::measured("± dev.", "µs", 1),
            Column::measured("share", "%", 1),
            Column::measured("of roof", "%", 0),
            Column::given("to try"),
        ],
    );
    let whole: f64 = kinds.iter().map(|k| k.time).sum();
    for kind in kinds {
        sheet.rows.push(vec![
            kind.name.into(),
            kind.kernels.to_string().into(),
            (1e6 * kind.time).into(),
            (1e6 * kind.spread).into(),
            (100.0 * kind.time / whole).into(),
            (100.0 * kind.part()).into(),
            try_this(kind).into(),
        ]);
    }
    sheet
}

/// The same as points: intensity, what it reaches, what it might.
fn points(kinds: &[Kind<'_>], config: &Config) -> Sheet {
    let mut sheet = Sheet::new(
        "points",
        [
            Column::given("kernel"),
            Column::modelled("FLOP/B", "", 2).why("kernel.*.intensity"),
            Column::measured("GFLOP/s", "", 1),
            Column::modelled("roof there", "GFLOP/s", 1),
            Column::measured("GB/s", "", 1),
            Column::given("meets first"),
        ],
    );
    for kind in kinds {
        sheet.of.push(config.clone());
        sheet.rows.push(vec![
            kind.name.into(),
            (kind.flops / kind.bytes).into(),
            (1e-9 * kind.flops / kind.time).into(),
            (1e-9 * kind.attainable).into(),
            (1e-9 * kind.bytes / kind.time).into(),
            kind.bound.map(Bound::name).into(),
        ]);
    }
    sheet
}

/// What each kind reaches over its intensity, below what its roof allows there where one is
/// known.
fn plot(kinds: &[Kind<'_>], roofs: bool) -> Vec<Plot> {
    let mut by: Vec<&Kind<'_>> = kinds.iter().filter(|k| k.flops > 0.0).collect();
    by.sort_by(|a, b| (a.flops / a.bytes).total_cmp(&(b.flops / b.bytes)));
    let line = |of: &dyn Fn(&Kind<'_>) -> f64| by.iter().map(|k| Some(1e-9 * of(k))).collect();
    let roof = ("roof".to_owned(), Source::Given, line(&|k| k.attainable));
    let name = match roofs {
        true => "reached",
        false => "reached, no roof is known",
    };
    let reached = (
        name.to_owned(),
        Source::Measured,
        line(&|k| k.flops / k.time),
    );
    vec![Plot {
        x: "FLOP/B".to_owned(),
        at: by.iter().map(|k| k.flops / k.bytes).collect(),
        unit: "GFLOP/s".to_owned(),
        log: true,
        lines: roofs.then_some(roof).into_iter().chain([reached]).collect(),
    }]
}

#[cfg(test)]
mod tests;
