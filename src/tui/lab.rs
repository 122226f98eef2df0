//! The lab: ribbon, inspector, toggles, this plan against V1.

mod against;
mod inspector;
mod trips;

pub use against::{against, table_title};
pub use inspector::short_name;

use inspector::inspector;

use super::merit::Plans;
use super::pen::{Pen, clip, width};
use super::ribbon;
use super::theme::Role;
use super::{cards, frame, kernels};
use app::State;
use app::bench::Switch;
use app::figure;
use app::lab::{COLUMN, Kind, Part, box_bytes, compared, counted};
use app::live::lender;
use app::merit::{self, Pane};
use app::mouse::Target;
use app::ribbon::{BoxCost, Group, bound, groups, kernel_of};
use plan::cost::{Bound, KernelCost};
use plan::fusion::Fusion;
use plan::units::compact;

/// Cells of the bar of V1's largest kernel.
const SCALE: u64 = 5;

/// Draws the page.
pub fn draw(state: &State, pen: &mut Pen<'_>) {
    let last = pen.height().saturating_sub(1);
    let (columns, rows) = (pen.width(), pen.height());
    // What is below the ribbon ends a row above that of a card.
    let covered = cards::covered(state);
    let below = covered.saturating_sub(1);
    if state.lab.pane != Pane::Off {
        let top = if state.shared.two_panes() { 2 } else { 1 };
        figures(state, &mut pen.part(0, top, columns, rows - top - 2));
    } else if let Some(reached) = state.lab.trips {
        let top = if state.shared.two_panes() { 2 } else { 1 };
        trips::draw(
            state,
            reached,
            &mut pen.part(0, top, columns, (rows - top - 2).saturating_sub(covered)),
        );
    } else if state.shared.two_panes() {
        frame::panes(pen, frame::LEFT + 1, last - 2);
        let height = last - 5;
        body(state, &mut pen.part(0, 3, frame::LEFT, height));
        let room = (height - 22).saturating_sub(below);
        kernels::list(state, &mut pen.part(0, 25, frame::LEFT, room));
        // Label and value stay near each other.
        let right = (columns - frame::LEFT - 2).min(frame::LEFT);
        let room = height.saturating_sub(below);
        kernels::detail(state, &mut pen.part(frame::LEFT + 2, 3, right, room));
    } else {
        body(state, &mut pen.part(0, 1, frame::LEFT, rows - 3));
        // Rows beyond 24 go to the kernels, columns beyond 100 to one of them.
        if rows > 28 {
            let room = (rows - 26).saturating_sub(below);
            kernels::list(state, &mut pen.part(0, 23, frame::LEFT, room));
        }
        if columns >= 104 {
            let room = columns - frame::LEFT - 2;
            let height = (rows - 3).saturating_sub(below);
            kernels::detail(state, &mut pen.part(frame::LEFT + 1, 1, room, height));
        }
    }
    let hint = &state.lab.hint;
    frame::message(state, &hint.text, &hint.aside, pen, last - 1);
    cards::draw(state, pen);
}

/// The plan and V1 by their figures of merit.
fn figures(state: &State, pen: &mut Pen<'_>) {
    let shared = &state.shared;
    let compared = compared(shared);
    let run = match compared.len() {
        1 => "r runs the plan:",
        _ => "r runs the plan beside V1:",
    };
    Plans {
        titles: compared.iter().map(|c| c.config.cut.title()).collect(),
        merits: compared.iter().map(|c| merit::of(shared, c)).collect(),
        at: 0,
        before: &merit::before(shared, run),
    }
    .draw(state.lab.pane, pen);
}

/// Title, ribbon, inspector, toggles and table: 21 rows of 80 columns.
pub fn body(state: &State, pen: &mut Pen<'_>) {
    title(state, pen);
    let mut strip = pen.part(1, 1, 63, ribbon::HEIGHT);
    ribbon::draw(&boxes(state), &mut strip);
    if let Some((picture, slots)) = state.shared.merge.seen(state.shared.now) {
        ribbon::falling(picture, slots, &mut strip);
    }
    inspector(state, pen);
    let y = 11;
    pen.rule(0, frame::LEFT, y);
    pen.put(38, y, "┬", Role::Dim);
    heading(pen, 1, y, " fusions ", state.lab.part == Part::Fusions);
    heading(
        pen,
        40,
        y,
        &table_title(state, pen.width().saturating_sub(40)),
        state.lab.part == Part::Table,
    );
    pen.upright(38, y + 1, y + 10);
    let keys = state.lab.part == Part::Fusions;
    toggles(state, keys, &mut pen.part(0, y + 1, 38, 9));
    against(state, &mut pen.part(39, y + 1, 41, 9));
}

