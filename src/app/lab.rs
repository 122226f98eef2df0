//! The lab: flip fusions and walls, see launches and bytes.

use super::bench::{Bench, Switch};
use super::figure;
use super::keymap::{Action, FooterItem};
use super::machine::{Machine, Source};
use super::message::Effect;
use super::note::Tone;
use super::page::Mark;
use super::ribbon::{self, COUNT, Group, SLOTS};
use super::runs::Runs;
use super::state::State;
use crate::cost::{Bound, Cost, CostError, KernelCost};
use crate::fusion::{Boundary, Cut, Fusion, Version};
use crate::model::{Dtype, OpKind};

/// A part of the page that takes the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// The toggles.
    #[default]
    Fusions,
    /// This plan against V1.
    Table,
    /// The kernel ribbon.
    Ribbon,
}

/// The kind of number on the ribbon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Bytes of the model.
    #[default]
    Bytes,
    /// FLOP per byte of the model.
    Intensity,
    /// Floor under the present roof.
    Floor,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Bytes, Kind::Intensity, Kind::Floor];

    fn next(self) -> Self {
        let at = Self::ALL.iter().position(|k| *k == self).unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }
}

/// What the lab remembers.
#[derive(Clone, Debug, Default)]
pub struct Lab {
    /// The part that takes the keys.
    pub part: Part,
    /// The slot under `▼`; the kernel that holds it is selected.
    pub slot: usize,
    /// The toggle under `►`.
    pub toggle: usize,
    /// The row of the table under the cursor.
    pub row: usize,
    /// The kind of number on the ribbon.
    pub kind: Kind,
    /// The line under the page where no message stands.
    pub hint: Hint,
}

/// A line about what the cursor is on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hint {
    /// From the left edge.
    pub text: String,
    /// At the right edge, where there is room.
    pub aside: String,
}

/// Keys that the footer names.
pub const FOOTER: &[FooterItem] = &[
    (&[Action::Flip], "flip"),
    (&[Action::NextVersion], "version"),
    (&[Action::Wall], "wall"),
    (&[Action::Bytes], "unit"),
    (&[Action::Setup], "setup"),
    (&[Action::Run], "run"),
    (&[Action::Go(super::Page::Compare)], "compare"),
    (&[Action::Why], "why"),
    (&[Action::Help], "help"),
];

/// Number of rows of the table.
pub const ROWS: usize = 8;

impl Lab {
    /// Cursor and scroll, for the way back.
    pub fn mark(&self) -> Mark {
        Mark {
            item: self.slot,
            scroll: self.toggle,
        }
    }

    /// Puts cursor and scroll back.
    pub fn restore(&mut self, mark: Mark) {
        self.slot = mark.item.min(COUNT - 1);
        self.toggle = mark.scroll.min(Fusion::ALL.len() - 1);
    }

    /// The fusion under `►`.
    pub fn fusion(&self) -> Fusion {
        Fusion::ALL.get(self.toggle).copied().unwrap_or(Fusion::Qkv)
    }
}

/// The group under `▼`.
pub fn selected(bench: &Bench, slot: usize) -> Option<Group> {
    ribbon::groups(bench.effective_cut())
        .into_iter()
        .find(|g| g.holds(slot))
}

/// The priced kernel that a group of the ribbon stands for; the first of two
/// where RoPE of q and of k are launched apart.
pub fn kernel_of<'c>(cost: &'c Cost, group: &Group) -> Option<&'c KernelCost> {
    kernels_of(cost, group).next()
}

/// The priced kernels that a box of the ribbon stands for: one, or two where
/// RoPE of q and of k are launched apart.
pub fn kernels_of<'c>(
    cost: &'c Cost,
    group: &Group,
) -> impl Iterator<Item = &'c KernelCost> + use<'c> {
    // A group that goes on from the block before is the kernel that ends this
    // one: its last op names it.
    let first = if group.is_echo() {
        COUNT - 1
    } else {
        group.first
    };
    let mut ops: Vec<OpKind> = SLOTS.get(first).map(|s| s.op).into_iter().collect();
    if group.rope_twice {
        ops.push(OpKind::RopeK);
    }
    let holds = |k: &KernelCost, op: OpKind| k.flop_terms.iter().any(|t| t.op == op);
    cost.block
        .kernels
        .iter()
        .filter(move |k| ops.iter().any(|op| holds(k, *op)))
}

