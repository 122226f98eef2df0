//! What happens before what, exactly: for launches whose protocol is to be shown right.
//!
//! Every warp has a vector clock, and so has every mbarrier for the copies that it
//! counts. A release leaves its warp's clock at the word that it writes, an acquire of
//! that word takes it; barriers of the block and mbarriers join those who come. Two
//! accesses to one place race if one is a write, not both are atomics of one size, and
//! the clocks do not order them: whether this order of execution showed it or not.
//!
//! The copy engine reads global memory through another proxy. It sees what its asker
//! knew at its last `fence.proxy.async`, and no more. Lanes of one warp count as
//! ordered; what `order` says of blocks and `watch` of lanes is coarser, and needs no
//! clock per warp.

mod clock;

use std::collections::HashMap;

use super::fault::{Access, Met, Party};
pub(crate) use clock::Clock;

/// Who touched a place, when, with which instruction.
#[derive(Clone, Copy, Debug)]
struct Mark {
    agent: u32,
    time: u32,
    at: u32,
    /// Bytes of an atomic access; 0 for a plain one.
    atomic: u8,
}

/// A product that still reads: no clock is that far.
const READING: u32 = u32::MAX;

#[derive(Clone, Debug, Default)]
struct Cell {
    writer: Option<Mark>,
    readers: Vec<Mark>,
}

/// Where a place is: a buffer, or the shared memory of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Buffer(usize),
    Shared(u32),
}

/// One access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub space: Space,
    pub offset: u64,
    pub bytes: u64,
    pub access: Access,
    /// Bytes of an atomic access; 0 for a plain one.
    pub atomic: u8,
    /// The instruction.
    pub at: u32,
}

/// What an instruction that talks to others does for the order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sem {
    pub acquires: bool,
    pub releases: bool,
    pub reads: bool,
    pub writes: bool,
    /// Elements of a vector access: each is an access of its own.
    pub parts: u8,
}

impl Sem {
    /// Of an instruction's name: `red.release.gpu.global.add.u32`.
    pub fn of(name: &str) -> Sem {
        let has = |modifier: &str| name.split('.').any(|part| part == modifier);
        let both = has("acq_rel");
        Sem {
            acquires: both || has("acquire"),
            releases: both || has("release"),
            reads: !name.starts_with("st"),
            writes: !name.starts_with("ld"),
            parts: if has("v4") {
                4
            } else if has("v2") {
                2
            } else {
                1
            },
        }
    }
}

/// The clocks of a launch.
#[derive(Debug, Default)]
pub(crate) struct Causal {
    warps: u32,
    blocks: u32,
    shift: u32,
    /// Of each warp, block after block.
    clocks: Vec<Clock>,
    /// What each warp knew at its last fence, and what it will know at the next.
    released: Vec<Clock>,
    pending: Vec<Clock>,
    /// What the copy engine sees when this warp asks.
    proxied: Vec<Clock>,
    /// What releases left at words of global memory.
    words: HashMap<(usize, u64), Clock>,
    /// What those brought who did not wait at a barrier of their block.
    arrived: HashMap<(u32, u32), Clock>,
    /// By space, then by place.
    cells: HashMap<u64, Vec<Cell>>,
    /// Agents that are no warps: the copies of an mbarrier.
    engines: u32,
}

impl Causal {
    /// Of a launch that has not begun.
    pub fn new(blocks: u32, warps: u32, granule: u32) -> Causal {
        let agents = (blocks * warps) as usize;
        let mut causal = Causal {
            warps,
            blocks,
            shift: granule.trailing_zeros(),
            clocks: vec![Clock::default(); agents],
            released: vec![Clock::default(); agents],
            pending: vec![Clock::default(); agents],
            proxied: vec![Clock::default(); agents],
            ..Causal::default()
        };
        for agent in 0..agents as u32 {
            causal.tick(agent);
        }
        causal
    }

    /// The agent that is a warp.
    pub fn warp(&self, block: u32, warp: u32) -> u32 {
        block * self.warps + warp
    }

    /// A new agent: the copies that one mbarrier counts.
    pub fn engine(&mut self) -> u32 {
        self.engines += 1;
        self.blocks * self.warps + self.engines - 1
    }