/// A heading in a rule; that of the part that takes the keys has a mark.
fn heading(pen: &mut Pen<'_>, x: u16, y: u16, text: &str, active: bool) {
    let role = if active { Role::Accent } else { Role::Dim };
    pen.put(x, y, text, role);
    if active {
        pen.put(x, y, "►", role);
    }
}

fn title(state: &State, pen: &mut Pen<'_>) {
    let cost = state.shared.bench.cost();
    let (block, forward) = (cost.block.launches(), cost.forward.launches());
    let plan = state.shared.bench.cut().full_title();
    let named = |counts: String| format!("{plan} · {counts}");
    // Where blocks share a launch the title says what the number is of.
    let (mut names, units) = match cost.shares_launch() {
        true => {
            let counted = cost.counted_launches();
            let names = vec![
                named(format!("{counted}; below, a block alone")),
                named(format!("{forward}/forward; a block alone")),
                plan.clone(),
            ];
            (names, vec![unit(state).replace(" per kernel", "")])
        }
        false => {
            let names = vec![
                named(cost.counted_launches()),
                named(format!("{block} per block, {forward} per forward")),
                named(format!("{block}/block, {forward}/forward")),
                plan.clone(),
            ];
            let unit = unit(state);
            let units = vec![
                unit.replace(" =", ", modelled ="),
                unit.clone(),
                unit.replace(" per kernel", ""),
            ];
            (names, units)
        }
    };
    if let Some(of) = lender(&state.reader, &state.shared) {
        let lent = names.iter().map(|name| format!("{of}: {name}"));
        names = lent.chain(names.iter().cloned()).collect();
    }
    let role = match state.lab.kind {
        Kind::Issued => Role::Issued,
        _ => Role::Modelled,
    };
    // A long name takes the room of other words: it says which fusions are on.
    let room = usize::from(frame::LEFT) - 4;
    let both = names
        .iter()
        .flat_map(|name| units.iter().map(move |unit| (name, unit)));
    let fitting = both
        .clone()
        .find(|(name, unit)| width(name) + width(unit) <= room);
    if let Some((name, unit)) = fitting.or(both.last()) {
        let left = room.saturating_sub(width(unit));
        pen.put(1, 0, &clip(name, left), Role::Text);
        pen.right(frame::LEFT - 1, 0, unit, role);
    }
    if state.lab.part == Part::Ribbon {
        pen.put(0, 0, "►", Role::Accent);
    }
}

/// What the numbers on the ribbon are: `MB per kernel =`.
pub fn unit(state: &State) -> String {
    match state.lab.kind {
        Kind::Bytes => {
            let column = figure::byte_column(largest(state));
            format!("{} per kernel =", column.unit().symbol())
        }
        Kind::Issued => {
            let column = figure::byte_column(largest(state));
            format!("{} per kernel, issued #", column.unit().symbol())
        }
        Kind::Intensity => "FLOP/B per kernel =".to_owned(),
        Kind::Floor => "floor µs per kernel =".to_owned(),
    }
}

/// Bytes of the largest kernel of this plan and of V1: what the unit is
/// chosen for.
fn largest(state: &State) -> u64 {
    let of = |kernels: &[KernelCost]| kernels.iter().map(KernelCost::bytes).max();
    let plan = of(&state.shared.bench.cost().block.kernels).unwrap_or(0);
    plan.max(scale(state))
}

/// Bytes of V1's largest kernel: five cells of a bar.
fn scale(state: &State) -> u64 {
    let kernels = &state.shared.bench.v1().block.kernels;
    kernels.iter().map(KernelCost::bytes).max().unwrap_or(1)
}

/// Bytes that a run counted of a box, where one did.
fn issued(state: &State, group: &Group) -> Option<u64> {
    let report = counted(&state.shared.bench, &state.shared.runs)?;
    box_bytes(report, state.shared.bench.cost(), group)?.issued
}

