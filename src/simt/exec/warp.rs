//! Exchange between the lanes of a warp.

use super::lanes::handlers;
use super::pred;
use super::turn::{Inst, Turn, lanes_of};
use crate::fault::Problem;

/// Which lane a shuffle reads: PTX's four modes.
pub(crate) trait Mode {
    /// The source of `lane`, and whether it lies within `limit`; `segment` are the
    /// bits of a lane's number that name its segment.
    fn source(lane: u32, by: u32, segment: u32, limit: u32) -> (u32, bool);
}

pub(crate) struct Up;
pub(crate) struct Down;
pub(crate) struct Butterfly;
pub(crate) struct Index;

impl Mode for Up {
    #[inline(always)]
    fn source(lane: u32, by: u32, _: u32, limit: u32) -> (u32, bool) {
        let source = lane as i32 - by as i32;
        (source as u32, source >= limit as i32)
    }
}

impl Mode for Down {
    #[inline(always)]
    fn source(lane: u32, by: u32, _: u32, limit: u32) -> (u32, bool) {
        (lane + by, lane + by <= limit)
    }
}

impl Mode for Butterfly {
    #[inline(always)]
    fn source(lane: u32, by: u32, _: u32, limit: u32) -> (u32, bool) {
        (lane ^ by, lane ^ by <= limit)
    }
}

impl Mode for Index {
    #[inline(always)]
    fn source(lane: u32, by: u32, segment: u32, limit: u32) -> (u32, bool) {
        let source = lane & segment | by & !segment;
        (source, source <= limit)
    }
}

/// Whether the lanes that an instruction names are those that execute it.
fn together(turn: &mut Turn<'_>, inst: &Inst, named: u32) -> bool {
    let (wanted, active) = (named & turn.live, turn.mask);
    if wanted == active {
        return true;
    }
    let lane = (wanted ^ active).trailing_zeros();
    turn.fail(
        inst,
        lane,
        Problem::LanesMissing {
            wanted: named,
            active,
        },
    )
}

/// # Safety
/// As for `Handler`. Listed: result, value, lane, clamp, members; x is the second
/// destination's predicate, or −1.
#[inline(always)]
unsafe fn shuffle<M: Mode>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    let [d, value, by, clamp, members] = [0, 1, 2, 3, 4].map(|k| turn.listed(inst, k));
    // SAFETY: registers of 32 bits (`Handler`).
    let (values, by, clamp, members) = unsafe {
        (
            turn.lanes::<u32>(value),
            turn.lanes::<u32>(by),
            turn.lanes::<u32>(clamp),
            turn.lanes::<u32>(members),
        )
    };
    if !together(turn, inst, members[turn.first()]) {
        return false;
    }
    let mask = turn.mask;
    // SAFETY: the destination (`Handler`).
    let d = unsafe { turn.row::<u32>(d) };
    let mut inside = 0_u32;
    for lane in lanes_of(mask) {
        let (clamp, segment) = (clamp[lane] & 31, clamp[lane] >> 8 & 31);
        let limit = lane as u32 & segment | clamp & !segment;
        let (source, ok) = M::source(lane as u32, by[lane] & 31, segment, limit);
        let source = if ok { source & 31 } else { lane as u32 };
        if mask >> source & 1 == 0 {
            return turn.fail(inst, lane as u32, Problem::InactiveSource { lane: source });
        }
        inside |= u32::from(ok) << lane;
        // SAFETY: a register has 32 lanes.
        unsafe { d.add(lane).write(values[source as usize]) };
    }
    pred::set(turn, inst.x as u32, inside);
    true
}

handlers! {
    /// `shfl.sync`
    pub(crate) fn shfl<M: Mode> = shuffle::<M>
}

/// A vote: what the lanes' predicates say together.
pub(crate) trait Vote {
    fn result(yes: u32, mask: u32) -> u32;
}

pub(crate) struct Any;
pub(crate) struct All;
pub(crate) struct Uniform;
pub(crate) struct Ballot;

impl Vote for Any {
    fn result(yes: u32, _: u32) -> u32 {
        u32::from(yes != 0).wrapping_neg()
    }
}
impl Vote for All {
    fn result(yes: u32, mask: u32) -> u32 {
        u32::from(yes == mask).wrapping_neg()
    }
}
impl Vote for Uniform {
    fn result(yes: u32, mask: u32) -> u32 {
        u32::from(yes == mask || yes == 0).wrapping_neg()
    }
}
impl Vote for Ballot {
    fn result(yes: u32, _: u32) -> u32 {
        yes
    }
}