    fn tick(&mut self, agent: u32) {
        if let Some(clock) = self.clocks.get_mut(agent as usize) {
            clock.set(agent, clock.of(agent) + 1);
        }
    }

    /// What a warp hands on; what it does from now on is later.
    pub fn give(&mut self, agent: u32) -> Clock {
        let given = self.clocks.get(agent as usize).cloned().unwrap_or_default();
        self.tick(agent);
        given
    }

    /// A warp learns what others handed on.
    pub fn take(&mut self, agent: u32, what: &Clock) {
        if let Some(clock) = self.clocks.get_mut(agent as usize) {
            clock.join(what);
        }
    }

    /// Copies of `engine` have arrived for the `time`th time.
    pub fn landed(clock: &mut Clock, engine: u32, time: u32) {
        clock.set(engine, time);
    }

    /// `fence.acq_rel.gpu`, `membar.gl`.
    pub fn fence(&mut self, agent: u32) {
        let at = agent as usize;
        if let Some(pending) = self.pending.get_mut(at).map(std::mem::take) {
            self.take(agent, &pending);
        }
        let now = self.give(agent);
        if let Some(released) = self.released.get_mut(at) {
            *released = now;
        }
    }

    /// `fence.proxy.async`: what the warp knows, the copy engine sees from now on.
    pub fn fence_proxy(&mut self, agent: u32) {
        let now = self.give(agent);
        if let Some(proxied) = self.proxied.get_mut(agent as usize) {
            *proxied = now;
        }
    }

    /// A barrier of a block opens: those who waited, `warps`, know what all brought.
    pub fn barrier(&mut self, block: u32, id: u32, warps: &[u32]) {
        let mut all = self.arrived.remove(&(block, id)).unwrap_or_default();
        for &warp in warps {
            let given = self.give(self.warp(block, warp));
            all.join(&given);
        }
        for &warp in warps {
            self.take(self.warp(block, warp), &all);
        }
    }

    /// A warp comes to a barrier and does not wait.
    pub fn arrive(&mut self, block: u32, id: u32, warp: u32) {
        let given = self.give(self.warp(block, warp));
        self.arrived.entry((block, id)).or_default().join(&given);
    }

    /// An instruction of a warp talks to others through words of `bytes` bytes.
    pub fn talk(&mut self, agent: u32, sem: Sem, touch: Touch) -> Result<(), Met> {
        let each = (touch.bytes / u64::from(sem.parts.max(1))).max(1);
        for part in 0..touch.bytes / each {
            let offset = touch.offset + part * each;
            let one = Touch {
                offset,
                bytes: each,
                atomic: each as u8,
                ..touch
            };
            self.touch(agent, one)?;
            let Space::Buffer(buffer) = touch.space else {
                continue;
            };
            let word = (buffer, offset / 4);
            let left = self.words.get(&word).cloned().unwrap_or_default();
            if sem.reads {
                if sem.acquires {
                    self.take(agent, &left);
                } else if let Some(pending) = self.pending.get_mut(agent as usize) {
                    pending.join(&left);
                }
            }
            if sem.writes {
                // A store begins anew; what adds goes on with what was released before.
                let mut now = if sem.reads { left } else { Clock::default() };
                now.join(&match sem.releases {
                    true => self.give(agent),
                    false => self
                        .released
                        .get(agent as usize)
                        .cloned()
                        .unwrap_or_default(),
                });
                self.words.insert(word, now);
            }
        }
        Ok(())
    }

    /// An access of a warp.
    pub fn touch(&mut self, agent: u32, touch: Touch) -> Result<(), Met> {
        let time = self.clocks.get(agent as usize).map_or(0, |c| c.of(agent));
        self.note((agent, time), agent, false, touch)
    }

    /// A product of a warp's group begins to read.
    pub fn hold(&mut self, agent: u32, touch: Touch) -> Result<(), Met> {
        self.note((agent, READING), agent, false, touch)
    }

    /// It has read.
    pub fn let_go(&mut self, agent: u32, block: u32, offset: u64, bytes: u64) {
        let time = self.clocks.get(agent as usize).map_or(0, |c| c.of(agent));
        let numbers = self.numbers(offset, bytes);
        let cells = self.cells.get_mut(&Self::key(Space::Shared(block)));
        let cells = cells.and_then(|cells| cells.get_mut(numbers));
        for mark in cells
            .into_iter()
            .flatten()
            .flat_map(|cell| &mut cell.readers)
        {
            if mark.agent == agent && mark.time == READING {
                mark.time = time;
            }
        }
    }

