//! What live blocks need of the outside: an experiment of the gym run, a kernel's
//! source looked up. Both are asked for once and kept.

use super::env;
use crate::ask::{Ask, Shown, Wanted};
use crate::intent::Out;
use crate::lesson::{self, Reader};
use crate::message::Effect;
use crate::shared::Shared;
use course::{Block, Lesson, Live};
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

/// Who runs experiments, where a block names a backend or none.
pub(super) fn gym(shared: &Shared, named: Option<&str>) -> BackendKind {
    let named = named.and_then(|name| BackendKind::parse(name).ok());
    match named.unwrap_or_else(|| shared.machine.kind()) {
        gpu if gpu.is_gpu() => gpu,
        _ => BackendKind::Simt,
    }
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
            let backend = gym(shared, backend.as_ref().map(|named| &*named.text));
            MicroRequest::new(&kernel.text, sweep, backend)
                .map(Ask::Micro)
                .map_err(|e| e.to_string())
        }
        Ok(block @ Block::Kernel { .. }) => {
            let env = env(shared, lesson, &live.setup)?;
            Wanted::by(block, &env)
                .map(|wanted| Ask::Source(Box::new(wanted)))
                .ok_or_else(|| "this block asks nothing".to_owned())
        }
        _ => Err("this block asks nothing".to_owned()),
    }
}

/// Who runs the experiment of a block, and whether that is under way; None once it
/// was run.
pub fn experiment(shared: &Shared, lesson: &Lesson, live: &Live) -> Option<(BackendKind, bool)> {
    let ask = of(shared, lesson, live).ok()?;
    let Ask::Micro(request) = &ask else {
        return None;
    };
    let waits = shared.asked.waits(&ask);
    (waits || shared.asked.answer(&ask).is_none()).then_some((request.backend, waits))
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
    let study = |live: &Live| matches!(live.content, Ok(Block::Study(_)));
    let shows_studies = section.live().any(study);
    let wanted: Vec<Ask> = section
        .live()
        .filter(|live| matches!(live.content, Ok(Block::Kernel { .. })))
        .filter_map(|live| of(shared, lesson, live).ok())
        .filter(|ask| shared.asked.answer(ask).is_none())
        .collect();
    for ask in wanted {
        shared.ask(ask, out);
    }
    if shows_studies && shared.studies.wants_list() {
        out.push(Effect::ListStudies);
    }
}
