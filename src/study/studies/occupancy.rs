//! How many blocks fit, by the calculator, and what that does to a copy.

use super::notes::listed;
use crate::catalogue::{Definition, Study};
use crate::evidence::{Asks, Evidence};
use crate::findings::{Cell, Column, Findings, Plot, Sheet, Source};
use plan::cost::{Gpu, Occupancy, OccupancyLimit, Words, occupancy};
use plan::run::{MicroReport, MicroRequest, MicroRow};
use plan::units::figure;

/// What it is.
pub const DEFINITION: Definition = Definition {
    name: "occupancy",
    asks: "How many blocks of a kernel fit, what stops one more, and does it matter?",
    varies: "block size, registers, shared memory; of a copy, the room that its blocks ask for",
    held: "the GPU; the copy and its bytes",
    finds: "resident blocks and warps (waves) by the calculator (=); the copy's counts (#), on a GPU its time (@)",
    reduced: "the least of four limits; times that lie apart in every launch",
    ends: "what limits, and from which occupancy on the copy is no slower than with all",
    lessons: &["20"],
    models: true,
};

/// `study occupancy`.
#[derive(Debug, Clone)]
pub struct Residents {
    /// Whose limits.
    pub gpu: Gpu,
    /// Of a thread.
    pub registers: u64,
    /// Of a block.
    pub threads: u64,
    /// Bytes of a block.
    pub shared: u64,
    /// The copy.
    pub copy: MicroRequest,
}

/// The experiment that is run.
pub const COPY: &str = "resident";
/// Its threads.
const THREADS: u64 = 256;
/// Registers that a copy stays below.
const FEW: u64 = 32;
/// Registers of a thread that are shown, as far as the device has them; its cap comes last.
/// With that there are no more rows than a terminal is shown.
const REGISTERS: [u64; 11] = [16, 32, 40, 48, 64, 80, 96, 128, 168, 256, 384];
/// Registers between two points of the plot.
const STEP: u64 = 8;
/// Sizes of blocks that are shown.
const BLOCKS: [u64; 8] = [32, 64, 128, 192, 256, 384, 512, 1024];

impl Study for Residents {
    fn definition(&self) -> &'static Definition {
        &DEFINITION
    }

    fn asks(&self) -> Asks {
        Asks {
            sweeps: vec![self.copy.clone()],
            ..Asks::default()
        }
    }

    fn models(&self) -> Option<&Gpu> {
        Some(&self.gpu)
    }

    fn smaller(&self) -> &'static str {
        ""
    }

    fn reduce(&self, evidence: &Evidence) -> Result<Findings, String> {
        let own = self.of(self.registers, self.threads, self.shared)?;
        let words = self.gpu.vendor.words();
        let mut found = Findings {
            title: format!(
                "{} registers, {} threads, {} B of {} on {}",
                self.registers, self.threads, self.shared, words.shared, self.gpu.name
            ),
            sentences: vec![format!(
                "{} of {} threads {}, {} of {} {}s, {} =: {} stop one more.",
                figure::counted(own.blocks, "block", "blocks"),
                self.threads,
                if own.blocks == 1 { "fits" } else { "fit" },
                own.warps,
                own.max_warps,
                words.warp,
                figure::percent(own.fraction()),
                limits(&own, words)
            )],
            ..Findings::default()
        };
        found.sentences.extend(self.one_more(&own));
        found.sheets.push(self.sizes());
        found.sheets.push(self.registers());
        found.plots.push(self.plot());
        found.notes.push(self.cap());
        match evidence.sweeps.first() {
            Some(Ok(copy)) => self.copied(copy, &mut found),
            Some(Err(why)) => found.notes.push(format!("the copy: {why}")),
            None => {}
        }
        found.sheets.retain(|sheet| !sheet.rows.is_empty());
        Ok(found)
    }
}