    /// The copy engine reads or writes for `asker`; done when `engine` comes to `time`.
    pub fn copies(
        &mut self,
        (engine, time): (u32, u32),
        asker: u32,
        touch: Touch,
    ) -> Result<(), Met> {
        let proxy = matches!(touch.space, Space::Buffer(_));
        self.note((engine, time), asker, proxy, touch)
    }

    fn key(space: Space) -> u64 {
        match space {
            Space::Buffer(buffer) => buffer as u64,
            Space::Shared(block) => 1 << 32 | u64::from(block),
        }
    }

    fn numbers(&self, offset: u64, bytes: u64) -> std::ops::RangeInclusive<usize> {
        let last = (offset + bytes.max(1) - 1) >> self.shift;
        (offset >> self.shift) as usize..=last as usize
    }

    /// Whether somebody wrote all of this.
    pub fn is_written(&self, space: Space, offset: u64, bytes: u64) -> bool {
        let cells = self.cells.get(&Self::key(space));
        let cells = cells.and_then(|cells| cells.get(self.numbers(offset, bytes)));
        cells.is_some_and(|cells| cells.iter().all(|cell| cell.writer.is_some()))
    }

    /// Notes an access of `agent` at `time`, made with what `knower` knows.
    fn note(
        &mut self,
        (agent, time): (u32, u32),
        knower: u32,
        proxy: bool,
        touch: Touch,
    ) -> Result<(), Met> {
        let numbers = self.numbers(touch.offset, touch.bytes);
        let first = *numbers.start();
        let views = if proxy { &self.proxied } else { &self.clocks };
        let Some(view) = views.get(knower as usize) else {
            return Ok(());
        };
        let before = |mark: &Mark| {
            let own = mark.agent == agent && mark.time != READING && !proxy;
            let alike = mark.atomic != 0 && mark.atomic == touch.atomic;
            own || alike || view.of(mark.agent) >= mark.time
        };
        let mine = Mark {
            agent,
            time,
            at: touch.at,
            atomic: touch.atomic,
        };
        let cells = self.cells.entry(Self::key(touch.space)).or_default();
        if cells.len() <= *numbers.end() {
            cells.resize(*numbers.end() + 1, Cell::default());
        }
        let mut met = None;
        for (at, cell) in cells.get_mut(numbers).into_iter().flatten().enumerate() {
            let writer = cell.writer.filter(|mark| !before(mark));
            let reader = || cell.readers.iter().find(|mark| !before(mark)).copied();
            met = match (writer, touch.access) {
                (Some(mark), _) => Some((at, mark, Access::Write)),
                (None, Access::Read) => None,
                (None, _) => reader().map(|mark| (at, mark, Access::Read)),
            };
            if met.is_some() {
                break;
            }
            if touch.access != Access::Read {
                cell.writer = Some(mine);
                cell.readers.clear();
            } else if let Some(mark) = cell.readers.iter_mut().find(|mark| mark.agent == agent) {
                *mark = mine;
            } else {
                cell.readers.push(mine);
            }
        }
        let Some((at, mark, earlier)) = met else {
            return Ok(());
        };
        let known = self.clocks.get(knower as usize);
        let known = known.is_some_and(|clock| clock.of(mark.agent) >= mark.time);
        Err(Met {
            party: self.party(mark.agent, mark.time),
            earlier: if mark.atomic != 0 {
                Access::Atomic
            } else {
                earlier
            },
            at: mark.at,
            offset: ((first + at) as u64) << self.shift,
            proxy: proxy && known,
        })
    }

    fn party(&self, agent: u32, time: u32) -> Party {
        let warps = self.warps.max(1);
        if agent >= self.blocks * warps {
            return Party::Copies;
        }
        let (block, warp) = (agent / warps, agent % warps);
        match time {
            READING => Party::Product { block, warp },
            _ => Party::Warp { block, warp },
        }
    }
}

#[cfg(test)]
mod tests;