/// # Safety
/// As for `Handler`: a is a predicate, b the members; d is a predicate.
unsafe fn vote_pred<V: Vote>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: b is a register of 32 bits (`Handler`).
    let members = unsafe { turn.lanes::<u32>(inst.b) };
    if !together(turn, inst, members[turn.first()]) {
        return false;
    }
    let yes = pred::get(turn, inst.a) ^ inst.x as u32;
    let result = V::result(yes & turn.mask, turn.mask);
    pred::set(turn, inst.d, result);
    true
}

/// # Safety
/// As for `Handler`: a is a predicate, b the members; d a register.
unsafe fn vote_row<V: Vote>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: b is a register of 32 bits (`Handler`).
    let members = unsafe { turn.lanes::<u32>(inst.b) };
    if !together(turn, inst, members[turn.first()]) {
        return false;
    }
    let yes = pred::get(turn, inst.a) ^ inst.x as u32;
    let result = V::result(yes & turn.mask, turn.mask);
    // SAFETY: d is a register of 32 bits (`Handler`).
    unsafe { broadcast(turn, inst.d, result) };
    true
}

/// # Safety
/// `row` is a register of 32 bits.
unsafe fn broadcast(turn: &mut Turn<'_>, row: u32, value: u32) {
    // SAFETY: the caller's promise.
    let d = unsafe { turn.row::<u32>(row) };
    for lane in lanes_of(turn.mask) {
        // SAFETY: a register has 32 lanes.
        unsafe { d.add(lane).write(value) };
    }
}

handlers! {
    /// `vote.sync.any.pred` and its sisters; x inverts the source.
    pub(crate) fn vote<V: Vote> = vote_pred::<V>
}
handlers! {
    /// `vote.sync.ballot.b32`
    pub(crate) fn ballot<V: Vote> = vote_row::<V>
}

/// # Safety
/// As for `Handler`: d a register.
unsafe fn active(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    let mask = turn.mask;
    // SAFETY: d is a register of 32 bits (`Handler`).
    unsafe { broadcast(turn, inst.d, mask) };
    true
}

/// # Safety
/// As for `Handler`: b the members, d a predicate.
unsafe fn lowest(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: b is a register of 32 bits (`Handler`).
    let members = unsafe { turn.lanes::<u32>(inst.b) };
    if !together(turn, inst, members[turn.first()]) {
        return false;
    }
    pred::set(turn, inst.d, 1 << turn.first());
    true
}

handlers! {
    /// `elect.sync`
    pub(crate) fn elect = lowest
}

handlers! {
    /// `activemask`
    pub(crate) fn activemask = active
}

/// `redux.sync`: a reduction of 32-bit integers over the warp.
pub(crate) trait Reduce {
    fn join(a: u32, b: u32) -> u32;
}

macro_rules! reductions {
    ($($name:ident($a:ident, $b:ident) $body:expr;)*) => {
        $(
            pub(crate) struct $name;
            impl Reduce for $name {
                fn join($a: u32, $b: u32) -> u32 { $body }
            }
        )*
    };
}

reductions! {
    RedAdd(a, b) a.wrapping_add(b);
    RedAnd(a, b) a & b;
    RedOr(a, b) a | b;
    RedXor(a, b) a ^ b;
    RedMinU(a, b) a.min(b);
    RedMaxU(a, b) a.max(b);
    RedMinS(a, b) (a as i32).min(b as i32) as u32;
    RedMaxS(a, b) (a as i32).max(b as i32) as u32;
}

/// # Safety
/// As for `Handler`: a the value, b the members, d the result.
unsafe fn reduce<R: Reduce>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: registers of 32 bits (`Handler`).
    let (values, members) = unsafe { (turn.lanes::<u32>(inst.a), turn.lanes::<u32>(inst.b)) };
    if !together(turn, inst, members[turn.first()]) {
        return false;
    }
    let result = lanes_of(turn.mask).map(|lane| values[lane]).reduce(R::join);
    // SAFETY: as above.
    unsafe { broadcast(turn, inst.d, result.unwrap_or_default()) };
    true
}

