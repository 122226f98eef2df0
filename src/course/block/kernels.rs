//! The blocks that show kernels: `micro` runs one of the gym, `kernel` shows a
//! source.

use super::{Block, typed};
use crate::fault::way_out;
use crate::fields::Fields;
use plan::run::{BackendKind, Experiment, Metric, MicroRequest};

/// Backends that run the gym.
const BACKENDS: [&str; 3] = ["simt", "cuda", "hip"];

/// What a block of threads takes of a device's unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resident {
    /// Registers of a thread.
    pub registers: u64,
    /// Threads of a block.
    pub threads: u64,
    /// Bytes of shared memory of a block.
    pub shared: u64,
}

impl Resident {
    /// The words of the study that goes on from it, on a device.
    pub fn words(self, gpu: &str) -> Vec<String> {
        let line = format!(
            "study occupancy --registers {} --threads {} --shared {} --gpu {gpu}",
            self.registers, self.threads, self.shared
        );
        line.split(' ').map(str::to_owned).collect()
    }
}

/// An `occupancy` block.
pub(super) fn occupancy(fields: &mut Fields<'_, '_>) -> Option<Resident> {
    let mut whole = |key: &'static str, least: f64, most: f64| {
        let at = fields.key_place(key);
        let number = fields.number(key)?;
        if number.fract() == 0.0 && (least..=most).contains(&number) {
            return Some(number as u64);
        }
        fields.report_at(
            at,
            format!("{key} takes a whole number from {least} to {most}."),
        );
        None
    };
    // What no device has is refused here; what one device lacks is said in the block.
    let registers = whole("registers", 1.0, 512.0);
    let threads = whole("threads", 1.0, 1024.0);
    let shared = whole("shared", 0.0, f64::from(1 << 20));
    for key in ["registers", "threads"] {
        if !fields.has(key) {
            fields.report(format!("an occupancy block has no {key}; add {key} = 64."));
        }
    }
    Some(Resident {
        registers: registers?,
        threads: threads?,
        shared: shared.unwrap_or(0),
    })
}

/// A `micro` block.
pub(super) fn micro(fields: &mut Fields<'_, '_>) -> Option<Block> {
    let kernel = if fields.has("kernel") {
        fields.one_of("kernel", &Experiment::names())
    } else {
        fields.need_text("kernel", "kernel = \"stride\"")
    };
    let at = fields.key_place("sweep");
    let numbers = fields.numbers("sweep");
    let sweep: Vec<u32> = numbers.iter().map(|n| *n as u32).collect();
    let whole = numbers
        .iter()
        .zip(&sweep)
        .all(|(n, whole)| f64::from(*whole) == *n);
    if !whole {
        fields.report_at(
            at,
            "a sweep takes whole numbers, such as sweep = [1, 2, 4].",
        );
    }
    let mut show = Vec::new();
    for name in fields.texts("show") {
        match Metric::find(&name.text) {
            Some(metric) => show.push(metric),
            None => {
                let way_out = way_out(&name.text, &Metric::names());
                fields.report_at(
                    name.at,
                    format!("there is no column “{}”; {way_out}", name.text),
                );
            }
        }
    }
    let backend = fields.one_of("backend", &BACKENDS);
    let kernel = kernel?;
    if let (true, Err(error)) = (
        whole,
        MicroRequest::new(&kernel.text, &sweep, BackendKind::Simt),
    ) {
        fields.report_at(at, format!("{error}."));
    }
    Some(Block::Micro {
        kernel,
        sweep,
        show,
        backend,
    })
}

/// A `kernel` block.
pub(super) fn kernel(fields: &mut Fields<'_, '_>) -> Option<Block> {
    let op = typed::op(fields, "op");
    let source = fields.text("source");
    let version = typed::cut(fields, "version");
    let part = fields.text("part");
    match (fields.has("op"), &source) {
        (true, Some(source)) => fields.report_at(
            source.at,
            "a kernel block takes op or source, not both; op finds the file by itself.",
        ),
        (false, None) => {
            fields.report(
                "a kernel block shows nothing yet; add op = \"norm1\" or source = \"rmsnorm.cu\".",
            );
        }
        _ => {}
    }
    if let (Some(version), false) = (&version, fields.has("op")) {
        fields.report_at(
            version.written.at,
            "a version says which kernel computes an op; add op = \"norm1\".",
        );
    }
    Some(Block::Kernel {
        op,
        version,
        source,
        part,
    })
}
