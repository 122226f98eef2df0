//! A launch: blocks on threads of this computer, one after the other or, where
//! they wait for each other, together.

mod checks;
mod scheduled;
mod setup;
mod together;
mod worker;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::counts::{self, Counts};
use super::fault::{FaultKind, Problem};
use super::finding::Finding;
use super::machine::{LaunchRequest, MachineError, Options};
use super::memory::Global;
use super::program::{Kernel, Program};
use super::run::Launch;
use super::tally::Tally;
pub(crate) use checks::most_exact;
pub(crate) use setup::Setup;
pub(crate) use worker::Stopped;
use worker::Worker;

/// Whether a launch is to end between two blocks.
type Stop<'s> = &'s (dyn Fn() -> bool + Sync);

/// Runs every block of a grid, unless it is stopped.
pub(crate) fn launch(
    program: &Program,
    kernel: &Kernel,
    global: &Global,
    variables: &[u64],
    request: &LaunchRequest<'_>,
    options: &Options,
    stop: Stop<'_>,
) -> Result<Counts, MachineError> {
    checks::request(kernel, request)?;
    let mut params = vec![0_u32; (kernel.param_bytes as usize).div_ceil(16) * 4];
    for (word, bytes) in params.iter_mut().zip(request.params.chunks(4)) {
        let mut whole = [0; 4];
        whole
            .iter_mut()
            .zip(bytes)
            .for_each(|(to, from)| *to = *from);
        *word = u32::from_le_bytes(whole);
    }
    // Warps that wait in shared memory need each other's turns, whatever the launch.
    let own_order = kernel.exact || options.order.is_some();
    let launch = Launch {
        kernel,
        global,
        params: &params,
        count: options.count,
        check: options.check,
        cooperative: request.cooperative || own_order,
        limit: options.step_limit,
        strict_barriers: options.strict_barriers,
    };
    let setup = Setup::new(&launch, request, variables, options.cache_bytes);
    let threads = match options.threads {
        // The cache sees blocks in order, so one thread runs them.
        _ if setup.simulates_cache() => 1,
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let ran = if own_order {
        scheduled::run(&setup, options.order, options.resident, stop)
    } else if request.cooperative {
        together::run(&setup, threads, stop)
    } else {
        // Where a kernel could see the order of blocks, one thread keeps it.
        let threads = if kernel.ordered { 1 } else { threads };
        apart(&setup, threads, stop).or_else(|stopped| again(&setup, threads, stopped, stop))
    };
    match ran {
        // What was counted so far is not the whole.
        _ if stop() => Err(MachineError::Stopped),
        Ok(tally) => Ok(counts::report(
            program, kernel, global, &tally, &setup, options,
        )),
        Err(stopped) => {
            let threads = request.block;
            Err(Finding::new(program, kernel, global, &stopped, threads).into())
        }
    }
}

/// Which of two racing blocks comes second depends on the threads of this computer.
/// What is told does not: the blocks run once more, one after the other.
fn again(
    setup: &Setup<'_>,
    threads: usize,
    stopped: Stopped,
    stop: Stop<'_>,
) -> Result<Tally, Stopped> {
    if threads == 1
        || !matches!(
            stopped.fault.kind,
            FaultKind::Told(Problem::BlocksRace { .. })
        )
    {
        return Err(stopped);
    }
    setup.launch.global.order.renew(setup.blocks());
    match apart(setup, 1, stop) {
        Err(first) => Err(first),
        Ok(_) => Err(stopped),
    }
}

/// Blocks that do not wait for each other: each runs to its end.
fn apart(setup: &Setup<'_>, threads: usize, stop: Stop<'_>) -> Result<Tally, Stopped> {
    let blocks = setup.blocks();
    let threads = threads.clamp(1, blocks.max(1) as usize);
    let next = AtomicU64::new(0);
    // The first block in order whose kernel did something wrong: what lies behind
    // it need not run, what lies before it still may stop earlier.
    let wrong: Mutex<Option<Stopped>> = Mutex::new(None);
    let first_wrong = AtomicU64::new(u64::MAX);
    let work = || {
        let mut worker = Worker::new(setup);
        let mut tally = setup.tally();
        loop {
            let block = next.fetch_add(1, Ordering::Relaxed);
            if block >= blocks || block > first_wrong.load(Ordering::Relaxed) || stop() {
                return tally;
            }
            worker.begin(setup.index(block));
            if let Err(stopped) = worker.finish(&mut tally) {
                first_wrong.fetch_min(block, Ordering::Relaxed);
                if let Ok(mut slot) = wrong.lock()
                    && slot
                        .as_ref()
                        .is_none_or(|old| setup.number(old.block) > block)
                {
                    *slot = Some(stopped);
                }
            }
        }
    };
    let tally = if threads == 1 {
        work()
    } else {
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut tally = work();
            for other in others {
                if let Ok(counted) = other.join() {
                    tally.merge(counted);
                }
            }
            tally
        })
    };
    let wrong = wrong.into_inner().ok().flatten();
    wrong.map_or(Ok(tally), Err)
}
