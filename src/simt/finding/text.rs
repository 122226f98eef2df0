use std::fmt;

use super::{Finding, Location, Problem, Waiter};
use crate::fault::{Access, Awaited, Memory, Party, Polled};

fn verb(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "write",
        Access::Atomic => "atomic operation",
    }
}

/// An access with its article.
fn an(access: Access) -> String {
    match access {
        Access::Atomic => format!("an {}", verb(access)),
        Access::Read | Access::Write => format!("a {}", verb(access)),
    }
}

fn name(memory: &Memory) -> String {
    match memory {
        Memory::Buffer { name, .. } => format!("`{name}`"),
        Memory::Shared { .. } => "shared memory".to_owned(),
        Memory::Local { .. } => "the thread's own memory".to_owned(),
        Memory::Param { .. } => "the parameters".to_owned(),
        Memory::Nowhere => "any buffer".to_owned(),
    }
}

fn length(memory: &Memory) -> Option<u64> {
    match memory {
        Memory::Buffer { bytes, .. }
        | Memory::Shared { bytes }
        | Memory::Local { bytes }
        | Memory::Param { bytes } => Some(*bytes),
        Memory::Nowhere => None,
    }
}

/// Where an access lies relative to the memory that it missed.
fn miss(address: u64, memory: &Memory, offset: i64) -> String {
    let Some(bytes) = length(memory) else {
        return format!("address {address:#x} lies in no buffer: a null or wild pointer");
    };
    let memory = name(memory);
    if offset < 0 {
        return format!(
            "{} bytes before {memory}, which has {bytes} bytes",
            offset.unsigned_abs()
        );
    }
    let past = offset as u64 - bytes.min(offset as u64);
    if offset as u64 >= bytes {
        format!("{past} bytes past the end of {memory}, which has {bytes} bytes")
    } else {
        format!("it begins at byte {offset} of {memory}, which has {bytes} bytes")
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.file.is_empty() {
            write!(f, "PTX line {}", self.ptx_line)?;
        } else {
            write!(f, "{}:{}", self.file, self.line)?;
        }
        write!(f, " ({})", self.instruction)?;
        for (file, line) in &self.inlined_at {
            write!(f, ", inlined at {file}:{line}")?;
        }
        Ok(())
    }
}

/// Numbers of the lanes of a mask: `0-3, 7`.
fn lanes(mask: u32) -> String {
    let mut parts = Vec::new();
    let mut lane = 0;
    while lane < 32 {
        if mask >> lane & 1 == 0 {
            lane += 1;
            continue;
        }
        let first = lane;
        while lane < 32 && mask >> lane & 1 != 0 {
            lane += 1;
        }
        let last = lane - 1;
        parts.push(if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        });
    }
    if parts.is_empty() {
        "none".to_owned()
    } else {
        parts.join(", ")
    }
}

/// Who waits where, one line for each place.
fn gathering(waiting: &[Waiter], returned: &[[u32; 3]]) -> String {
    let mut places: Vec<Vec<&Waiter>> = Vec::new();
    for waiter in waiting {
        let alike = |other: &Waiter| {
            other.location == waiter.location
                && other.at_barrier == waiter.at_barrier
                && other.polls == waiter.polls
                && other.awaits == waiter.awaits
        };
        let known = places
            .iter_mut()
            .find(|who| who.first().is_some_and(|first| alike(first)));
        match known {
            Some(who) => who.push(waiter),
            None => places.push(vec![waiter]),
        }
    }
    let line = |who: &Vec<&Waiter>| {
        let Some(one) = who.first() else {
            return String::new();
        };
        let how = match (&one.polls, one.awaits) {
            _ if one.at_barrier => "waiting at the barrier".to_owned(),
            (_, Some(awaited)) => phase(awaited),
            (None, None) => "reading again and again".to_owned(),
            (
                Some(Polled {
                    buffer,
                    offset,
                    holds,
                }),
                None,
            ) => format!("reading byte {offset} of `{buffer}` again and again (it holds {holds})"),
        };
        let at = &one.location;
        let mut first: Vec<String> = who
            .iter()
            .take(4)
            .map(|w| format!("block {:?} warp {}", w.block, w.warp))
            .collect();
        if who.len() > first.len() {
            first.push(format!("{} more", who.len() - first.len()));
        }
        format!("\n  {how} at {at}: {}", first.join(", "))
    };
    let mut told: String = places.iter().map(line).collect();
    if !returned.is_empty() {
        let mut first: Vec<String> = returned.iter().take(4).map(|b| format!("{b:?}")).collect();
        if returned.len() > first.len() {
            first.push(format!("{} more", returned.len() - first.len()));
        }
        told += &format!(
            "\n  returned, and arriving nowhere any more: block {}",
            first.join(", ")
        );
    }
    told
}

