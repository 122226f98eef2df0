//! The test in a process of its own: a kernel that hangs or tears the device
//! down ends that process, and this one says so. Two such kernels are started
//! on purpose.

use std::io::IsTerminal;
use std::time::Duration;

use super::SelfTestArgs;
use crate::cli::Outcome;
use crate::cli::failure::Failure;
use crate::cli::interrupt::Interrupt;
use crate::cli::out::tell;
use backend::selftest::{Fault, PlantedRow, SelfTest, fault as run_fault};
use host::follow::{Ended, follow, sentence};
use plan::run::{BackendKind, Observer, Phase, Progress};

/// How long one forward may take with the compilation of its kernels.
const FORWARD: Duration = Duration::from_secs(120);

/// How long a forward may take whose kernels are compiled.
const LAUNCHED: Duration = Duration::from_secs(10);

/// What the child says when it is about to launch.
const LAUNCHING: &str = "launching";

/// Starts the test again as a child, and hears its lines.
fn again(
    arguments: Vec<String>,
    deadline: impl Fn(&str) -> Duration,
    heard: impl FnMut(&str),
) -> Result<Ended, Failure> {
    let arguments: Vec<String> = std::iter::once("selftest".to_owned())
        .chain(arguments)
        .collect();
    follow(&arguments, deadline, heard)
        .map_err(|e| failed(format!("the test process cannot be started: {e}")))
}

fn arguments(backend: BackendKind, seed: u64) -> Vec<String> {
    ["--backend", backend.name(), "--seed", &seed.to_string()]
        .map(str::to_owned)
        .into()
}

/// The test, its table, and the two kernels that nothing survives.
pub(super) fn selftest(
    backend: BackendKind,
    args: &SelfTestArgs,
    seed: u64,
) -> Result<SelfTest, Failure> {
    let mut options = arguments(backend, seed);
    options.extend(["--here", "--json"].map(str::to_owned));
    for (given, option) in [(args.quick, "--quick"), (args.presets, "--presets")] {
        if given {
            options.push(option.to_owned());
        }
    }
    let shows = std::io::stderr().is_terminal();
    let mut at = String::new();
    let ended = again(
        options,
        |_| FORWARD,
        |line| {
            if shows {
                tell(&format!("\r\x1b[K{line}"));
            }
            at = line.to_owned();
        },
    )?;
    if shows {
        tell("\r\x1b[K");
    }
    let said = sentence(&ended.last);
    let mut test: SelfTest = match (ended.hung, ended.code) {
        (true, _) => {
            let seconds = FORWARD.as_secs();
            return Err(failed(format!(
                "nothing for {seconds} s at {at}: a kernel hangs"
            )));
        }
        (_, Some(0 | 1)) if ended.output.starts_with('{') => serde_json::from_str(&ended.output)
            .map_err(|e| failed(format!("the test's table cannot be read: {e}")))?,
        (_, Some(2)) => return Err(Failure::usage(said)),
        (_, Some(3)) => return Err(Failure::lacking(said)),
        (_, Some(_)) => return Err(failed(said)),
        (_, None) => return Err(failed(format!("the test process ended at {at}"))),
    };
    for fault in Fault::ALL {
        test.planted.push(survived(backend, fault, seed)?);
    }
    test.pass &= test.planted.iter().all(|row| row.caught);
    Ok(test)
}

fn failed(message: String) -> Failure {
    Failure::from(plan::run::RunError::failed(message))
}

/// Starts a fault and sees whether it ends as it has to.
fn survived(backend: BackendKind, fault: Fault, seed: u64) -> Result<PlantedRow, Failure> {
    let mut options = arguments(backend, seed);
    options.extend(["--fault", fault.name()].map(str::to_owned));
    let deadline = |last: &str| match last {
        LAUNCHING => LAUNCHED,
        _ => FORWARD,
    };
    let ended = again(options, deadline, |_| {})?;
    let launched = ended.last != LAUNCHING || ended.hung;
    let said = ended
        .last
        .trim_start_matches("tinyllama-tutor: ")
        .to_owned();
    let seen = match (ended.hung, ended.code) {
        (true, _) => format!("stopped after {} s", LAUNCHED.as_secs()),
        (false, Some(0)) => "the forward is right".to_owned(),
        (false, _) => said,
    };
    let caught = match fault {
        // A machine that sees the deadlock says so; on a GPU the clock ends it.
        Fault::Hang => launched && (ended.hung || ended.code == Some(1)),
        // ROCm's runtime ends the process itself, with a line that says why.
        Fault::Outside => launched && !ended.hung && matches!(ended.code, Some(1) | None),
        Fault::None => ended.code == Some(0),
    };
    Ok(PlantedRow {
        what: fault.what().to_owned(),
        caught,
        seen,
    })
}

/// The child's part: one forward with a fault in it.
pub(super) fn fault(backend: BackendKind, name: &str, seed: u64) -> Outcome {
    let fault = Fault::ALL.into_iter().find(|f| f.name() == name);
    let fault = fault.ok_or_else(|| Failure::usage(format!("there is no fault {name}")))?;
    let announced = Announce(Interrupt::watch(false));
    Ok(u8::from(!run_fault(backend, fault, seed, &announced)?))
}

/// Says when launching begins.
struct Announce(Interrupt);

impl Observer for Announce {
    fn progress(&self, progress: Progress) {
        if progress.phase == Phase::Check && progress.done == 0 {
            tell(&format!("{LAUNCHING}\n"));
        }
    }

    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}
