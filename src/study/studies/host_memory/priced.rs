//! By the data sheet: bytes over the link, or within the one memory, and nothing for a copy to begin.

use super::HostMemory;
use crate::findings::{Cell, Column, Findings, Plot, Sheet, Source};
use crate::studies::hierarchy::size;
use plan::run::{HOST_READS, HostCase, host_batches, host_middle, host_sizes};
use plan::units::figure;

/// How long the kernel takes that runs beside a copy, in times of the copy.
const KERNELS: [f64; 3] = [0.5, 1.0, 2.0];

impl HostMemory {
    /// Every table that a GPU would measure, as far as the link prices it.
    pub(super) fn priced(&self) -> Findings {
        let gpu = &self.gpu;
        let mut found = Findings {
            title: match self.link() {
                Some(link) => format!("{}: {link}", gpu.name),
                None => gpu.name.clone(),
            },
            ..Findings::default()
        };
        let Some(middle) = self.copy_us(host_middle(self.largest)) else {
            found.sentences.push(format!(
                "The database has no host link of {}: nothing is priced; --backend cuda or hip measures it where such a GPU is.",
                gpu.name
            ));
            return found;
        };
        for case in &self.cases {
            found.sentences.extend(self.sentence(*case, middle));
            found.sheets.extend(match case {
                HostCase::Copies => Some(self.copies()),
                HostCase::Batches => Some(self.batches()),
                // Within one memory a copy and a kernel share what they would overlap in.
                HostCase::Overlap => (!gpu.shares_memory()).then(|| self.overlap(middle)),
                HostCase::Mapped => Some(self.mapped()),
                HostCase::Pool => None,
            });
        }
        if self.cases.contains(&HostCase::Mapped) {
            found.plots = vec![self.plot()];
        }
        let crossing = match gpu.shares_memory() {
            true => "Reads where the bytes lie go to memory each time, as if no cache held any.",
            false => "Reads where the bytes lie cross the link each time, as if no cache held any.",
        };
        found.notes = vec![
            "What a copy takes to begin is on no data sheet: it is priced with nothing, pageable memory as pinned, and every time is a lower bound.".to_owned(),
            crossing.to_owned(),
        ];
        found
    }

    /// What it comes to; `middle` are the microseconds of a copy of middle size.
    fn sentence(&self, case: HostCase, middle: f64) -> Option<String> {
        let gpu = &self.gpu;
        let bytes = host_middle(self.largest);
        let (name, of) = (&gpu.short, size(bytes));
        let copy = figure::measured(1e-6 * middle);
        match case {
            HostCase::Copies if gpu.shares_memory() => Some(format!(
                "Host and device of the {name} have one memory: nothing has to be copied, and what a copy takes is what is saved without it, {copy} at least for {of} (read and written) =."
            )),
            HostCase::Copies => Some(format!(
                "A copy of {of} takes {copy} at least =; a kernel reads as many bytes of the memory of the {name} in {}.",
                figure::measured(bytes as f64 / gpu.bandwidth()),
            )),
            HostCase::Batches => {
                let rate = gpu.host_bandwidth().filter(|_| gpu.id == "h200")?;
                let waited = self.waited?;
                Some(format!(
                    "Recorded on an H200: a wait and a copy of 4 bytes behind every launch added {}, in which the link moves {:.2} MB =: smaller copies cost their beginning, not their bytes.",
                    figure::measured(waited),
                    1e-6 * waited * rate
                ))
            }
            HostCase::Overlap if gpu.shares_memory() => None,
            HostCase::Overlap => Some(
                "Beside a kernel as long as itself a copy costs no time: half of both is saved =, and no share is larger.".to_owned(),
            ),
            HostCase::Mapped => Some(match gpu.reads_that_pay() {
                None => "At no number of reads does copying first take less =.".to_owned(),
                Some(reads) => {
                    let [mapped, copied] = self
                        .ways(reads)
                        .map(|us| us.map_or("–".to_owned(), |us| figure::measured(1e-6 * us)));
                    format!(
                        "Read {} where they lie, {of} take {mapped}, copied first {copied} =: from there on copying first takes less.",
                        times(reads)
                    )
                }
            }),
            HostCase::Pool => Some(
                "What a driver takes to give memory out has no price: a GPU measures it (--backend cuda or hip).".to_owned(),
            ),
        }
    }

