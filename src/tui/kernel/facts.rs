//! What a kernel needs, what fits, and what it costs.

use crate::tui::lab::{bound_role, bound_word};
use crate::tui::pen::{Pen, clip, wrap};
use crate::tui::theme::Role;
use app::book::{Book, Kernel};
use app::kernel::{group, heat, registers, what_if};
use app::ribbon::{BoxCost, bound, kernel_of};
use app::{State, figure};
use plan::cost::OccupancyLimit;
use plan::run::KernelReport;
use plan::units::group_thousands;

/// Where values end.
const VALUES: u16 = 26;
/// Rows above which every count has one.
const ROOMY: u16 = 22;
/// Empty rows where there is room for all: one before each head but the first.
const GAPS: u16 = 3;
/// Rows of the facts with the what-if, without empty ones and without another roof's name.
const ROWS: u16 = 18;

/// Draws the facts, 27 columns wide.
pub(super) fn draw(state: &State, book: &Book, kernel: &Kernel, pen: &mut Pen<'_>) {
    // The name of another roof takes the room of gaps.
    let other = other_roof(state, book).is_some();
    let gaps = match (state.kernel.metric, other) {
        (_, false) => GAPS,
        (Some(_), true) if pen.height() <= ROOMY => 0,
        (Some(_), true) => GAPS,
        (None, true) => GAPS.min(pen.height().saturating_sub(ROWS + 1)),
    };
    let mut facts = Facts { pen, y: 0, gaps };
    facts.compiled(book, kernel);
    facts.design(book, kernel);
    match (state.kernel.metric, heat::counts(&state.shared)) {
        (Some(_), Some(counted)) => facts.counted(book, counted),
        _ => facts.occupancy(state, book, kernel),
    }
    facts.shape(state, book);
}

/// Whose the bound is, where that is not the device of the rest: the course's, or this one.
fn other_roof<'s>(state: &'s State, book: &Book) -> Option<&'s str> {
    let roof = state.shared.machine.ceilings.as_ref()?;
    Some(roof.of.as_str()).filter(|name| *name != book.gpu.short)
}

struct Facts<'p, 'b> {
    pen: &'p mut Pen<'b>,
    y: u16,
    /// Empty rows that are left to stand before a head.
    gaps: u16,
}

impl Facts<'_, '_> {
    fn head(&mut self, text: &str, sign: &str, role: Role) {
        if self.y > 0 && self.gaps > 0 {
            (self.y, self.gaps) = (self.y + 1, self.gaps - 1);
        }
        self.pen.put(1, self.y, &clip(text, 20), Role::Strong);
        self.pen.right(VALUES, self.y, sign, role);
        self.y += 1;
    }

    fn row(&mut self, label: &str, value: &str, role: Role) {
        self.pen.put(2, self.y, label, Role::Dim);
        self.pen.right(VALUES, self.y, value, role);
        self.y += 1;
    }

    /// What the compiler said, or that nobody has asked it.
    fn compiled(&mut self, book: &Book, kernel: &Kernel) {
        // Another machine's compiler said it, once.
        let sign = kernel.compiled.as_ref().map_or("", |_| "rec.");
        self.head(
            &format!("{}, {}", book.gpu.short, book.arch),
            sign,
            Role::Dim,
        );
        let said = |of: fn(&app::book::Compiled) -> String| {
            kernel.compiled.as_ref().map_or("·".to_owned(), of)
        };
        let registers = said(|c| c.registers.to_string());
        self.row("registers/thread", &registers, Role::Text);
        let spilled = said(|c| bytes(c.spilled));
        self.row("spilled to memory", &spilled, Role::Text);
    }

    fn design(&mut self, book: &Book, kernel: &Kernel) {
        self.head("thread blocks", "=", Role::Modelled);
        self.row("number", &kernel.blocks, Role::Modelled);
        self.row(
            "threads in each",
            &kernel.threads.to_string(),
            Role::Modelled,
        );
        let shared = bytes(kernel.shared_per_block());
        let label = format!("{} in each", shared_word(book));
        self.row(&label, &shared, Role::Modelled);
    }