/// The boxes of the ribbon with their numbers and bars.
pub fn boxes(state: &State) -> Vec<ribbon::Kernel> {
    let groups = groups(state.shared.bench.effective_cut());
    let alone = groups.len() == 1;
    let dtype = state.shared.bench.setup().dtype;
    let column = figure::byte_column(largest(state));
    // What a bar is long for: what the number beside it says, in whole parts.
    let length = |group: &Group| -> u64 {
        let cost = state.shared.bench.cost();
        match state.lab.kind {
            Kind::Issued => issued(state, group).unwrap_or(0),
            Kind::Intensity => (1e3 * BoxCost::of(cost, group).intensity()) as u64,
            Kind::Floor => kernel_of(cost, group)
                .and_then(|k| floor(state, k, &BoxCost::of(cost, group)))
                .map_or(0, |seconds| (1e12 * seconds) as u64),
            Kind::Bytes => BoxCost::of(cost, group).bytes(),
        }
    };
    let scale = match state.lab.kind {
        // Bytes are drawn on the scale of V1, whatever is joined.
        Kind::Bytes => scale(state),
        // The largest of this plan takes five cells.
        _ => groups.iter().map(&length).max().unwrap_or(0),
    };
    let scale = u128::from(scale.max(1));
    groups
        .into_iter()
        .map(|group| {
            let kernel = kernel_of(state.shared.bench.cost(), &group);
            let sum = BoxCost::of(state.shared.bench.cost(), &group);
            let content = kernel.map_or_else(ribbon::Content::default, |k| {
                let drawn = length(&group);
                let eighths =
                    (u128::from(drawn) * 80 * u128::from(SCALE / 5) + scale) / (2 * scale);
                ribbon::Content {
                    number: number(state, k, &group, &sum, column),
                    kind: match state.lab.kind {
                        Kind::Issued => Role::Issued,
                        _ => Role::Modelled,
                    },
                    eighths: (eighths as u64).max(u64::from(drawn > 0)),
                    bound: bound_role(bound(&state.shared.machine, k, dtype)),
                }
            });
            ribbon::Kernel {
                group,
                content,
                // One box alone has nothing to be told apart from.
                selected: !alone && group.holds(state.shared.slot),
                wall: (state.lab.part == Part::Ribbon && group.holds(state.shared.slot))
                    .then_some(state.shared.slot),
            }
        })
        .collect()
}

fn number(
    state: &State,
    kernel: &KernelCost,
    group: &Group,
    sum: &BoxCost,
    column: plan::units::Column,
) -> String {
    match state.lab.kind {
        Kind::Bytes => {
            let bytes = plan::units::Quantity::bytes(sum.bytes());
            compact(bytes.in_unit(column.unit())).trim().to_owned()
        }
        Kind::Issued => {
            let counted = counted(&state.shared.bench, &state.shared.runs);
            figure::of_run(counted.map(|_| issued(state, group)), |bytes| {
                let bytes = plan::units::Quantity::bytes(bytes);
                compact(bytes.in_unit(column.unit())).trim().to_owned()
            })
        }
        Kind::Intensity => compact(sum.intensity()).trim().to_owned(),
        Kind::Floor => {
            let floor = floor(state, kernel, sum);
            floor.map_or("–".to_owned(), |s| compact(s * 1e6).trim().to_owned())
        }
    }
}

/// Seconds that a box takes at least under the roof in use.
fn floor(state: &State, kernel: &KernelCost, sum: &BoxCost) -> Option<f64> {
    let ceilings = state.shared.machine.ceilings.as_ref()?;
    let roof = ceilings.roof(state.shared.bench.setup().dtype, kernel.has_product())?;
    Some(roof.floor_seconds(sum.flops, sum.bytes()))
}

/// The role of a fusion by how it stands.
pub const fn switched(switch: Switch) -> Role {
    match switch {
        Switch::Off => Role::Text,
        Switch::On | Switch::Inside => Role::Fused,
    }
}

/// The colour of a side of the roof; without a roof, memory.
pub fn bound_role(bound: Option<Bound>) -> Role {
    match bound {
        Some(Bound::Compute) => Role::Compute,
        _ => Role::Memory,
    }
}

/// The word of a side of the roof.
pub fn bound_word(bound: Option<Bound>) -> &'static str {
    match bound {
        Some(Bound::Compute) => "compute-bound",
        Some(Bound::Memory) => "memory-bound",
        None => "no roof known",
    }
}

/// The toggles in two columns. `keys`: they take the keys.
pub fn toggles(state: &State, keys: bool, pen: &mut Pen<'_>) {
    let lacks = |f: Fusion| {
        state
            .shared
            .machine
            .backend()
            .is_some_and(|b| b.lacks.contains(&f))
    };
    for (i, fusion) in Fusion::ALL.into_iter().enumerate() {
        let (x, y) = if i < COLUMN { (0, i) } else { (17, i - COLUMN) };
        let switch = state.shared.bench.switch(fusion);
        let (sign, role) = (switch.sign(), switched(switch));
        let star = if lacks(fusion) { "*" } else { "" };
        let here = state.lab.toggle == i;
        if here {
            pen.put(x, y as u16, if keys { "►" } else { "›" }, Role::Accent);
        }
        let end = pen.put(
            x + 1,
            y as u16,
            &format!("{sign} {}{star}", fusion.name()),
            role,
        );
        pen.spot(x, y as u16, end - x, Target::Toggle(i));
        if here && keys {
            pen.add(x + 1, y as u16, end - x - 1, ratatui::style::Modifier::BOLD);
        }
    }
    pen.put(1, 8, "[x] on  [+] inside a larger one", Role::Dim);
}