/// What a box of the ribbon costs: the sums over its kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoxCost {
    /// Floating-point operations.
    pub flops: u64,
    /// Activation bytes read.
    pub read: u64,
    /// Weight bytes.
    pub weights: u64,
    /// Bytes written.
    pub written: u64,
}

impl BoxCost {
    /// The sums over the kernels of a box.
    pub fn of(cost: &Cost, group: &Group) -> Self {
        kernels_of(cost, group).fold(Self::default(), |sum, k| BoxCost {
            flops: sum.flops + k.flops,
            read: sum.read + k.read_bytes,
            weights: sum.weights + k.weight_bytes,
            written: sum.written + k.written_bytes,
        })
    }

    /// All bytes.
    pub fn bytes(&self) -> u64 {
        self.read + self.weights + self.written
    }

    /// FLOPs per byte.
    pub fn intensity(&self) -> f64 {
        self.flops as f64 / self.bytes().max(1) as f64
    }
}

/// Which side of the roof a kernel meets, on the machine's ceilings.
pub fn bound(machine: &Machine, kernel: &KernelCost, dtype: Dtype) -> Option<Bound> {
    machine.ceilings.as_ref()?.bound(kernel, dtype)
}

/// Acts on the lab; the same keys serve the live block of a lesson.
pub fn act(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    match action {
        Action::NextPart => state.lab.part = next_part(state.lab.part),
        Action::PreviousPart => state.lab.part = next_part(next_part(state.lab.part)),
        Action::Up | Action::Down | Action::Top | Action::End => walk(state, action),
        Action::Left => step(state, false),
        Action::Right => step(state, true),
        Action::Flip => flip(state, state.lab.fusion()),
        Action::Wall => wall(state),
        Action::NextVersion => version(state, true),
        Action::PreviousVersion => version(state, false),
        Action::Undo => undo(state),
        Action::Bytes => state.lab.kind = state.lab.kind.next(),
        Action::Run => run(state, effects),
        Action::RunAll => run_all(state, effects),
        Action::Why | Action::Open => why(state),
        _ => {}
    }
}

/// Flips a fusion of the plan and says what that changes.
pub fn flip(state: &mut State, fusion: Fusion) {
    let cut = state.bench.flipped(fusion);
    put(state, cut, Change::Flip);
}

fn next_part(part: Part) -> Part {
    match part {
        Part::Fusions => Part::Table,
        Part::Table => Part::Ribbon,
        Part::Ribbon => Part::Fusions,
    }
}

fn walk(state: &mut State, action: Action) {
    let lab = &mut state.lab;
    let moved = |at: usize, count: usize| match action {
        Action::Up => at.saturating_sub(1),
        Action::Down => (at + 1).min(count - 1),
        Action::Top => 0,
        _ => count - 1,
    };
    match lab.part {
        Part::Fusions => lab.toggle = moved(lab.toggle, Fusion::ALL.len()),
        Part::Table => lab.row = moved(lab.row, ROWS),
        Part::Ribbon => match action {
            Action::Top => lab.slot = 0,
            Action::End => lab.slot = COUNT - 1,
            // The other row, to the slot that stands nearest.
            _ => {
                let from = SLOTS.get(lab.slot).copied().unwrap_or(SLOTS[0]);
                let row = u16::from(action == Action::Down);
                let nearest = (0..COUNT)
                    .filter(|i| SLOTS[*i].row == row)
                    .min_by_key(|i| SLOTS[*i].x.abs_diff(from.x));
                lab.slot = nearest.unwrap_or(lab.slot);
            }
        },
    }
}

/// To the next kernel of the ribbon, left or right. Where the ribbon takes
/// the keys it is the next slot: walls inside a kernel can be reached too.
fn step(state: &mut State, right: bool) {
    if state.lab.part == Part::Ribbon {
        let slot = state.lab.slot;
        state.lab.slot = if right {
            (slot + 1).min(COUNT - 1)
        } else {
            slot.saturating_sub(1)
        };
        return;
    }
    let Some(group) = selected(&state.bench, state.lab.slot) else {
        return;
    };
    let slot = if right {
        (group.last + 1).min(COUNT - 1)
    } else {
        let left = group.first.saturating_sub(1);
        selected(&state.bench, left).map_or(left, |g| g.first)
    };
    state.lab.slot = slot;
}

/// What was changed, for the sentence about it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Flip,
    Wall,
    Version,
}

