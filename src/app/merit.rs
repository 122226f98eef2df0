//! Figures of merit of runs, as the pages of plans and the shell show them: under the roofs
//! of the device that ran, and nobody else's.

use super::bench::Bench;
use super::machine::{Ceilings, Source};
use super::shared::Shared;
use course::present::Grid;
use plan::cost::{Cost, GpuDatabase};
use plan::model::Dtype;
use plan::run::{BackendKind, Report};
use study::lab::merit::{self, Merit, Roofs};

/// What of the figures stands in place of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// Nothing: the page itself.
    #[default]
    Off,
    /// The figures of its plans side by side.
    Figures,
    /// The kernels of one of them by time.
    Hotspots,
}

impl Pane {
    /// What the key goes to.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Off => Self::Figures,
            Self::Figures => Self::Hotspots,
            Self::Hotspots => Self::Off,
        }
    }
}

/// What a row of figures has behind it, where the terms are asked for.
pub const TERMS: &str =
    "MFU: FLOPs of the model, or 2 for each weight and token, over time and peak.";

/// The roofs of the device that a report is of: a GPU's by its data sheet, those of a CPU
/// and of a GPU without one as they were measured on the report's backend.
pub fn roofs(
    report: &Report,
    gpus: Option<&GpuDatabase>,
    measured: Option<&Ceilings>,
    dtype: Dtype,
) -> Option<Roofs> {
    let sheet = gpus.and_then(|gpus| Roofs::of_report(report, gpus, dtype));
    sheet.or_else(|| {
        let here = measured.filter(|c| c.source == Source::Measured)?;
        Some(Roofs {
            of: format!("{}, measured @", here.of),
            products: here.roof(dtype, true)?,
            others: here.roof(dtype, false)?,
        })
    })
}

/// The figures of a plan on the bench's setup; none where it was not run.
pub fn of(shared: &Shared, cost: &Cost) -> Option<Merit> {
    let report = report(shared, &shared.bench, cost)?;
    let mut backends = shared.machine.backends.iter();
    let ran = backends.find(|b| b.name == report.backend);
    let measured = ran.and_then(|b| b.ceilings.as_ref());
    let gpus = shared.study.gpus.as_deref();
    let roofs = roofs(report, gpus, measured, cost.config.dtype);
    Some(Merit::of(report, cost, roofs.as_ref()))
}

fn report<'s>(shared: &'s Shared, bench: &Bench, cost: &Cost) -> Option<&'s Report> {
    shared.runs.of(bench.setup(), cost.config.cut)
}

/// What a run would give, before there is one, a line each; the first says how.
pub fn before(shared: &Shared, run: &str) -> Vec<String> {
    let kind = shared.machine.kind();
    let mut lines = vec![format!(
        "{run} on {} it gives, of a whole forward,",
        kind.name()
    )];
    let held = "memory held: counted #, modelled =";
    if kind == BackendKind::Simt {
        lines.push(held.to_owned());
        lines.push("no times: the SIMT machine has no clock; p chooses another backend".to_owned());
        return lines;
    }
    let peak = match kind.is_gpu() {
        true => "its data sheet's peak",
        false => "the peak measured here (R on page 5)",
    };
    lines.extend([
        "tokens per second, and how far they spread @".to_owned(),
        format!("MFU, all FLOPs and 2 × weights, of {peak} @"),
        held.to_owned(),
        "time by component: attention, feed-forward, norms, residuals, ends @".to_owned(),
        "hotspots: kernels by time, their rates, their part of the roof @".to_owned(),
        "L2 hits: only run --counters in a shell, on a GPU @".to_owned(),
    ]);
    lines
}

/// The figures as rows for a spreadsheet: plans by name, and the hotspots of the one under
/// the cursor.
pub(super) fn numbers(plans: &[String], merits: &[Option<Merit>], at: usize) -> Vec<Grid> {
    let rows = merit::rows(merits).into_iter();
    let figures = Grid {
        head: std::iter::once("per forward".to_owned())
            .chain(plans.iter().cloned())
            .collect(),
        rows: rows
            .map(|row| {
                let label = row.label.trim().to_owned();
                std::iter::once(label).chain(row.cells).collect()
            })
            .collect(),
        ..Grid::default()
    };
    let times = merits.get(at).and_then(Option::as_ref);
    let hot = times.and_then(|m| m.times.as_ref()).map(|times| {
        let table = merit::hotspots(times, usize::MAX);
        Grid {
            head: table.head,
            rows: table.rows,
            ..Grid::default()
        }
    });
    std::iter::once(figures).chain(hot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::tests::report;

    #[test]
    fn a_device_has_its_data_sheet_or_what_was_measured_on_it() {
        let gpus = GpuDatabase::embedded().unwrap();
        let measured = Ceilings {
            of: "this device".into(),
            source: Source::Measured,
            bandwidth: 1e12,
            fp32: 2e12,
            matrix16: None,
            launch: None,
            spread: None,
        };
        for (backend, device, known, of) in [
            (
                "cuda",
                "NVIDIA H100 80GB HBM3 (sm_90a), CUDA 13.0 driver",
                true,
                Some("H100 SXM5, data sheet"),
            ),
            (
                "cuda",
                "NVIDIA Quantum 9000 (sm_200), CUDA 19.0 driver",
                true,
                Some("this device, measured @"),
            ),
            (
                "cuda",
                "NVIDIA Quantum 9000 (sm_200), CUDA 19.0 driver",
                false,
                None,
            ),
            (
                "cpu",
                "AMD EPYC, 2 threads, AVX-512",
                true,
                Some("this device, measured @"),
            ),
            ("cpu", "AMD EPYC, 2 threads, AVX-512", false, None),
        ] {
            let report = Report {
                backend: backend.into(),
                device: device.into(),
                ..report(71, 219.0)
            };
            let measured = Some(&measured).filter(|_| known);
            let found = roofs(&report, Some(&gpus), measured, Dtype::Fp32);
            assert_eq!(found.map(|roofs| roofs.of).as_deref(), of, "{device}");
        }
    }
}
