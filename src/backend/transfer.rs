//! What bytes of the host cost a device: every way to them on a GPU, checked, then timed in
//! turns by the host's clock.
//!
//! | module | holds |
//! |---|---|
//! | `ways` | one sample of each way |
//! | `checked` | whether the bytes arrive and the kernel sums them |

mod checked;
mod ways;

use crate::cpu::available_bytes;
use crate::gpu::{GpuError, GpuErrorKind};
use crate::runner::Runner;
use plan::model::random::Stream;
use plan::run::{
    BackendKind, HOST_READS, HostCase, HostReport, HostRequest, HostSeries, HostWay, Observer,
    Phase, Progress, RunError, host_batches, host_middle, host_sizes,
};
use plan::units::{Quantity, format};

use ways::{Bench, STEPS};

/// Bytes that a step takes.
const STEP_SIZES: [u64; 4] = [64 << 10, 1 << 20, 16 << 20, 64 << 20];

/// What varies in a case: a way, bytes, times.
type Trial = (HostWay, u64, u64);

/// Measures one case.
///
/// # Errors
/// A GPU that is not there, memory that is not free, bytes that do not arrive.
pub fn measure(request: &HostRequest, observer: &dyn Observer) -> Result<HostReport, RunError> {
    // What the request itself refuses, whoever wrote it.
    HostRequest::new(request.backend, request.case, request.largest)?;
    let mut runner = Runner::all();
    let driver = runner.backend(request.backend)?.driver(observer)?;
    let room = room(request);
    let free = [driver.free_memory(), available_bytes()];
    if let Some(free) = free.into_iter().flatten().min()
        && free / 2 < room
    {
        return Err(RunError::missing(format!(
            "{} beside one another are more than half of the free memory ({} free); --to takes a smaller size",
            format(&Quantity::bytes(room)),
            format(&Quantity::bytes(free)),
        )));
    }
    let device = driver.describe();
    let integrated = driver.host()?.integrated();
    let mut bench = Bench::new(driver, bytes(request));
    let measured = bench
        .prepare(request.case)
        .and_then(|()| timed(&mut bench, request, observer));
    bench.close();
    let (series, stopped, failed) = measured?;
    Ok(HostReport {
        schema: 1,
        device,
        integrated,
        case: request.case,
        series,
        stopped,
        notes: notes(request, failed),
    })
}

/// Bytes of the largest copy of a case.
fn bytes(request: &HostRequest) -> u64 {
    match request.case {
        HostCase::Copies => host_sizes(request.largest).last().copied().unwrap_or(0),
        HostCase::Batches => host_batches(request.largest).0,
        HostCase::Overlap | HostCase::Mapped => host_middle(request.largest),
        // What is written, and read back.
        HostCase::Pool => ways::TOUCHED,
    }
}

/// Bytes of the host, or of the device, that a case holds at a time.
fn room(request: &HostRequest) -> u64 {
    match request.case {
        HostCase::Pool => steps(request.largest).into_iter().max().unwrap_or(0),
        _ => 3 * bytes(request),
    }
}

/// Bytes that a step takes, up to the largest copy.
fn steps(largest: u64) -> Vec<u64> {
    let fits: Vec<u64> = STEP_SIZES.into_iter().filter(|s| *s <= largest).collect();
    match fits.is_empty() {
        true => vec![largest],
        false => fits,
    }
}

/// Everything that a case times.
fn trials(request: &HostRequest) -> Vec<Trial> {
    use HostWay as Way;
    let of = |ways: &[HostWay], bytes: u64, times: u64| -> Vec<Trial> {
        ways.iter().map(|way| (*way, bytes, times)).collect()
    };
    match request.case {
        HostCase::Copies => {
            let ways = [
                Way::PageableUp,
                Way::PageableDown,
                Way::PinnedUp,
                Way::PinnedDown,
            ];
            let sizes = host_sizes(request.largest).into_iter();
            sizes.flat_map(|bytes| of(&ways, bytes, 1)).collect()
        }
        HostCase::Batches => {
            let (bytes, counts) = host_batches(request.largest);
            let ways = [Way::PinnedUp, Way::PinnedDown];
            let counts = counts.into_iter();
            counts.flat_map(|n| of(&ways, bytes, n)).collect()
        }
        HostCase::Overlap => {
            let ways = [
                Way::PinnedUp,
                Way::PinnedDown,
                Way::Kernel,
                Way::AfterUp,
                Way::AfterDown,
                Way::BesideUp,
                Way::BesideDown,
            ];
            of(&ways, bytes(request), 1)
        }
        HostCase::Mapped => {
            let reads = HOST_READS.into_iter();
            reads
                .flat_map(|n| of(&[Way::Mapped, Way::Copied], bytes(request), n))
                .collect()
        }
        HostCase::Pool => {
            let sizes = steps(request.largest).into_iter();
            sizes
                .flat_map(|bytes| of(&[Way::Each, Way::Pool, Way::Kept], bytes, 1))
                .collect()
        }
    }
}