fn put(state: &mut State, cut: Cut, change: Change) {
    let before = state.bench.cost().clone();
    match state.bench.put(cut) {
        Ok(()) => {
            let text = changed(&before, state.bench.cost(), state.bench.v1(), change);
            state.notes.say(Tone::Plain, text);
        }
        Err(error) => state.notes.say(Tone::Bad, error.to_string()),
    }
}

/// One sentence about a change of plan.
fn changed(before: &Cost, now: &Cost, v1: &Cost, change: Change) -> String {
    let column = figure::byte_column(v1.block.bytes());
    let unit = column.unit();
    let from = if change == Change::Version {
        v1
    } else {
        before
    };
    let (old, new) = (from.block.bytes(), now.block.bytes());
    let arrow = format!(
        "block {} → {} {} =",
        figure::bytes(column, old),
        figure::bytes(column, new),
        unit.symbol()
    );
    let part = 100.0 * (1.0 - new as f64 / old.max(1) as f64);
    let percent = match new.cmp(&old) {
        std::cmp::Ordering::Less => format!("{part:5.2} % less"),
        std::cmp::Ordering::Equal => "as before".to_owned(),
        std::cmp::Ordering::Greater => format!("{:5.2} % more", -part),
    };
    if change == Change::Version {
        let intensity = format!("{:.2} FLOP/B", now.block.intensity());
        if now.block.weight_bytes * 2 > new {
            return format!(
                "{arrow} {percent} · {} of it are weights · {intensity}",
                figure::bytes(column, now.block.weight_bytes)
            );
        }
        return format!("{arrow} {percent} than V1 · {intensity}");
    }
    let (peak, v1_peak) = (now.peak.bytes, v1.peak.bytes);
    let as_v1 = if peak == v1_peak { " as V1" } else { "" };
    let peak = format!(
        "peak {} {}{as_v1}",
        figure::bytes(column, peak),
        unit.symbol()
    );
    let kept = |cost: &Cost| {
        !cost
            .block
            .kernels
            .iter()
            .any(|k| k.moved.iter().any(|m| m.name == "sc"))
    };
    let (was, is) = (before.block.launches(), now.block.launches());
    let what = if kept(now) && !kept(before) {
        "scores stay on chip".to_owned()
    } else if is < was {
        format!("{} less", figure::counted(was - is, "launch", "launches"))
    } else if is > was {
        format!("{} more", figure::counted(is - was, "launch", "launches"))
    } else {
        "launches as before".to_owned()
    };
    format!("{arrow} {percent} · {what} · {peak}")
}

/// Flips the wall right of the kernel under the cursor.
fn wall(state: &mut State) {
    let Some(group) = selected(&state.bench, state.lab.slot) else {
        return;
    };
    // Where the ribbon takes the keys, the wall right of the slot is meant; it
    // may stand inside the kernel and go up again.
    let slot = match state.lab.part {
        Part::Ribbon => state.lab.slot,
        _ => group.last,
    };
    if let Some(wall) = ribbon::wall_after(slot) {
        let cut = state.bench.wall_flipped(wall);
        put(state, cut, Change::Wall);
    }
}

fn version(state: &mut State, forward: bool) {
    let versions = Version::WORKSHOP;
    let at = versions.iter().position(|v| v.cut() == state.bench.cut());
    let to = match (at, forward) {
        (Some(i), true) => (i + 1) % versions.len(),
        (Some(i), false) => (i + versions.len() - 1) % versions.len(),
        // From a plan of the learner's own, back to the first version.
        (None, true) => 0,
        (None, false) => versions.len() - 1,
    };
    if let Some(v) = versions.get(to) {
        put(state, v.cut(), Change::Version);
    }
}

fn undo(state: &mut State) {
    let before = state.bench.cost().clone();
    match state.bench.undo() {
        Ok(true) => {
            let text = changed(&before, state.bench.cost(), state.bench.v1(), Change::Flip);
            state.notes.say(Tone::Plain, text);
        }
        Ok(false) => state.notes.say(Tone::Plain, "Nothing to undo."),
        Err(error) => state.notes.say(Tone::Bad, error.to_string()),
    }
}

/// Runs this plan, and V1 beside it where it was not run yet.
fn run(state: &mut State, effects: &mut Vec<Effect>) {
    let plan = state.bench.cut();
    let v1 = Version::V1.cut();
    let mut cuts = vec![plan];
    if plan != v1 && state.runs.of(state.bench.setup(), v1).is_none() {
        cuts.push(v1);
    }
    start(state, cuts, effects);
}