/// What stops one more block, in words: each limit that is reached.
pub fn limits(found: &Occupancy, words: Words) -> String {
    let of = [
        (found.by_registers, "registers".to_owned()),
        (found.by_threads, format!("places for {}s", words.warp)),
        (found.by_shared, format!("bytes of {}", words.shared)),
        (found.by_blocks, "places for blocks".to_owned()),
    ];
    let reached = of.into_iter().filter(|(blocks, _)| *blocks == found.blocks);
    listed(&reached.map(|(_, name)| name).collect::<Vec<_>>())
}

impl Residents {
    fn of(&self, registers: u64, threads: u64, shared: u64) -> Result<Occupancy, String> {
        occupancy(&self.gpu, registers, threads, shared).map_err(|e| e.to_string())
    }

    /// The nearest number of registers or bytes with which a block more fits.
    fn one_more(&self, own: &Occupancy) -> Option<String> {
        let more = |o: Occupancy| o.blocks > own.blocks;
        let fits =
            |registers: u64, shared: u64| self.of(registers, self.threads, shared).is_ok_and(more);
        let said = match own.limit {
            OccupancyLimit::Registers => {
                let registers = (1..self.registers).rev().find(|r| fits(*r, self.shared))?;
                format!("{registers} registers")
            }
            OccupancyLimit::Shared => {
                let shared = (0..self.shared).rev().find(|s| fits(self.registers, *s))?;
                format!("{shared} B of {}", self.gpu.vendor.words().shared)
            }
            OccupancyLimit::Threads | OccupancyLimit::Blocks => return None,
        };
        Some(format!("With {said} one more fits, all else as it is =."))
    }

    fn sizes(&self) -> Sheet {
        let name = format!(
            "block sizes, {} registers, {} B",
            self.registers, self.shared
        );
        let mut sheet = Sheet::new(name, self.columns("threads"));
        let of = BLOCKS.into_iter().map(|threads| {
            let found = self.of(self.registers, threads, self.shared);
            self.row(threads, found.ok().as_ref())
        });
        sheet.rows = of.collect();
        sheet
    }

    fn registers(&self) -> Sheet {
        let name = format!("registers, {} threads, {} B", self.threads, self.shared);
        let mut sheet = Sheet::new(name, self.columns("registers"));
        let most = self.gpu.max_regs_per_thread;
        let below = REGISTERS.into_iter().filter(|registers| *registers < most);
        let of = below.chain([most]).map(|registers| {
            let found = self.of(registers, self.threads, self.shared);
            self.row(registers, found.ok().as_ref())
        });
        sheet.rows = of.collect();
        sheet
    }

    /// How far the rows and the plot of registers go, and what is behind that.
    fn cap(&self) -> String {
        let kinds = match self.gpu.vgprs_per_simd_lane {
            Some(file) if file > self.gpu.max_regs_per_thread => {
                format!(" of the {file} that a lane's file holds")
            }
            _ => String::new(),
        };
        format!(
            "A thread of the {} gets at most {} registers{kinds}; what needs more spills to memory.",
            self.gpu.short, self.gpu.max_regs_per_thread
        )
    }

    fn plot(&self) -> Plot {
        let most = self.gpu.max_regs_per_thread;
        let steps = (2 * STEP..most).step_by(STEP as usize);
        let registers: Vec<u64> = steps.chain([most]).collect();
        let part = |registers: &u64| {
            let found = self.of(*registers, self.threads, self.shared).ok()?;
            Some(100.0 * found.fraction())
        };
        Plot {
            x: "registers".to_owned(),
            at: registers.iter().map(|r| *r as f64).collect(),
            unit: "%".to_owned(),
            log: false,
            lines: vec![(
                "occupancy".to_owned(),
                Source::Modelled,
                registers.iter().map(part).collect(),
            )],
        }
    }