    fn copies(&self) -> Sheet {
        let columns = [
            Column::given("size"),
            Column::modelled("a copy", "µs", 2),
            Column::modelled("a kernel's read", "µs", 3),
        ];
        let mut sheet = Sheet::new("copies, either direction, at least", columns);
        for bytes in host_sizes(self.largest) {
            let read = 1e6 * bytes as f64 / self.gpu.bandwidth();
            let cells: Vec<Cell> =
                vec![size(bytes).into(), self.copy_us(bytes).into(), read.into()];
            sheet.rows.push(cells);
        }
        sheet
    }

    fn batches(&self) -> Sheet {
        let (bytes, counts) = host_batches(self.largest);
        let bytes_move = match self.gpu.shares_memory() {
            true => "bytes read and written",
            false => "bytes over the link",
        };
        let columns = [
            Column::given("copies"),
            Column::given("each"),
            Column::modelled(bytes_move, "µs", 2),
        ];
        let mut sheet = Sheet::new(format!("{} as so many copies", size(bytes)), columns);
        for count in counts {
            let cells: Vec<Cell> = vec![
                count.to_string().into(),
                size(bytes / count).into(),
                self.copy_us(bytes).into(),
            ];
            sheet.rows.push(cells);
        }
        sheet
    }

    fn overlap(&self, copy: f64) -> Sheet {
        let name = format!("a kernel and a copy of {}", size(host_middle(self.largest)));
        let columns = [
            Column::given("kernel"),
            Column::modelled("copy", "µs", 1),
            Column::modelled("in turn", "µs", 1),
            Column::modelled("at once", "µs", 1),
            Column::modelled("saved", "%", 1),
        ];
        let mut sheet = Sheet::new(name, columns);
        for share in KERNELS {
            let kernel = share * copy;
            let (after, beside) = (kernel + copy, kernel.max(copy));
            let cells: Vec<Cell> = vec![
                format!("{share} × the copy").into(),
                copy.into(),
                after.into(),
                beside.into(),
                (100.0 * (1.0 - beside / after)).into(),
            ];
            sheet.rows.push(cells);
        }
        sheet
    }

    /// Microseconds of both ways at so many reads.
    fn ways(&self, reads: u64) -> [Option<f64>; 2] {
        let (bytes, reads) = (host_middle(self.largest) as f64, reads as f64);
        [
            self.gpu.mapped_seconds(bytes, reads),
            self.gpu.copied_first_seconds(bytes, reads),
        ]
        .map(|seconds| seconds.map(|s| 1e6 * s))
    }

    fn mapped(&self) -> Sheet {
        let name = format!("{} of the host, read", size(host_middle(self.largest)));
        let columns = [
            Column::given("reads"),
            Column::modelled("where they lie", "µs", 1),
            Column::modelled("copied first", "µs", 1),
        ];
        let mut sheet = Sheet::new(name, columns);
        for reads in HOST_READS {
            let [mapped, copied] = self.ways(reads);
            sheet
                .rows
                .push(vec![reads.to_string().into(), mapped.into(), copied.into()]);
        }
        sheet
    }

    fn plot(&self) -> Plot {
        let line = |at: usize| {
            HOST_READS
                .iter()
                .map(|n| self.ways(*n).get(at).copied()?)
                .collect()
        };
        Plot {
            x: "reads".to_owned(),
            at: HOST_READS.iter().map(|n| *n as f64).collect(),
            unit: "µs".to_owned(),
            log: true,
            lines: vec![
                ("where they lie".to_owned(), Source::Modelled, line(0)),
                ("copied first".to_owned(), Source::Modelled, line(1)),
            ],
        }
    }
}

/// `once`, `twice`, `4 times`.
pub(super) fn times(n: u64) -> String {
    match n {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}
