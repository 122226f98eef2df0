//! What this machine has, as the workshop and `doctor` show it.

use std::collections::BTreeMap;

use crate::micro::ours;
use app::Machine;
use app::machine::{BackendFacts, Ceilings, Condition, LaunchCost, Source};
use backend::cpu::{self, Isa};
use backend::hierarchy::DeviceRates;
use backend::submission::mutant;
use backend::{LocalRunner, device, engine};
use course::answer::data_sheets;
use plan::cost::GpuDatabase;
use plan::fusion::Fusion;
use plan::run::mutants::MUTANTS;
use plan::run::{BackendKind, BackendState, Proof, RunError, median};
use study::evidence::Roofs;
use study::timing::{Apart, agreed};

/// What is known before anything was looked for or read.
pub fn at_once() -> Machine {
    let searching = |kind: BackendKind| BackendFacts {
        name: kind.name().to_owned(),
        line: "…".to_owned(),
        gives: gives(kind).to_owned(),
        condition: Condition::Searching,
        ..BackendFacts::default()
    };
    let threads = device::threads();
    let mut all: Vec<BackendFacts> = gpus().map(searching).collect();
    all.extend(local(format!("{threads} threads")));
    of(all)
}

/// What is there once it was looked for, which may take a second.
pub fn found(gpu: &str) -> Machine {
    let mut machine = of(backends());
    if let Some(sheet) = on_paper(gpu) {
        machine.take_sheet(sheet);
    }
    machine
}

/// The ceilings of the course's device by its data sheet, so that floors have a roof until
/// this machine's own are known.
pub fn on_paper(gpu: &str) -> Option<Ceilings> {
    let gpu = data_sheets()?.get(gpu).ok()?;
    Some(Ceilings::of_gpu(gpu))
}

/// What is on this machine: its backends, the best one chosen.
fn of(backends: Vec<BackendFacts>) -> Machine {
    let mut machine = Machine {
        backends,
        ..Machine::default()
    };
    let named = |kind: &BackendKind| {
        let found = machine.backends.iter().find(|b| b.name == kind.name());
        found.is_some_and(|b| is_taken(*kind, &b.line))
    };
    let candidates = BackendKind::Auto.candidates().iter();
    let names: Vec<&str> = candidates
        .filter(|kind| named(kind))
        .map(|kind| kind.name())
        .collect();
    machine.prefer(&names);
    machine
}

/// Whether `auto` takes a backend that stands so: one that needs a proof where there is
/// one of its device. The engine looks closer, at the compiler's release.
fn is_taken(kind: BackendKind, line: &str) -> bool {
    !kind.needs_proof() || proof(kind, line).is_some()
}

/// The self-test that has passed on the device of a line: `AMD Instinct MI210, gfx90a, …`
/// is `AMD Instinct MI210 (gfx90a), …` where it runs.
fn proof(kind: BackendKind, line: &str) -> Option<Proof> {
    let (title, rest) = line.split_once(", ")?;
    let arch = rest.split(", ").next()?;
    let device = format!("{title} ({arch})");
    let mut proofs = engine::proved().into_iter();
    proofs.find(|proof| proof.backend == kind && proof.device.starts_with(&device))
}

/// The ceilings of a backend's device, which take a second or two.
///
/// # Errors
/// A sentence: this build cannot measure them, or it failed.
pub fn measure(backend: BackendKind) -> Result<Ceilings, String> {
    let found = roofs(backend).map_err(|e| e.to_string())?;
    let measured = Ceilings::measured(&short(&found.of), found.bandwidth.rate, found.fp32.rate);
    Ok(Ceilings {
        spread: Some(found.bandwidth.spread.max(found.fp32.spread)),
        matrix16: found.matrix16.map_or(measured.matrix16, |m| Some(m.rate)),
        launch: found.launch.map(|seconds| LaunchCost {
            seconds,
            source: Source::Measured,
        }),
        ..measured
    })
}

/// What a page calls a device: `H200` of `NVIDIA H200 (sm_90a), CUDA 13.0 driver, …`.
fn short(device: &str) -> String {
    let known = data_sheets().and_then(|all| all.named_in(device));
    match known {
        Some(gpu) => gpu.short.clone(),
        None => device.split(" (").next().unwrap_or(device).to_owned(),
    }
}

/// The same, each figure with its spread. `auto` is this CPU.
///
/// # Errors
/// It failed, or measurements do not agree.
pub fn roofs(backend: BackendKind) -> Result<Roofs, RunError> {
    if backend == BackendKind::Simt {
        return Err(RunError::missing(
            "the SIMT machine has no clock and no roof",
        ));
    }
    // Differences of two times, which may come out at nothing.
    let some = |seconds: &[f64]| median(seconds).filter(|s| *s > 0.0);
    if backend.is_gpu() {
        let found: DeviceRates = ours(&["dev", "roofs", "--backend", backend.name()])?;
        let kept = |what: &str, of: &[f64]| agreed(of).map_err(|why| not_kept(what, &why));
        return Ok(Roofs {
            bandwidth: kept("copies", &found.copy)?,
            fp32: kept("products", &found.fp32)?,
            matrix16: Some(kept("16-bit products", &found.matrix16)?),
            read: agreed(&found.read).ok(),
            launch: some(&found.launch),
            barrier: some(&found.barrier),
            notes: found.notes,
            of: found.device,
        });
    }
    let threads = cpu::Threads::new(None);
    let mut rates = cpu::Rates::measure(&threads)?;
    for again in (0..AGAIN).rev() {
        match [&rates.copy, &rates.product].map(|of| agreed(of)) {
            [Ok(bandwidth), Ok(fp32)] => {
                return Ok(Roofs {
                    of: "this CPU".to_owned(),
                    bandwidth,
                    fp32,
                    // It computes 16-bit data in fp32.
                    matrix16: None,
                    read: None,
                    launch: None,
                    barrier: None,
                    notes: Vec::new(),
                });
            }
            [Err(why), _] if again == 0 => return Err(not_kept("copies", &why)),
            [_, Err(why)] if again == 0 => return Err(not_kept("products", &why)),
            _ => {}
        }
        let more = cpu::Rates::measure(&threads)?;
        rates.copy.extend(more.copy);
        rates.product.extend(more.product);
    }
    Err(RunError::failed("The ceilings were not measured."))
}