    /// The copy at each room: how many of its blocks fit, and what came of it.
    fn copied(&self, copy: &MicroReport, found: &mut Findings) {
        let timed = copy.rows.iter().any(|row| row.time_us.is_some());
        let mut columns = vec![
            Column::given("KiB per block"),
            Column::modelled("blocks", "", 0),
            Column::modelled("occupancy", "%", 1),
            Column::counted("sectors read", "", 0),
            Column::counted("written", "", 0),
            Column::counted("warp instr.", "", 0),
        ];
        if timed {
            columns.push(Column::measured("time", "µs", 1));
            columns.push(Column::measured("± dev.", "µs", 1));
        }
        let mut sheet = Sheet::new("a copy", columns);
        let mut at: Vec<(f64, &MicroRow)> = Vec::new();
        for of in &copy.rows {
            let room = u64::from(of.value) << 10;
            let fits = occupancy(&self.gpu, FEW, THREADS, room).ok();
            let part = fits.map(|o| 100.0 * o.fraction());
            at.extend(part.map(|part| (part, of)));
            let mut cells: Vec<Cell> = vec![
                of.label.as_str().into(),
                fits.map(|o| o.blocks).into(),
                part.into(),
                of.counts.sectors.into(),
                of.counts.sectors_written.into(),
                of.counts.instructions.into(),
            ];
            if timed {
                let time = of.time_us.as_ref();
                cells.push(time.map(|t| t.median).into());
                cells.push(time.map(|t| t.mad).into());
            }
            sheet.rows.push(cells);
        }
        found.sheets.insert(0, sheet);
        match timed {
            true => found.sentences.extend(against_full(&at)),
            false => found.sentences.push(same_counts(copy)),
        }
        found.notes.extend(copy.notes.iter().cloned());
        let most = self.gpu.shared_kb_per_block;
        if copy.rows.iter().any(|row| u64::from(row.value) > most) {
            found.notes.push(format!(
                "A block of the {} has {most} KiB of {} at most: rows without blocks do not fit there.",
                self.gpu.short,
                self.gpu.vendor.words().shared
            ));
        }
    }

    fn columns(&self, first: &str) -> [Column; 5] {
        [
            Column::given(first),
            Column::modelled("blocks", "", 0),
            Column::modelled(format!("{}s", self.gpu.vendor.words().warp), "", 0),
            Column::modelled("occupancy", "%", 1),
            Column::given("stopped by"),
        ]
    }

    fn row(&self, first: u64, found: Option<&Occupancy>) -> Vec<Cell> {
        let words = self.gpu.vendor.words();
        let stopped = found.map_or("cannot be launched".to_owned(), |o| limits(o, words));
        vec![
            first.to_string().into(),
            found.map(|o| o.blocks).into(),
            found.map(|o| o.warps).into(),
            found.map(|o| 100.0 * o.fraction()).into(),
            stopped.into(),
        ]
    }
}

/// That counts do not see occupancy.
fn same_counts(copy: &MicroReport) -> String {
    let moved = |row: &MicroRow| (row.counts.sectors, row.counts.sectors_written);
    let first = copy.rows.first().map(moved);
    let same = copy.rows.iter().all(|row| Some(moved(row)) == first);
    match same {
        true => "The copy reads and writes the same sectors at every occupancy #: only a clock sees it, and the SIMT machine has none; --backend cuda and --backend hip have.".to_owned(),
        false => "The copy's sectors change with the room #, which they must not.".to_owned(),
    }
}

/// From which occupancy on the copy is not slower than with all that fit: said where all
/// launches of one lie above all of the other.
fn against_full(at: &[(f64, &MicroRow)]) -> Option<String> {
    let mut timed: Vec<_> = at
        .iter()
        .filter_map(|(part, row)| Some((*part, row.time_us.as_ref()?)))
        .collect();
    timed.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (most, full) = *timed.first()?;
    let (least, slowest) = *timed.last()?;
    if slowest.min <= full.max {
        return Some(format!(
            "At {least:.1} % no launch of the copy is known to be slower than at {most:.1} % @: their times overlap."
        ));
    }
    let slower = timed.iter().filter(|(_, time)| time.min > full.max);
    let first = slower.map(|(part, _)| *part).fold(0.0, f64::max);
    Some(format!(
        "At {least:.1} % the copy takes {:.1} times as long as at {most:.1} % @; {first:.1} % is the first at which every launch is slower than all with everything that fits.",
        slowest.median / full.median
    ))
}

#[cfg(test)]
mod tests;
