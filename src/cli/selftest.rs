//! `selftest`: are the GPU kernels right on this machine?

mod apart;

use clap::Args;

use super::Outcome;
use super::args::{OutputArgs, places, whole};
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::out::Out;
use super::table::{Align, Table};
use super::words::counted;
use backend::selftest::{Extent, Options, SelfTest, selftest as run};
use host::proved::Proved;
use host::studies::now;
use plan::run::BackendKind;

/// Test every kernel and every fusion set of a GPU backend against fp64.
#[derive(Debug, Args)]
pub(super) struct SelfTestArgs {
    /// cuda, hip or simt
    #[arg(long, value_name = "BACKEND", default_value = "cuda")]
    backend: String,
    /// Seed of weights and tokens; drawn where nothing is said
    #[arg(long, value_name = "N", value_parser = whole::<u64>, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// The versions on two small models only
    #[arg(long)]
    quick: bool,
    /// The presets at their own sizes: minutes on a GPU
    #[arg(long, conflicts_with = "quick")]
    presets: bool,
    /// In this process: what the command itself starts
    #[arg(long, hide = true)]
    here: bool,
    /// Plant this fault and run one forward: what the command itself starts
    #[arg(long, hide = true, value_parser = ["hang", "outside", "none"])]
    fault: Option<String>,
}

/// A seed that differs from one second to the next.
fn drawn() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(1, |t| t.as_secs() % 1_000_000)
}

/// Tests; 0 where everything is right, 1 where not, 3 without a device.
pub(super) fn selftest(output: &OutputArgs, args: &SelfTestArgs, out: &mut Out) -> Outcome {
    let backend = BackendKind::parse(&args.backend)?;
    if matches!(backend, BackendKind::Auto | BackendKind::Cpu) {
        return Err(Failure::usage(
            "selftest tests GPU kernels; use --backend cuda, hip or simt",
        ));
    }
    let seed = args.seed.unwrap_or_else(drawn);
    if let Some(fault) = &args.fault {
        return apart::fault(backend, fault, seed);
    }
    let test = match args.here {
        true => here(backend, args, seed)?,
        false => apart::selftest(backend, args, seed)?,
    };
    let taken = match args.here {
        true => None,
        false => Proved::of(&places(output))
            .keep(&test, &now())
            .map_err(Failure::lacking)?,
    };
    if output.json {
        out.json(&test);
    } else {
        tell(&test, out);
        out.lines(taken.map(|taken| {
            let name = backend.name();
            match taken {
                true => format!(
                    "auto takes {name} from now on, on this device, with this driver and build"
                ),
                false => format!("auto does not take {name} here"),
            }
        }));
    }
    Ok(u8::from(!test.pass))
}

/// In this process; every forward is announced on standard error.
fn here(backend: BackendKind, args: &SelfTestArgs, seed: u64) -> Result<SelfTest, Failure> {
    let interrupt = Interrupt::watch(false);
    let options = Options {
        backend,
        extent: match (args.quick, args.presets) {
            (true, _) => Extent::Quick,
            (_, true) => Extent::Presets,
            _ => Extent::Full,
        },
        seed,
        observer: &interrupt,
        told: &mut |done, total, what| {
            super::out::tell(&format!("{} of {total}: {what}\n", done + 1));
        },
    };
    Ok(run(options)?)
}

fn right(pass: bool) -> String {
    if pass { "right" } else { "WRONG" }.to_owned()
}

/// An error as a part of what it may be.
fn part(worst: f64) -> String {
    match worst {
        w if w.is_finite() => format!("{w:.2}"),
        _ => "not a number".to_owned(),
    }
}

fn tell(test: &SelfTest, out: &mut Out) {
    out.line(format!("self-test of {} on {}", test.backend, test.device));
    out.line(format!(
        "every tensor against fp64, poisoned memory, every forward twice, seed {}",
        test.seed
    ));
    out.gap();
    let mut table = Table::new(&[
        ("kernel", Align::Left),
        ("variants", Align::Right),
        ("launches", Align::Right),
        ("error / allowed", Align::Right),
        ("", Align::Left),
    ]);
    for row in &test.kernels {
        table.row(vec![
            row.entry.clone(),
            row.variants.len().to_string(),
            row.launches.to_string(),
            part(row.worst),
            right(row.pass),
        ]);
    }
    out.lines(table.lines());
    out.gap();
    let mut table = Table::new(&[
        ("fusions", Align::Left),
        ("dtype", Align::Left),
        ("forwards", Align::Right),
        ("error / allowed", Align::Right),
        ("", Align::Left),
    ]);
    for row in &test.plans {
        table.row(vec![
            row.plan.clone(),
            row.dtype.clone(),
            row.forwards.to_string(),
            part(row.worst),
            match row.lacking {
                Some(_) if row.pass && row.forwards == 0 => "not run".to_owned(),
                Some(_) if row.pass => "right as far as it ran".to_owned(),
                _ => right(row.pass),
            },
        ]);
    }
    out.lines(table.lines());
    out.gap();
    for row in &test.plans {
        if let Some(why) = &row.lacking {
            out.line(format!("not run: {} {}, {why}", row.plan, row.dtype));
        }
    }
    for row in test.plans.iter().filter(|row| !row.pass) {
        let why = row.wrong.as_deref().unwrap_or_default();
        out.line(format!("wrong: {} {}, {why}", row.plan, row.dtype));
    }
    for row in &test.planted {
        let caught = if row.caught { "caught" } else { "NOT CAUGHT" };
        out.line(format!("planted: {}: {caught}; {}", row.what, row.seen));
    }
    for row in &test.protocols {
        let (kind, good, bad) = match row.planted {
            true => ("planted", "caught", "NOT CAUGHT"),
            false => ("protocol", "right", "WRONG"),
        };
        let verdict = if row.pass { good } else { bad };
        out.line(format!("{kind}: {}: {verdict}; {}", row.what, row.seen));
    }
    out.gap();
    let forwards: u64 = test.plans.iter().map(|p| p.forwards).sum();
    let right = test.kernels.iter().all(|k| k.pass) && test.plans.iter().all(|p| p.pass);
    let verdict = match (test.pass, right) {
        (true, _) => "every kernel and every fusion set is right, every planted defect was caught",
        (false, true) => "what ran is right, but not everything ran or was caught",
        (false, false) => "something is wrong",
    };
    out.line(format!("{}: {verdict}", counted(forwards, "forward")));
}