/// Runs this plan and V1 again.
fn run_all(state: &mut State, effects: &mut Vec<Effect>) {
    let mut cuts = vec![state.bench.cut(), Version::V1.cut()];
    cuts.dedup();
    start(state, cuts, effects);
}

/// Asks for plans to be run, or says what the backend lacks.
pub fn start(state: &mut State, cuts: Vec<Cut>, effects: &mut Vec<Effect>) {
    if let Some(backend) = state.machine.backend() {
        let missing = cuts
            .iter()
            .flat_map(|c| c.largest_fusions())
            .find(|f| backend.lacks.contains(f));
        if let Some(fusion) = missing {
            let text = format!(
                "{} has no kernel for {}. The model prices it; cpu can run it (p, backend).",
                backend.name,
                fusion.name()
            );
            state.notes.say(Tone::Warn, text);
            return;
        }
    }
    let setup = state.bench.setup().clone();
    let now = state.now;
    match state.runs.ask(&setup, cuts, now) {
        Some((ticket, request)) => effects.push(Effect::StartRun(ticket, Box::new(request))),
        None => state.notes.say(
            Tone::Plain,
            "A run is in progress; this one is next. Ctrl-C stops the run.",
        ),
    }
}

/// Opens the terms behind the number under the cursor.
fn why(state: &mut State) {
    let key = match state.lab.part {
        Part::Table => match table_key(state.lab.row) {
            Some(key) => key.to_owned(),
            None => {
                state.notes.say(
                    Tone::Plain,
                    "No terms of the cost model stand behind this row: see the ceilings in Doctor.",
                );
                return;
            }
        },
        _ => {
            let group = selected(&state.bench, state.lab.slot);
            let kernel = group.and_then(|g| kernel_of(state.bench.cost(), &g));
            let op = kernel.and_then(|k| k.flop_terms.first()).map(|t| t.op);
            let Some(op) = op else { return };
            let field = match state.lab.kind {
                Kind::Bytes | Kind::Floor => "bytes",
                Kind::Intensity => "intensity",
            };
            format!("kernel.{}.{field}", op.name())
        }
    };
    state.open_why(&key);
}

/// The key of `cost::why` behind a row of the table.
pub fn table_key(row: usize) -> Option<&'static str> {
    match row {
        0 => Some("block.launches"),
        1 => Some("forward.launches"),
        2 => Some("block.bytes"),
        3 => Some("block.weight_bytes"),
        4 => Some("block.intensity"),
        _ => None,
    }
}

/// A row of the table: this plan against V1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// What it is, its unit and its source.
    pub label: String,
    /// Of this plan.
    pub plan: String,
    /// Of V1.
    pub v1: String,
    /// How much less, or how many times.
    pub saved: String,
    /// The row is measured.
    pub measured: bool,
}

/// This plan against V1.
pub fn table(bench: &Bench, machine: &Machine, runs: &Runs) -> Vec<Row> {
    let (cost, v1) = (bench.cost(), bench.v1());
    let dtype = bench.setup().dtype;
    let column = figure::byte_column(v1.block.bytes());
    let unit = column.unit().symbol();
    let row = |label: String, plan: f64, v1: f64, show: &dyn Fn(f64) -> String| Row {
        label,
        plan: show(plan),
        v1: show(v1),
        saved: figure::saved(v1, plan, 1),
        measured: false,
    };
    let whole = |v: f64| format!("{v:.0}");
    let size = |v: f64| figure::bytes(column, v as u64);
    // V1 is the largest of its row, as far as anything is saved.
    let micros_of = |largest: f64| move |v: f64| figure::micros_in_row(v, largest);
    let of = |f: fn(&Cost) -> u64| (f(cost) as f64, f(v1) as f64);
    let (a, b) = of(|c| c.block.launches());
    let mut rows = vec![row("launches, block".into(), a, b, &whole)];
    let (a, b) = of(|c| c.forward.launches());
    rows.push(row("launches, forward".into(), a, b, &whole));
    let (a, b) = of(|c| c.block.bytes());
    rows.push(row(format!("{unit}, block ="), a, b, &size));
    let (a, b) = of(|c| c.block.weight_bytes);
    rows.push(row("  weights =".into(), a, b, &size));
    let (a, b) = (cost.block.intensity(), v1.block.intensity());
    rows.push(Row {
        saved: figure::times(b, a),
        ..row("FLOP/B, block =".into(), a, b, &|v| format!("{v:.2}"))
    });
    let floors = machine
        .ceilings
        .as_ref()
        .and_then(|c| Some((c.floor(&cost.forward, dtype)?, c.floor(&v1.forward, dtype)?)));
    rows.push(match floors {
        Some((a, b)) => row("floor µs, fwd =".into(), a, b, &micros_of(a.max(b))),
        None => unknown("floor µs, fwd ="),
    });
    let launch = machine.ceilings.as_ref().and_then(|c| c.launch);
    rows.push(match launch {
        Some(l) => {
            let label = match l.source {
                Source::Recorded => "launch µs, rec. =",
                _ => "launch µs, fwd =",
            };
            let times = |c: &Cost| c.forward.launches() as f64 * l.seconds;
            let (a, b) = (times(cost), times(v1));
            row(label.into(), a, b, &micros_of(a.max(b)))
        }
        None => unknown("launch µs, fwd ="),
    });
    rows.push(times(bench, runs));
    rows
}

