//! What live blocks need of the outside: an experiment of the gym run, a kernel's
//! source looked up. Both are asked for once and kept.

use super::env;
use crate::ask::{Ask, Of, Shown, Wanted};
use crate::intent::Out;
use crate::lesson::{self, Reader};
use crate::shared::Shared;
use course::{Block, Lesson, Live};
use plan::fusion::Version;
use plan::run::{BackendKind, MicroRequest};

/// Takes in what came of a question; figures of an experiment may be asked for in
/// exercises.
pub fn arrived(shared: &mut Shared, ask: Ask, answer: Result<Shown, String>) {
    if let Ok(Shown::Micro(report)) = &answer {
        let micros = &mut shared.runs.micros;
        micros.retain(|m| m.kernel != report.kernel || m.backend != report.backend);
        micros.push(report.clone());
    }
    shared.asked.arrived(ask, answer);
}

/// What a `micro` or `kernel` block asks.
///
/// # Errors
/// A setting, a plan, an op that cannot be.
pub fn of(shared: &Shared, lesson: &Lesson, live: &Live) -> Result<Ask, String> {
    match &live.content {
        Ok(Block::Micro {
            kernel,
            sweep,
            backend,
            ..
        }) => {
            let named = backend.as_ref().map(|name| BackendKind::parse(&name.text));
            let backend = match named {
                Some(Ok(named)) => named,
                _ => shared.machine.kind(),
            };
            let backend = match backend.is_gpu() {
                true => backend,
                false => BackendKind::Simt,
            };
            MicroRequest::new(&kernel.text, sweep, backend)
                .map(Ask::Micro)
                .map_err(|e| e.to_string())
        }
        Ok(Block::Kernel {
            op,
            version,
            source,
            part,
        }) => {
            let setup = env(shared, lesson, &live.setup)?.setup;
            let cut = version.as_ref().map_or(Version::V1.cut(), |v| v.value);
            let of = match (op, source) {
                (Some(op), _) => Of::Op(op.value),
                (None, source) => Of::File(source.as_ref().map_or("", |s| &s.text).to_owned()),
            };
            Ok(Ask::Source(Box::new(Wanted {
                config: setup.config.with_cut(cut),
                gpu: "h200".to_owned(),
                of,
                part: part.as_ref().map(|p| p.text.clone()),
            })))
        }
        _ => Err("this block asks nothing".to_owned()),
    }
}

/// Runs the experiment of a `micro` block.
pub(super) fn run(shared: &mut Shared, lesson: &Lesson, live: &Live, out: &mut Out) {
    if let Ok(ask @ Ask::Micro(_)) = of(shared, lesson, live) {
        shared.ask(ask, out);
    }
}

/// After every event: asks for the sources that the section on the page shows.
pub fn settle(reader: &Reader, shared: &mut Shared, out: &mut Out) {
    let (Some(lesson), Some(section)) = (
        lesson::lesson(reader, shared),
        lesson::section(reader, shared),
    ) else {
        return;
    };
    let wanted: Vec<Ask> = section
        .live()
        .filter(|live| matches!(live.content, Ok(Block::Kernel { .. })))
        .filter_map(|live| of(shared, lesson, live).ok())
        .filter(|ask| shared.asked.answer(ask).is_none())
        .collect();
    for ask in wanted {
        shared.ask(ask, out);
    }
}