/// What a warp at an mbarrier waits for.
fn phase(awaited: Awaited) -> String {
    let Awaited {
        offset,
        parity,
        missing,
        count,
        bytes,
    } = awaited;
    let lacks = match (missing, bytes) {
        (0, bytes) => format!("{bytes} bytes have not come"),
        (missing, 0) => format!("{missing} of {count} arrivals are missing"),
        (missing, bytes) => {
            format!("{missing} of {count} arrivals are missing, {bytes} bytes have not come")
        }
    };
    format!(
        "waiting for the end of a phase of parity {parity} at the mbarrier at byte {offset} ({lacks})"
    )
}

fn who(party: Party) -> String {
    match party {
        Party::Warp { block, warp } => format!("by warp {warp} of block number {block}"),
        Party::Product { block, warp } => {
            format!(
                "by a product of warp {warp} of block number {block} that nobody has waited for"
            )
        }
        Party::Copies => "by the copy engine".to_owned(),
    }
}

/// What happened, and what usually helps.
fn story(problem: &Problem) -> (String, &'static str) {
    match problem {
        Problem::OutOfBounds {
            access,
            address,
            bytes,
            memory,
            offset,
        } => (
            format!(
                "out of bounds: a {bytes}-byte {} {}",
                verb(*access),
                miss(*address, memory, *offset)
            ),
            "compare the index with the buffer's length before the access",
        ),
        Problem::Misaligned {
            access,
            address,
            bytes,
            memory,
            offset,
        } => (
            format!(
                "misaligned: a {bytes}-byte {} at {address:#x}, byte {offset} of {}",
                verb(*access),
                name(memory)
            ),
            "an access must begin at a multiple of its size; rows of odd length break packs",
        ),
        Problem::NeverWritten {
            bytes,
            memory,
            offset,
            ..
        } => (
            format!(
                "never written: a {bytes}-byte read at byte {offset} of {}, which nothing has written \
                 so far",
                name(memory)
            ),
            match memory {
                Memory::Shared { .. } => {
                    "see which thread writes this place: if one does, a barrier between the two is \
                     missing; if none does, no barrier helps"
                }
                _ => "write it first, or wait for the copy or the kernel that writes it",
            },
        ),
        Problem::Race {
            address,
            now,
            earlier,
            same_warp,
        } => {
            let other = earlier
                .thread
                .map_or_else(|| "several threads".to_owned(), |t| format!("thread {t}"));
            let missing = if *same_warp {
                "put __syncthreads() between the two, or __syncwarp() where no other warp uses this place: lockstep within a warp is not promised"
            } else {
                "put __syncthreads() between the two"
            };
            (
                format!(
                    "race: {} of shared memory at byte {address} meets {} by {other} with no barrier \
                     between them",
                    an(*now),
                    an(earlier.access)
                ),
                missing,
            )
        }
        Problem::BlocksRace {
            memory,
            offset,
            now,
            earlier,
            other,
        } => (
            format!(
                "race between blocks: {} at byte {offset} of {} meets {} by block number {other} \
                 of the same launch, and neither waits for the other",
                an(*now),
                name(memory),
                an(*earlier)
            ),
            "blocks run in any order: give each its own place, use an atomic, or put the two \
             into launches (or phases with a grid barrier) one after the other",
        ),
        Problem::Unordered {
            memory,
            offset,
            now,
            copies,
            other,
            earlier,
            there,
            proxy,
        } => (
            format!(
                "not ordered: {}{} at byte {offset} of {} meets {} {} at {there}, and nothing \
                 orders the two{}",
                an(*now),
                if *copies { " by the copy engine" } else { "" },
                name(memory),
                an(*earlier),
                who(*other),
                if *proxy { " for the copy engine" } else { "" }
            ),
            if *proxy {
                "who asks the copy engine executes fence.proxy.async between its acquire and the copy"
            } else {
                "who is done says so with a release (or arrives), and who goes on acquires it (or \
                 waits for that phase) before it touches the place"
            },
        ),
        Problem::Overcounted { offset, count } => (
            format!(
                "more arrivals than the {count} of a phase at the mbarrier at byte {offset} of \
                 shared memory"
            ),
            "initialise it with the number of those who arrive, and let each arrive once a phase",
        ),
        Problem::LanesCollide { address, other } => (
            format!(
                "race: this thread and thread {other} write different values to byte {address} of \
                 shared memory with one instruction"
            ),
            "give each thread a place of its own, or let one thread write",
        ),
        Problem::BarrierSkipped { missing } => (
            format!("a barrier that some threads skip: thread {missing} of the warp is elsewhere"),
            "every thread of the block must reach __syncthreads(): move it out of the branch",
        ),
        Problem::BarrierMissed { missing } => (
            format!("a barrier that some threads skip: thread {missing} has ended without it"),
            "every thread of the block must reach __syncthreads(): move it out of the branch, or \
             let threads with nothing to do stay until it is passed",
        ),
        Problem::BarriersDiffer {
            other_warp,
            elsewhere,
        } => (
            format!("two barriers at once: warp {other_warp} waits at {elsewhere}"),
            "every thread of the block must reach the same __syncthreads()",
        ),
        Problem::LanesMissing { wanted, active } => (
            format!(
                "missing lanes: the instruction names lanes {}, lanes {} execute it",
                lanes(*wanted),
                lanes(*active)
            ),
            "name exactly the lanes that take part, and let all of them come",
        ),
        Problem::InactiveSource { lane } => (
            format!("the shuffle reads lane {lane}, which does not take part"),
            "read only from lanes of the mask",
        ),
        Problem::Trap => (
            "the kernel trapped".to_owned(),
            "look for the check that failed",
        ),
        Problem::NeverEnds { steps, lines } => (
            format!(
                "the block still runs after {steps} warp instructions{}",
                match lines {
                    Some((file, first, last)) if first == last =>
                        format!(": the loop in line {first} of {file} does not end"),
                    Some((file, first, last)) =>
                        format!(": the loop in lines {first} to {last} of {file} does not end"),
                    None => String::new(),
                }
            ),
            "a loop has not ended when the step limit stopped the block: look at what the conditions of its loops compare, and at what changes that",
        ),
        Problem::Deadlock {
            waiting,
            returned,
            outside,
        } => (
            format!(
                "deadlock: everybody waits{}{}",
                gathering(waiting, returned),
                match outside {
                    0 => String::new(),
                    blocks => format!("\n  not begun, for want of room: {blocks} more of the grid"),
                }
            ),
            if *outside > 0 {
                "blocks that wait for each other must all be resident: launch no more than fit"
            } else if returned.is_empty() {
                "blocks may wait for each other only in a cooperative launch, and somebody must \
                 write what is waited for"
            } else {
                "a block must not return before it has arrived wherever the others wait for it"
            },
        ),
        Problem::Unsupported { what } => (
            format!("the machine does not execute {what}"),
            "use a GPU backend for this kernel",
        ),
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, help) = story(&self.problem);
        writeln!(f, "{what}")?;
        write!(
            f,
            "  in `{}` at {}, block {:?}, thread {:?}",
            self.kernel, self.location, self.block, self.thread
        )?;
        match self.problem.check() {
            Some(check) => writeln!(f, " ({})", check.name())?,
            None => writeln!(f)?,
        }
        write!(f, "  help: {help}")
    }
}