/// Every trial once checked, then all in turns, in another order each round: the series,
/// whether somebody stopped it, and what could not be made.
type Timed = (Vec<HostSeries>, bool, Vec<String>);

fn timed(
    bench: &mut Bench<'_>,
    request: &HostRequest,
    observer: &dyn Observer,
) -> Result<Timed, GpuError> {
    let mut failed: Vec<(HostWay, GpuError)> = Vec::new();
    let mut open: Vec<HostSeries> = Vec::new();
    for (way, bytes, times) in trials(request) {
        if observer.cancelled() {
            return Ok((Vec::new(), true, Vec::new()));
        }
        // Once is enough to know that a driver has no pools.
        if failed.iter().any(|(known, _)| *known == way) {
            continue;
        }
        match bench.check(way, bytes, times) {
            Ok(()) => open.push(HostSeries {
                way,
                bytes,
                times,
                us: Vec::new(),
            }),
            // Other ways may be there; of a wrong result nothing is shown.
            Err(why) if lacks(&why) => failed.push((way, why)),
            Err(why) => return Err(why),
        }
    }
    if open.is_empty() {
        let why = failed.into_iter().next().map(|(_, why)| why);
        return Err(why.unwrap_or_else(|| GpuError::failed("nothing could be timed")));
    }
    let draws = Stream::new(1, "copies in turns");
    let mut drawn = 0;
    // One round more, which warms up.
    for round in 0..=request.rounds {
        observer.progress(Progress::new(Phase::Timing, round, request.rounds + 1));
        let mut order: Vec<usize> = (0..open.len()).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, draws.below(drawn, at as u64 + 1) as usize);
            drawn += 1;
        }
        for at in order {
            if observer.cancelled() {
                return Ok((whole(open), true, said(&failed)));
            }
            let Some(series) = open.get_mut(at) else {
                continue;
            };
            let us = bench.sample(series.way, series.bytes, series.times)?;
            if round > 0 {
                series.us.push(us);
            }
        }
    }
    Ok((open, false, said(&failed)))
}

/// Whether it is the machine that lacks something, and not a result that is wrong.
fn lacks(why: &GpuError) -> bool {
    matches!(why.kind, GpuErrorKind::Missing | GpuErrorKind::OutOfMemory)
}

fn said(failed: &[(HostWay, GpuError)]) -> Vec<String> {
    let said = failed.iter().map(|(way, why)| {
        let name = match way {
            HostWay::Pool => "from a pool",
            HostWay::Mapped => "read where it lies",
            HostWay::Each | HostWay::Kept => "memory of a step",
            _ => "a copy",
        };
        format!("{name}: {why}")
    });
    said.collect()
}

/// Rounds that every series has: a round that was stopped in the middle is in none.
fn whole(mut open: Vec<HostSeries>) -> Vec<HostSeries> {
    let rounds = open.iter().map(|s| s.us.len()).min().unwrap_or(0);
    for series in &mut open {
        series.us.truncate(rounds);
    }
    open
}

fn notes(request: &HostRequest, failed: Vec<String>) -> Vec<String> {
    let mut notes = vec![format!(
        "{} rounds in turns behind one that warms up, by the host's clock, from the first call until the host knows that all is done; every way was checked before it was timed",
        request.rounds
    )];
    notes.extend(match request.case {
        HostCase::Mapped if request.backend == BackendKind::Hip => Some(
            "AMD's driver takes mapped memory coherent: no read of it is cached on the device"
                .to_owned(),
        ),
        HostCase::Pool => Some(format!(
            "{STEPS} steps to a sample; each takes memory, has {} bytes of it written, and gives it back; the pool keeps what it is given back",
            ways::TOUCHED
        )),
        HostCase::Copies | HostCase::Batches | HostCase::Overlap | HostCase::Mapped => None,
    });
    notes.extend(failed);
    notes.extend(request.backend.unproved());
    notes
}

#[cfg(test)]
mod tests;