/// A figure that cannot be had here.
fn unknown(label: &str) -> Row {
    Row {
        label: label.to_owned(),
        plan: "–".into(),
        v1: "–".into(),
        ..Row::default()
    }
}

/// The row of measured times.
fn times(bench: &Bench, runs: &Runs) -> Row {
    let of = |cut: Cut| {
        let time = runs.of(bench.setup(), cut)?.time_us.as_ref()?;
        Some(time.median)
    };
    let (plan, v1) = (of(bench.cut()), of(Version::V1.cut()));
    let largest = plan.unwrap_or(0.0).max(v1.unwrap_or(0.0)) * 1e-6;
    let show = |t: Option<f64>| {
        t.map_or("·".to_owned(), |t| {
            figure::micros_in_row(t * 1e-6, largest)
        })
    };
    Row {
        label: "time µs, fwd @".into(),
        plan: show(plan),
        v1: show(v1),
        saved: match (plan, v1) {
            (Some(a), Some(b)) => figure::saved(b, a, 1),
            _ => "r runs".into(),
        },
        measured: true,
    }
}

/// The line about what the cursor is on.
pub fn hint(bench: &Bench, machine: &Machine, fusion: Fusion) -> Result<Hint, CostError> {
    let name = fusion.name();
    let cost = bench.cost();
    let column = figure::byte_column(bench.v1().block.bytes());
    let unit = column.unit().symbol();
    if bench.switch(fusion) != Switch::Off {
        if bench.cut().is_joined(Boundary::CROSS) && fusion == Fusion::NormResidual {
            return Ok(Hint {
                text: "► res2 runs together with norm1 of the next block; “prev.” is that same launch."
                    .into(),
                aside: String::new(),
            });
        }
        let without = bench.price_of(bench.flipped(fusion))?;
        let gone = without.block.bytes().saturating_sub(cost.block.bytes());
        let tensors = written(&without).saturating_sub(written(cost));
        let gone = format!("{} {unit}", figure::bytes(column, gone));
        let what = match tensors {
            0 => format!("reads of {gone} are gone."),
            1 => format!("its write and its read, {gone}, are gone."),
            _ => format!("writes and reads of {gone} are gone."),
        };
        return Ok(Hint {
            text: format!("{name} on: {}; {what}", fusion.summary()),
            aside: String::new(),
        });
    }
    let next = Version::WORKSHOP
        .iter()
        .position(|v| v.cut() == bench.cut())
        .and_then(|i| Version::WORKSHOP.get(i + 1))
        .map_or(String::new(), |v| format!("v goes to {}", v.title()));
    if let Some(backend) = machine.backend()
        && let Some(lacking) = backend.lacks.first()
    {
        return Ok(Hint {
            text: format!(
                "* {}: {} has no kernel for it; it is priced, not run.",
                lacking.name(),
                backend.name
            ),
            aside: next,
        });
    }
    let with = bench.price_of(bench.cut().fuse(fusion))?;
    let less = cost.block.bytes().saturating_sub(with.block.bytes());
    Ok(Hint {
        text: format!(
            "{name}: {}: {} {unit} less =.",
            fusion.summary(),
            figure::bytes(column, less)
        ),
        aside: next,
    })
}

/// Tensors that the kernels of a block write.
fn written(cost: &Cost) -> usize {
    cost.block
        .kernels
        .iter()
        .flat_map(|k| &k.moved)
        .filter(|m| m.direction == crate::cost::Direction::Write)
        .count()
}