/// The backend that `auto` stands for here: the first of its candidates that is ready.
pub fn chosen(backend: BackendKind) -> BackendKind {
    let candidates = backend.candidates();
    let last = candidates.last().copied().unwrap_or(backend);
    if candidates.len() < 2 {
        return last;
    }
    let found = engine::probe().unwrap_or_default();
    let ready = |kind: &&BackendKind| {
        let mut states = found.iter();
        **kind == last
            || states.any(|s| s.backend == **kind && s.ready && is_taken(s.backend, &s.line))
    };
    candidates.iter().find(ready).copied().unwrap_or(last)
}

/// How often ceilings are measured where they do not agree.
const AGAIN: usize = 3;

fn not_kept(what: &str, why: &Apart) -> RunError {
    RunError::failed(format!(
        "No roof is kept, of {what}: {why}. Measure again when nothing else runs: R on the screen, the command again in a shell."
    ))
}

/// What the defective kernels of exercises yield; those that cannot be run here
/// are left out.
pub fn mutants() -> BTreeMap<String, f64> {
    let run = |(name, _): &(&str, &str)| Some(((*name).to_owned(), mutant(name).ok()?));
    MUTANTS.iter().filter_map(run).collect()
}

/// What was found. Drivers are opened in an engine process, which may take a
/// second, or hang without hurting anybody.
pub fn backends() -> Vec<BackendFacts> {
    let states = engine::probe().unwrap_or_else(|e| {
        let none = |kind| BackendState::none(kind, e.to_string());
        gpus().map(none).collect()
    });
    let mut all: Vec<BackendFacts> = states.into_iter().map(facts).collect();
    all.extend(local(device::describe(device::threads(), Isa::detect())));
    all
}

/// The device that a backend runs on, as its reports name it; `None` where that is known
/// only once it ran.
pub fn device(backend: BackendKind) -> Option<String> {
    let cpu = || device::describe(device::threads(), Isa::detect());
    match backend {
        BackendKind::Cpu => Some(cpu()),
        _ => None,
    }
}

/// The backends that are looked for in an engine process.
fn gpus() -> impl Iterator<Item = BackendKind> {
    BackendKind::ALL.into_iter().filter(|kind| kind.is_gpu())
}

/// The backends of this process, in the order in which they are listed; the CPU last, in
/// a line.
fn local(cpu: String) -> [BackendFacts; 2] {
    let simt = facts(LocalRunner::local().state(BackendKind::Simt));
    [simt, this_cpu(cpu)]
}

fn this_cpu(line: String) -> BackendFacts {
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

fn facts(mut state: BackendState) -> BackendFacts {
    if state.ready && state.backend.needs_proof() {
        let name = state.backend.name();
        state.notes.push(match proof(state.backend, &state.line) {
            Some(proof) => format!(
                "use: auto takes it, or --backend {name}: its self-test passed here, {}",
                proof.time
            ),
            None => format!(
                "use: named, --backend {name}; auto takes it once selftest --backend {name} --quick has passed on this device, driver and build, as its kernels have not run on an AMD GPU before"
            ),
        });
    }
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

/// The data sheet of a GPU that was found, where the database has it.
fn sheet(state: &BackendState) -> Option<Ceilings> {
    if !state.ready || !state.backend.is_gpu() {
        return None;
    }
    let database = GpuDatabase::embedded().ok()?;
    database.named_in(&state.line).map(Ceilings::of_gpu)
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
        assert_eq!(
            found("NVIDIA H100 80GB HBM3, CUDA 13.0 driver, NVRTC 13.0").as_deref(),
            Some("H100 SXM5")
        );
        assert_eq!(found("NVIDIA Quantum 9000, driver 999"), None);
        // Half of a package has half of its peaks.
        assert_eq!(
            found("AMD Instinct MI250X (one GCD), gfx90a, ROCm 6.2.0").as_deref(),
            Some("MI250X GCD")
        );
    }

    #[test]
    fn a_measured_roof_has_the_name_that_pages_have_room_for() {
        for (device, name) in [
            ("NVIDIA H200 (sm_90a), CUDA 13.0 driver, NVRTC 13.0", "H200"),
            (
                "NVIDIA Quantum 9000 (sm_200), CUDA 19.0 driver",
                "NVIDIA Quantum 9000",
            ),
            ("this CPU", "this CPU"),
        ] {
            assert_eq!(short(device), name);
        }
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