    /// What the SIMT machine counted of the whole kernel.
    fn counted(&mut self, book: &Book, counted: &KernelReport) {
        self.head("counted, one launch", "#", Role::Issued);
        let Some(work) = counted.work else { return };
        let count = |n: u64| group_thousands(i128::from(n));
        let bytes = |bytes: Option<u64>| bytes.map_or("–".to_owned(), count);
        let sectors = work.sectors_per_request().zip(work.side_by_side());
        let active = work.active(book.gpu.warp_size);
        let roomy = self.pen.height() > ROOMY;
        let rows = [
            ("warp instr.", count(work.instructions), true),
            ("FLOP", count(work.flops), roomy),
            ("issued B", bytes(counted.bytes.issued), true),
            ("compulsory B", bytes(counted.bytes.compulsory), true),
            (
                "sectors/request",
                sectors.map_or("–".to_owned(), |(here, _)| figure::fixed(here, 1)),
                true,
            ),
            (
                "  side by side",
                sectors.map_or("–".to_owned(), |(_, ideal)| figure::fixed(ideal, 1)),
                roomy,
            ),
            ("bank conflicts", count(work.conflicts), true),
            (
                "divergent",
                format!("{}/{}", count(work.divergent), count(work.branches)),
                true,
            ),
            (
                "active lanes",
                active.map_or("–".to_owned(), |a| format!("{:.1} %", 100.0 * a)),
                true,
            ),
        ];
        for (label, value, _) in rows.iter().filter(|(_, _, shown)| *shown) {
            self.row(label, value, Role::Issued);
        }
    }

    fn occupancy(&mut self, state: &State, book: &Book, kernel: &Kernel) {
        // How many of them fit at once, by each limit.
        self.head("of them on one unit", "=", Role::Modelled);
        let with = format!("- {} +", registers(&state.kernel, kernel));
        self.row("registers", &with, Role::Accent);
        let fits = match what_if(&state.kernel, book, kernel) {
            Ok(fits) => fits,
            Err(why) => {
                for line in wrap(&why, 24).iter().take(6) {
                    self.pen.put(2, self.y, line, Role::Warn);
                    self.y += 1;
                }
                return;
            }
        };
        let by_shared = format!("by {}", shared_word(book));
        for (label, blocks, limit) in [
            ("by registers", fits.by_registers, OccupancyLimit::Registers),
            (by_shared.as_str(), fits.by_shared, OccupancyLimit::Shared),
            ("by threads", fits.by_threads, OccupancyLimit::Threads),
            ("by places", fits.by_blocks, OccupancyLimit::Blocks),
        ] {
            let (value, role) = match fits.limit == limit {
                true => (format!("limit {blocks}"), Role::Strong),
                // No shared memory at all: any number fits.
                false if blocks == u64::MAX => ("any".to_owned(), Role::Modelled),
                false => (blocks.to_string(), Role::Modelled),
            };
            self.row(label, &value, role);
        }
        let warps = format!("{} of {}", fits.warps, fits.max_warps);
        let label = format!("{}s", book.gpu.vendor.words().warp);
        self.row(&label, &warps, Role::Modelled);
        let share = format!("{:.2} %", 100.0 * fits.fraction());
        self.row("occupancy", &share, Role::Modelled);
    }

    fn shape(&mut self, state: &State, book: &Book) {
        let Some(group) = group(&state.shared) else {
            return;
        };
        let cost = state.shared.bench.cost();
        let Some(kernel) = kernel_of(cost, &group) else {
            return;
        };
        let sum = BoxCost::of(cost, &group);
        self.head("at this shape", "=", Role::Modelled);
        // The unit of the lab's table.
        let column = figure::byte_column(state.shared.bench.v1().block.bytes());
        let flops = figure::flops(sum.flops);
        let bytes = format!(
            "{} {}",
            figure::bytes(column, sum.bytes()),
            column.unit().symbol()
        );
        self.pen.put(2, self.y, &flops, Role::Modelled);
        self.pen.right(VALUES, self.y, &bytes, Role::Modelled);
        self.y += 1;
        if let Some(name) = other_roof(state, book) {
            self.pen
                .put(2, self.y, &clip(&format!("on {name}"), 24), Role::Dim);
            self.y += 1;
        }
        let side = bound(
            &state.shared.machine,
            kernel,
            state.shared.bench.setup().dtype,
        );
        let intensity = format!("{} FLOP/B", figure::fixed(sum.intensity(), 2));
        let word = side.map_or("no roof", |_| bound_word(side));
        let word = word.trim_end_matches("-bound");
        self.pen.put(2, self.y, &intensity, Role::Modelled);
        self.pen.right(VALUES, self.y, word, bound_role(side));
        self.y += 1;
    }
}

/// What the maker calls shared memory, in a word.
fn shared_word(book: &Book) -> &'static str {
    let words = book.gpu.vendor.words().shared;
    words.strip_suffix(" memory").unwrap_or(words)
}

fn bytes(bytes: u64) -> String {
    format!("{} B", group_thousands(i128::from(bytes)))
}
