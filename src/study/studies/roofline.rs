//! Kernels as measured points under the roofs of the machine, and where the time goes.

use super::timeline::{kinds, recorded, trace_of};
use crate::catalogue::{Definition, Study};
use crate::evidence::{Asks, Evidence};
use crate::findings::{Column, Findings, Sheet};
use crate::timing::Agreed;
use plan::cost::{Bound, Config, GpuDatabase, KernelCost, Planned, Roof};
use plan::model::Dtype;
use plan::run::{Axis, Request, SpanReport};

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
        let costs = &planned.cost.forward.kernels;
        let mut kinds: Vec<Kind<'_>> = kinds(&trace.spans)
            .into_iter()
            .filter_map(|(name, spans)| kind(name, &spans, costs, roofs.as_ref()))
            .collect();
        kinds.sort_by(|a, b| b.time.total_cmp(&a.time));
        found.sentences = sentences(&kinds, roofs.as_ref());
        found.sheets = vec![hotspots(&kinds), points(&kinds)];
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
        said: format!("the roofs of {}'s data sheet, not measured", gpu.name),
    }))
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
    })
}

/// Seconds below which a kernel is mostly its start and its end.
const SMALL: f64 = 5e-6;
/// A share of the roof from which on a kernel is near it.
const NEAR: f64 = 0.6;

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
        (part, Bound::Compute) if part >= NEAR => "near its roof: leave it",
        _ if each < SMALL => "too small: fuse it, more rows",
        (_, Bound::Memory) => "loads: wider, side by side, more",
        (_, Bound::Compute) => "tile, matrix unit: study tune",
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
fn points(kinds: &[Kind<'_>]) -> Sheet {
    let mut sheet = Sheet::new(
        "points",
        [
            Column::given("kernel"),
            Column::modelled("FLOP/B", "", 2),
            Column::measured("GFLOP/s", "", 1),
            Column::modelled("roof there", "GFLOP/s", 1),
            Column::measured("GB/s", "", 1),
            Column::given("meets first"),
        ],
    );
    for kind in kinds {
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

fn sentences(kinds: &[Kind<'_>], roofs: Option<&Roofs>) -> Vec<String> {
    let whole: f64 = kinds.iter().map(|k| k.time).sum();
    let Some(roofs) = roofs else {
        return vec![format!(
            "The kernels take {:.1} µs @; no roof of this machine is known to set them under.",
            1e6 * whole
        )];
    };
    let floor: f64 = kinds.iter().map(|k| k.floor).sum();
    let mut said = vec![format!(
        "The kernels take {:.1} µs @; their roofs ask for {:.1} µs, {:.0} %: {}.",
        1e6 * whole,
        1e6 * floor,
        100.0 * floor / whole,
        roofs.said
    )];
    // What most is to be had from: time above the roof, not time.
    let above = |kind: &Kind<'_>| (kind.time - kind.floor).max(0.0);
    let mut by: Vec<&Kind<'_>> = kinds.iter().collect();
    by.sort_by(|a, b| above(b).total_cmp(&above(a)));
    let rest: f64 = kinds.iter().map(above).sum();
    match by.as_slice() {
        [first, second, ..] if above(first) - above(second) <= first.spread + second.spread => {
            said.push(format!(
                "Of the time above the roofs {} and {} have most, {:.0} % and {:.0} % @; which has more is within their spread.",
                first.name,
                second.name,
                100.0 * above(first) / rest,
                100.0 * above(second) / rest
            ));
        }
        [first, ..] if rest > 0.0 => said.push(format!(
            "Of the time above the roofs {} has most, {:.0} % @: {}.",
            first.name,
            100.0 * above(first) / rest,
            try_this(first)
        )),
        _ => {}
    }
    let fast: Vec<&str> = kinds
        .iter()
        .filter(|k| k.bound == Some(Bound::Memory) && k.floor > k.time + k.spread)
        .map(|k| k.name)
        .collect();
    if !fast.is_empty() {
        said.push(format!(
            "Faster than memory allows @: {}; what they read was still in a cache.",
            fast.join(", ")
        ));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence;
    use crate::timing::{Rounds, report};
    use plan::cost::price;
    use plan::fusion::Version;
    use plan::run::{RunError, TraceReport};

    fn study() -> Roofline {
        let config = Config::preset("workshop", Version::V2.cut()).unwrap();
        Roofline {
            run: Request::new(config),
        }
    }

    /// A run in which each kernel takes `times` its floor under 10 GB/s and 100 GFLOP/s.
    fn evidence(times: impl Fn(&str) -> f64) -> Evidence {
        let study = study();
        let roof = Roof {
            flops_per_second: 1e11,
            bytes_per_second: 1e10,
        };
        let cost = price(&study.run.config).unwrap();
        let mut at = 0.0;
        let spans = cost.forward.kernels.iter().enumerate().map(|(kernel, k)| {
            let took = 1e6 * roof.floor_seconds(k.flops, k.bytes()) * times(&k.name);
            at += took;
            SpanReport {
                name: k.name.clone(),
                kernel,
                from: at - took,
                to: at,
                took: vec![took],
            }
        });
        let mut made = report(&[]);
        made.trace = Some(TraceReport {
            axis: Axis::Microseconds,
            how: "a clock".into(),
            forwards: 1,
            spans: spans.collect(),
            phases: Vec::new(),
        });
        let mut rounds = Rounds::new(study.asks().runs, 1);
        rounds.take(Ok(made));
        let agreed = |rate| Agreed { rate, spread: 0.01 };
        Evidence {
            roofs: Some(Ok(evidence::Roofs {
                of: "this CPU".into(),
                bandwidth: agreed(1e10),
                fp32: agreed(1e11),
                matrix16: None,
                read: None,
                launch: None,
                barrier: None,
                notes: Vec::new(),
            })),
            ..rounds.into()
        }
    }

    #[test]
    fn every_kernel_at_twice_its_floor_is_half_of_the_roof() {
        let found = study().reduce(&evidence(|_| 2.0)).unwrap();
        assert!(found.sentences[0].contains(", 50 %: the roofs of this CPU, measured @"));
        for row in &found.sheets[0].rows {
            assert!(
                matches!(row[5], crate::findings::Cell::Number(p) if (p - 50.0).abs() < 1e-6),
                "{row:?}"
            );
        }
        // V2's products of 128 rows are above the ridge of 10 FLOP/B, its norms below.
        let bound = |name: &str| {
            let row = found.sheets[1]
                .rows
                .iter()
                .find(|row| row[0] == name.into());
            row.unwrap()[5].clone()
        };
        assert_eq!(
            (bound("down"), bound("norm1")),
            ("compute".into(), "memory".into())
        );
    }

    #[test]
    fn the_time_above_the_roof_says_where_to_look() {
        // All at their roof but down, at three times: all of the rest is there.
        let slow = |name: &str| if name == "down" { 3.0 } else { 1.0 };
        let found = study().reduce(&evidence(slow)).unwrap();
        assert!(
            found.sentences[1].starts_with("Of the time above the roofs down has most, 100 % @"),
            "{:?}",
            found.sentences
        );
        // A norm in half the time that memory takes.
        let cached = |name: &str| if name == "norm1" { 0.5 } else { 1.5 };
        let found = study().reduce(&evidence(cached)).unwrap();
        let said = found.sentences.last().unwrap();
        assert_eq!(
            said,
            "Faster than memory allows @: norm1; what they read was still in a cache."
        );
    }

    #[test]
    fn without_roofs_the_times_stand_alone() {
        let mut evidence = evidence(|_| 2.0);
        evidence.roofs = Some(Err(RunError::failed("a busy machine")));
        let found = study().reduce(&evidence).unwrap();
        assert!(
            found.sentences[0].ends_with("no roof of this machine is known to set them under.")
        );
        assert_eq!(
            (found.sentences.len(), found.notes[0].as_str()),
            (1, "a busy machine")
        );
        let row = &found.sheets[0].rows[0];
        assert_eq!(
            (&row[5], &row[6]),
            (&crate::findings::Cell::NONE, &"–".into())
        );
    }

    #[test]
    fn what_is_to_be_tried_follows_from_part_and_side() {
        let kind = |time: f64, floor: f64, bound| Kind {
            name: "k",
            kernels: 1,
            time,
            spread: 0.0,
            flops: 1.0,
            bytes: 1.0,
            floor,
            bound: Some(bound),
            attainable: 1.0,
        };
        for (time, floor, bound, says) in [
            (1e-3, 2e-3, Bound::Memory, "cache"),
            (1e-3, 8e-4, Bound::Memory, "fewer bytes"),
            (1e-3, 8e-4, Bound::Compute, "leave it"),
            (1e-5, 1e-6, Bound::Memory, "too small"),
            (1e-3, 1e-4, Bound::Memory, "loads"),
            (1e-3, 1e-4, Bound::Compute, "tile"),
        ] {
            assert!(try_this(&kind(time, floor, bound)).contains(says), "{says}");
        }
    }
}