handlers! {
    /// `redux.sync`
    pub(crate) fn redux<R: Reduce> = reduce::<R>
}

/// # Safety
/// As for `Handler`: a the value, b the members, d the lanes with the same value.
unsafe fn same(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: registers of 32 bits (`Handler`).
    let (values, members) = unsafe { (turn.lanes::<u32>(inst.a), turn.lanes::<u32>(inst.b)) };
    if !together(turn, inst, members[turn.first()]) {
        return false;
    }
    let mask = turn.mask;
    // SAFETY: as above.
    let d = unsafe { turn.row::<u32>(inst.d) };
    for lane in lanes_of(mask) {
        let equal = lanes_of(mask).filter(|&other| values[other] == values[lane]);
        let equal = equal.fold(0_u32, |all, other| all | 1 << other);
        // SAFETY: a register has 32 lanes.
        unsafe { d.add(lane).write(equal) };
    }
    true
}

handlers! {
    /// `match.any.sync.b32`
    pub(crate) fn match_any = same
}

/// # Safety
/// As for `Handler`: a holds the members.
unsafe fn sync(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: a register of 32 bits (`Handler`).
    let members = unsafe { turn.lanes::<u32>(inst.a) };
    if !together(turn, inst, members[turn.first()]) {
        return false;
    }
    let warp = turn.warp;
    turn.block.watch.sync_warp(warp);
    true
}

handlers! {
    /// `bar.warp.sync`
    pub(crate) fn warp_sync = sync
}

/// # Safety
/// As for `Handler`: d is 32 or 64 bits wide, as `T` is.
unsafe fn time<T: Copy + From<u32>>(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // Warp instructions of this worker: time goes on, and says nothing about a GPU.
    let now = T::from(turn.tally.steps as u32);
    // SAFETY: the destination (`Handler`).
    let d = unsafe { turn.row::<T>(inst.d) };
    for lane in lanes_of(turn.mask) {
        // SAFETY: a register has 32 lanes.
        unsafe { d.add(lane).write(now) };
    }
    true
}

/// A clock's register.
pub(crate) trait Ticks: Copy + From<u32> {}
impl Ticks for u32 {}
impl Ticks for u64 {}

handlers! {
    /// `mov %clock`
    pub(crate) fn clock<T: Ticks> = time::<T>
}

/// # Safety
/// As for `Handler`: a is a predicate, b the barrier's number; x inverts.
unsafe fn bring(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: a register of 32 bits (`Handler`).
    let id = unsafe { turn.lanes::<u32>(inst.b) }[turn.first()];
    let yes = (pred::get(turn, inst.a) ^ inst.x as u32) & turn.mask;
    let mask = turn.mask;
    if let Some(reduction) = turn.block.reductions.get_mut(id as usize) {
        reduction.any |= yes != 0;
        reduction.missing |= yes != mask;
        reduction.count += yes.count_ones();
    }
    true
}

handlers! {
    /// First half of `bar.red`: what the threads bring.
    pub(crate) fn barrier_bring = bring
}

/// # Safety
/// As for `Handler`: b the barrier's number; x 0 for and, 1 for or, to a predicate.
unsafe fn fetch_pred(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: a register of 32 bits (`Handler`).
    let id = unsafe { turn.lanes::<u32>(inst.b) }[turn.first()];
    let (any, all, _) = turn
        .block
        .reductions
        .get(id as usize)
        .copied()
        .unwrap_or_default()
        .result;
    let yes = if inst.x == 0 { all } else { any };
    pred::set(turn, inst.d, u32::from(yes).wrapping_neg());
    true
}

/// # Safety
/// As for `Handler`: b the barrier's number, d a register.
unsafe fn fetch_count(turn: &mut Turn<'_>, inst: &Inst) -> bool {
    // SAFETY: a register of 32 bits (`Handler`).
    let id = unsafe { turn.lanes::<u32>(inst.b) }[turn.first()];
    let reduction = turn
        .block
        .reductions
        .get(id as usize)
        .copied()
        .unwrap_or_default();
    // SAFETY: as above.
    unsafe { broadcast(turn, inst.d, reduction.result.2) };
    true
}

handlers! {
    /// Second half of `bar.red.and/or`.
    pub(crate) fn barrier_pred = fetch_pred
}
handlers! {
    /// Second half of `bar.red.popc`.
    pub(crate) fn barrier_count = fetch_count
}
