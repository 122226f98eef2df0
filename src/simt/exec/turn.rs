use crate::block::BlockState;
use crate::causal::{Sem, Space, Touch};
use crate::fault::{Fault, FaultKind, Memory, Met, Problem};
use crate::memory::Global;
use crate::tally::Tally;

/// Lanes of a warp.
pub(crate) const WARP: usize = 32;

/// The mask of all lanes.
pub(crate) const FULL: u32 = u32::MAX;

/// One 32-bit register of a warp, a lane after the other. A 64-bit register is
/// two rows that follow each other, read as 32 lanes of 64 bits.
#[derive(Clone, Copy)]
#[repr(C, align(128))]
pub(crate) struct Row(pub [u32; WARP]);

/// A decoded instruction. Operands are row or predicate numbers.
#[derive(Clone, Copy)]
pub(crate) struct Inst {
    pub run: Handler,
    /// Destination, or the start of the operands in the program's lists.
    pub d: u32,
    pub a: u32,
    pub b: u32,
    pub c: u32,
    /// An immediate: an offset, a flag, a second destination.
    pub x: i32,
    /// Its own number: where its counts are kept.
    pub at: u32,
}

/// Executes one instruction for the active lanes; false stops the launch, with
/// the reason in [`Turn::fault`].
///
/// # Safety
/// The processor has what the handler was compiled for, and the instruction's
/// operands are rows and predicates of this warp.
pub(crate) type Handler = unsafe fn(&mut Turn<'_>, &Inst) -> bool;

/// One warp while it executes.
pub(crate) struct Turn<'a> {
    pub rows: &'a mut [Row],
    pub preds: &'a mut [u32],
    /// Active lanes.
    pub mask: u32,
    /// Lanes that have not returned.
    pub live: u32,
    /// Number of the warp within its block.
    pub warp: u32,
    pub lists: &'a [u32],
    /// The launch's parameters as words.
    pub params: &'a [u32],
    pub block: &'a mut BlockState,
    pub global: &'a Global,
    pub tally: &'a mut Tally,
    /// What the launch asked to be observed.
    pub count: bool,
    pub check: bool,
    /// The warp reads as one: `ldmatrix`.
    pub collective: bool,
    /// What is written takes its place now and arrives later: `cp.async`.
    pub arrives_later: bool,
    /// The instruction talks to other blocks: it orders, and does not race.
    pub talks: bool,
    /// What that does for the order, where clocks are kept.
    pub sem: Sem,
    pub fault: Option<Box<Fault>>,
}

impl Turn<'_> {
    /// The lanes of a register. `T` is 4 or 8 bytes wide, as the register is.
    ///
    /// # Safety
    /// `row` (and the row after it, for 8 bytes) is a row of this warp.
    #[inline(always)]
    pub unsafe fn row<T>(&mut self, row: u32) -> *mut T {
        debug_assert!((row as usize) < self.rows.len());
        // SAFETY: the caller says that the row exists.
        unsafe { self.rows.as_mut_ptr().add(row as usize).cast::<T>() }
    }

    /// All lanes of a register, copied.
    ///
    /// # Safety
    /// As for [`Turn::row`].
    #[inline(always)]
    pub unsafe fn lanes<T: Copy>(&mut self, row: u32) -> [T; WARP] {
        // SAFETY: the caller says that the rows exist; they hold 32 lanes.
        unsafe { self.row::<[T; WARP]>(row).read() }
    }

    /// Operand `number` of an instruction with listed operands.
    #[inline(always)]
    pub fn listed(&self, inst: &Inst, number: u32) -> u32 {
        self.lists
            .get((inst.d + number) as usize)
            .copied()
            .unwrap_or_default()
    }

    /// Stops the launch with a finding about `lane`.
    #[cold]
    pub fn fail(&mut self, inst: &Inst, lane: u32, problem: Problem) -> bool {
        self.fault = Some(Box::new(Fault {
            kind: problem.into(),
            at: inst.at,
            thread: self.warp * WARP as u32 + lane,
        }));
        false
    }

    /// This warp, as an agent of the clocks.
    pub fn agent(&self) -> u32 {
        let (block, warp) = (self.block.view.block, self.warp);
        let known = self.global.causal(|causal| causal.warp(block, warp));
        known.unwrap_or(0)
    }

    /// Notes an access where clocks are kept; false where nothing orders it.
    pub fn ordered(&mut self, inst: &Inst, lane: u32, touch: Touch) -> bool {
        let (agent, sem, talks) = (self.agent(), self.sem, self.talks);
        let met =
            self.global.causal(
                |causal| match talks && matches!(touch.space, Space::Buffer(_)) {
                    true => causal.talk(agent, sem, touch),
                    false => causal.touch(agent, touch),
                },
            );
        match met {
            Some(Err(met)) => self.unordered(inst, lane, touch, false, met),
            _ => true,
        }
    }

    /// Stops the launch for two accesses that nothing orders.
    #[cold]
    pub fn unordered(
        &mut self,
        inst: &Inst,
        lane: u32,
        touch: Touch,
        copies: bool,
        met: Met,
    ) -> bool {
        let memory = match touch.space {
            Space::Shared(_) => Memory::Shared {
                bytes: u64::from(self.block.shared_bytes),
            },
            Space::Buffer(buffer) => match self.global.buffers.get(buffer) {
                Some(buffer) => Memory::Buffer {
                    name: buffer.name.clone(),
                    bytes: buffer.bytes,
                },
                None => Memory::Nowhere,
            },
        };
        let kind = FaultKind::Unordered {
            memory,
            now: touch.access,
            copies,
            met,
        };
        self.fault = Some(Box::new(Fault {
            kind,
            at: inst.at,
            thread: self.warp * WARP as u32 + lane,
        }));
        false
    }

    /// The lowest active lane.
    #[inline(always)]
    pub fn first(&self) -> usize {
        (self.mask.trailing_zeros() & 31) as usize
    }
}

/// The lanes of a mask, lowest first.
#[inline(always)]
pub(crate) fn lanes_of(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let lane = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some(lane)
    })
}
