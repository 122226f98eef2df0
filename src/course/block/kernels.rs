//! The blocks that show kernels: `micro` runs one of the gym, `kernel` shows a
//! source.

use super::{Block, typed};
use crate::fault::way_out;
use crate::fields::Fields;
use plan::run::{BackendKind, Experiment, Metric, MicroRequest};

/// Backends that run the gym.
const BACKENDS: [&str; 3] = ["simt", "cuda", "hip"];

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
