//! Figures of merit of runs, as reports of programs have them: tokens per second, memory
//! held beside what the model says, model FLOPs utilisation by both conventions.

use plan::cost::Gpu;
use plan::run::{BackendKind, Report};
use plan::units::{Column, Quantity};
use serde::Serialize;
use study::lab::Column as Compared;
use study::profile::framework::utilisation;

/// Those of one run.
#[derive(Debug, Default, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Merit {
    /// Tokens of all sequences that a forward takes in, over its median time.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens_per_second: Option<f64>,
    /// Bytes held by the model: weights, cache, peak of the activations.
    held_bytes_modelled: u64,
    /// Share of the matrix peak of the GPU that ran, all FLOPs of the model counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    model_flops_utilisation: Option<f64>,
    /// The same with two FLOPs for each weight and token.
    #[serde(skip_serializing_if = "Option::is_none")]
    model_flops_utilisation_of_weights: Option<f64>,
}

/// The figures of a run; none where nothing ran.
pub(super) fn merit(column: &Compared, gpu: &Gpu) -> Option<Merit> {
    let report = column.report.as_ref()?;
    let cost = &column.cost;
    let shape = &cost.config.shape;
    let seconds = report.time_us.as_ref().map(|t| 1e-6 * t.median);
    let seconds = seconds.filter(|s| *s > 0.0);
    let shares = seconds.filter(|_| ran_on(report, gpu));
    let [all, of_weights] = shares.map_or([None; 2], |s| utilisation(cost, gpu, s));
    Some(Merit {
        tokens_per_second: seconds.map(|s| (shape.batch * shape.seq) as f64 / s),
        held_bytes_modelled: cost.held(),
        model_flops_utilisation: all,
        model_flops_utilisation_of_weights: of_weights,
    })
}

/// Whether a run was made on this very GPU.
pub(super) fn ran_on(report: &Report, gpu: &Gpu) -> bool {
    let kind = BackendKind::parse(&report.backend);
    kind.is_ok_and(BackendKind::is_gpu) && gpu.is_named_in(&report.device)
}

/// A name and a cell for each run; what nobody has is left out.
pub(super) fn rows(columns: &[Compared], gpu: &Gpu) -> Vec<(String, Vec<String>)> {
    let all: Vec<Option<Merit>> = columns.iter().map(|c| merit(c, gpu)).collect();
    let mut rows = Vec::new();
    let mut row = |name: &str, of: &dyn Fn(&Merit) -> Option<String>| {
        let cells: Vec<Option<String>> = all.iter().map(|m| of(m.as_ref()?)).collect();
        if cells.iter().any(Option::is_some) {
            let cells = cells.into_iter().map(|cell| cell.unwrap_or("·".to_owned()));
            rows.push((name.to_owned(), cells.collect()));
        }
    };
    let share = |part: Option<f64>| part.map(|p| format!("{:.2} %", 100.0 * p));
    row("tokens/s @", &|m| {
        m.tokens_per_second.map(|rate| format!("{rate:.0}"))
    });
    row("  MFU, all FLOPs", &|m| share(m.model_flops_utilisation));
    row("  MFU, 2 × weights", &|m| {
        share(m.model_flops_utilisation_of_weights)
    });
    let held: Vec<Option<u64>> = columns
        .iter()
        .map(|c| c.report.as_ref()?.held_bytes)
        .collect();
    if held.iter().any(Option::is_some) {
        let modelled: Vec<Quantity> = columns
            .iter()
            .map(|c| Quantity::bytes(c.cost.held()))
            .collect();
        let counted = held.iter().flatten().map(|bytes| Quantity::bytes(*bytes));
        let both: Vec<Quantity> = modelled.iter().cloned().chain(counted).collect();
        let unit = Column::fit(&both).decimals(3);
        let cells = held.iter().map(|bytes| {
            bytes.map_or("·".to_owned(), |bytes| {
                unit.number(&Quantity::bytes(bytes))
            })
        });
        rows.push((format!("held {} #", unit.unit()), cells.collect()));
        rows.push(("  modelled =".to_owned(), unit.cells(&modelled)));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::cost::{Config, GpuDatabase};
    use plan::fusion::Version;
    use plan::model::Dtype;
    use plan::run::{BytesReport, LaunchReport, OutputReport, PlanReport, Timing};
    use study::lab::{Comparison, Scope};

    #[test]
    fn figures_follow_from_time_shape_and_peak() {
        let gpus = GpuDatabase::embedded().unwrap();
        let gpu = gpus.get("mi300x").unwrap();
        let mut config = Config::preset("workshop", Version::V1.cut()).unwrap();
        config.dtype = Dtype::Bf16;
        let one = [Version::V1.cut()];
        let mut comparison = Comparison::new(&config, &one, gpu, Scope::Forward).unwrap();
        let column = &mut comparison.columns[0];
        assert_eq!(merit(column, gpu), None);
        column.report = Some(Report {
            schema: 1,
            backend: "hip".into(),
            device: "AMD Instinct MI300X (gfx942), HIPRTC of ROCm 6.2.0".into(),
            plan: PlanReport {
                fusions: vec![],
                groups: String::new(),
                launches: 71,
            },
            launches: LaunchReport {
                counted: 71,
                library: 0,
            },
            time_us: Timing::of(&[1000.0], "a clock".to_owned()),
            bytes: BytesReport::default(),
            check: None,
            output: OutputReport {
                shape: vec![],
                sha256: String::new(),
                sample: vec![],
            },
            held_bytes: Some(1 << 20),
            trace: None,
            kernels: vec![],
            notes: vec![],
        });
        let found = merit(column, gpu).unwrap();
        // 128 tokens in a millisecond.
        assert_eq!(found.tokens_per_second.map(f64::round), Some(128_000.0));
        let flops = column.cost.forward.flops as f64;
        let peak = 1e12 * gpu.bf16_tflops.unwrap();
        let near = |a: Option<f64>, b: f64| (a.unwrap() / b - 1.0).abs() < 1e-9;
        assert!(near(found.model_flops_utilisation, flops / 1e-3 / peak));
        // 256,000 of the tied table, 256 of the last norm; each layer 196,608 of its
        // attention, 393,216 of its feed-forward, 512 of its norms.
        let weights = 256_000 + 256 + 4 * (196_608 + 393_216 + 512);
        let of_weights = 2.0 * f64::from(weights) * 128.0 / 1e-3 / peak;
        assert!(near(found.model_flops_utilisation_of_weights, of_weights));
        // Another device has another peak.
        let other = merit(column, gpus.get("h200").unwrap()).unwrap();
        assert_eq!(other.model_flops_utilisation, None);
        let names: Vec<String> = rows(&comparison.columns, gpu)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names.len(), 5);
        assert!(names[3].starts_with("held "), "{names:?}");
    }
}
