//! The backends of this machine, as the workshop and `doctor` show them.

use app::machine::{BackendFacts, Ceilings, Condition};
use backend::cpu::Isa;
use backend::engine;
use backend::{LocalRunner, device};
use plan::cost::{Gpu, GpuDatabase};
use plan::fusion::Fusion;
use plan::run::{BackendKind, BackendState};

/// What is known before anything was looked for.
pub(super) fn at_once() -> Vec<BackendFacts> {
    let searching = |kind: BackendKind| BackendFacts {
        name: kind.name().to_owned(),
        line: "…".to_owned(),
        gives: gives(kind).to_owned(),
        condition: Condition::Searching,
        ..BackendFacts::default()
    };
    let threads = device::threads();
    vec![
        searching(BackendKind::Cuda),
        searching(BackendKind::Hip),
        facts(LocalRunner::local().state(BackendKind::Simt)),
        cpu(format!("{threads} threads")),
    ]
}

/// What was found. Drivers are opened in an engine process, which may take a
/// second, or hang without hurting anybody.
pub(super) fn found() -> Vec<BackendFacts> {
    let states = engine::probe().unwrap_or_else(|e| {
        [BackendKind::Cuda, BackendKind::Hip]
            .map(|kind| BackendState::none(kind, e.to_string()))
            .into()
    });
    let mut all: Vec<BackendFacts> = states.into_iter().map(facts).collect();
    all.push(facts(LocalRunner::local().state(BackendKind::Simt)));
    all.push(cpu(device::describe(device::threads(), Isa::detect())));
    all
}

fn cpu(line: String) -> BackendFacts {
    BackendFacts {
        name: BackendKind::Cpu.name().to_owned(),
        line,
        condition: Condition::Ready,
        gives: gives(BackendKind::Cpu).to_owned(),
        ..BackendFacts::default()
    }
}

/// What a backend's numbers are.
const fn gives(kind: BackendKind) -> &'static str {
    match kind {
        BackendKind::Auto | BackendKind::Cpu => "times of the CPU",
        BackendKind::Simt => "counts, no times",
        BackendKind::Cuda | BackendKind::Hip => "times of the GPU",
    }
}

fn facts(state: BackendState) -> BackendFacts {
    BackendFacts {
        ceilings: sheet(&state),
        name: state.backend.name().to_owned(),
        device: state.device,
        notes: state.notes,
        line: state.line,
        condition: match state.ready {
            true => Condition::Ready,
            false => Condition::None,
        },
        gives: match state.ready {
            true => gives(state.backend).to_owned(),
            false => String::new(),
        },
        lacks: state
            .lacks
            .iter()
            .filter_map(|name| Fusion::parse(name).ok())
            .collect(),
    }
}

/// Whether a device's line names this GPU: all words of its id stand in it.
pub(super) fn names(gpu: &Gpu, line: &str) -> bool {
    let line = line.to_lowercase();
    gpu.id.split('_').all(|word| line.contains(word))
}

/// The data sheet of a GPU that was found, where the database has it: the
/// longest id whose words all stand in the device's line.
fn sheet(state: &BackendState) -> Option<Ceilings> {
    if !state.ready || !state.backend.is_gpu() {
        return None;
    }
    let database = GpuDatabase::embedded().ok()?;
    let gpu = database
        .all()
        .iter()
        .filter(|gpu| names(gpu, &state.line))
        .max_by_key(|gpu| gpu.id.len())?;
    Some(Ceilings::of_gpu(gpu))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_that_is_known_brings_its_data_sheet() {
        let found = |line: &str| {
            let state = BackendState {
                ready: true,
                ..BackendState::none(BackendKind::Cuda, line)
            };
            facts(state).ceilings.map(|c| c.of)
        };
        assert_eq!(
            found("NVIDIA H200, driver 580, NVRTC 13.0").as_deref(),
            Some("H200")
        );
        assert_eq!(found("NVIDIA Quantum 9000, driver 999"), None);
        // Half of a package has half of its peaks.
        assert_eq!(
            found("AMD Instinct MI250X (one GCD), gfx90a, ROCm 6.2.0").as_deref(),
            Some("MI250X_GCD")
        );
    }

    #[test]
    fn one_that_is_not_there_says_why() {
        let none = facts(BackendState::none(
            BackendKind::Hip,
            "libamdhip64.so not found",
        ));
        assert_eq!(none.condition, Condition::None);
        assert_eq!(
            (none.line.as_str(), none.gives.as_str()),
            ("libamdhip64.so not found", "")
        );
    }
}
