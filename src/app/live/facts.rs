//! What the screen knows beside the model: this machine, its runs, the sources that
//! were looked up, and what the reader did.

use super::{ask, env, start};
use crate::ask::{Ask, Shown};
use crate::lesson::{self, Reader};
use crate::machine::Source;
use crate::setup::Setup;
use crate::shared::Shared;
use crate::studies::Kept;
use course::present::{self, Excerpt, Facts, Piece, Ran, Wanted};
use course::{Block, Exercise, Key, Lesson, Live};
use plan::cost::{Bound, Config, KernelCost, Priced};
use plan::fusion::Cut;
use plan::model::Dtype;
use plan::run::{BackendKind, MicroReport, MicroRequest};
use std::sync::Arc;

/// The pieces of a block.
///
/// # Errors
/// What is wrong with it, a sentence each.
pub fn presented(
    reader: &Reader,
    shared: &Shared,
    lesson: &Lesson,
    live: &Live,
) -> Result<Vec<Piece>, Vec<String>> {
    let env = env(shared, lesson, &live.setup).map_err(|why| vec![why])?;
    let seed = shared.bench.setup().seed;
    let here = Here {
        reader,
        shared,
        setup: Setup::of(&env.setup.config, seed),
        plan: reader.block(&lesson.id, live.number).plan,
        backend: runs_on(shared, live),
    };
    present::present(live, &env, &here)
}

/// Said below a claim whose section still asks something.
const ANSWER: &str = "What the model says to it is shown once this section is answered.";

/// Said below a claim that was not judged yet.
const JUDGE: &str = "You judge it first: Tab here, then Enter opens it on page 8, Esc comes back. \
                     Then this shows what is true of it.";

/// The same where the block has the keys.
const JUDGE_HERE: &str = "You judge it first: Enter opens it on page 8, Esc comes back. \
                          Then this shows what is true of it.";

/// Why a claim's model is not shown yet: the section still asks something, or the claim
/// was not judged.
fn closed(reader: &Reader, shared: &Shared, claim: &str) -> Option<&'static str> {
    if lesson::asks(reader, shared) {
        return Some(ANSWER);
    }
    let keys = matches!(
        lesson::focused(reader, shared).map(|(_, live)| &live.content),
        Some(Ok(Block::Claim { id })) if id.as_str() == claim
    );
    (!shared.study.looked_at(claim)).then_some(if keys { JUDGE_HERE } else { JUDGE })
}

/// Whether a block is a claim whose model is not shown yet: what the text goes on to say
/// of it is no less of an answer.
pub fn withheld(reader: &Reader, shared: &Shared, live: &Live) -> bool {
    match &live.content {
        Ok(Block::Claim { id }) => closed(reader, shared, id.as_str()).is_some(),
        _ => false,
    }
}

/// Who runs the plan of a block just now.
pub fn running_on(shared: &Shared, lesson: &Lesson, live: &Live, cut: Cut) -> Option<&'static str> {
    let running = shared.runs.running()?;
    let (setup, _) = start(shared, lesson, live).ok()?;
    (running.runs(cut) && running.setup == setup).then(|| running.backend.name())
}

/// Who runs the plan of a block: the backend that it names, else the one that is chosen.
fn runs_on(shared: &Shared, live: &Live) -> BackendKind {
    let named = super::named(live).and_then(|name| BackendKind::parse(name).ok());
    named.unwrap_or_else(|| shared.machine.kind())
}

/// What this machine is, what ran on it, and what was done in a block.
struct Here<'s> {
    reader: &'s Reader,
    shared: &'s Shared,
    /// That of the block.
    setup: Setup,
    /// What the reader made of the block's own.
    plan: Option<Cut>,
    /// Who runs the block's plan.
    backend: BackendKind,
}

impl Facts for Here<'_> {
    fn floor(&self, priced: &Priced, dtype: Dtype) -> Option<f64> {
        let ceilings = self.shared.machine.ceilings.as_ref()?;
        ceilings.floor(priced, dtype)
    }

    fn roof(&self) -> String {
        match &self.shared.machine.ceilings {
            Some(c) if c.source == Source::DataSheet => {
                format!("Floors under the roof of {}, data sheet.", c.of)
            }
            Some(c) => format!("Floors under the roof of {}.", c.of),
            None => "Floors need a roof; Doctor says why there is none.".to_owned(),
        }
    }

    fn bound(&self, kernel: &KernelCost, dtype: Dtype) -> Option<Bound> {
        crate::ribbon::bound(&self.shared.machine, kernel, dtype)
    }

    fn ran(&self, config: &Config) -> Option<Ran> {
        let setup = Setup::of(config, self.setup.seed);
        let report = self.shared.runs.of_on(self.backend, &setup, config.cut)?;
        Some(Ran {
            launches: report.launches.counted,
            issued: report.bytes.issued,
            micros: report.time_us.as_ref().map(|time| time.median),
            backend: report.backend.to_string(),
            device: report.device.clone(),
        })
    }

    fn plan(&self) -> Option<Cut> {
        self.plan
    }

    fn gym(&self, named: Option<&str>) -> BackendKind {
        ask::gym(self.shared, named)
    }

    fn micro(&self, request: &MicroRequest) -> Option<Result<MicroReport, String>> {
        let ask = Ask::Micro(request.clone());
        if self.shared.asked.waits(&ask) {
            return None;
        }
        match self.shared.asked.answer(&ask)? {
            Ok(Shown::Micro(report)) => Some(Ok(report.clone())),
            Ok(Shown::Source(_)) => None,
            Err(why) => Some(Err(why.clone())),
        }
    }

    fn study(&self, command: &str) -> Option<Arc<Kept>> {
        self.shared.studies.of_command(command).cloned()
    }

    fn source(&self, wanted: &Wanted) -> Option<Result<Excerpt, String>> {
        let ask = Ask::Source(Box::new(wanted.clone()));
        match self.shared.asked.answer(&ask)? {
            Ok(Shown::Source(excerpt)) => Some(Ok(excerpt.clone())),
            Ok(Shown::Micro(_)) => None,
            Err(why) => Some(Err(why.clone())),
        }
    }

    fn question(&self, exercise: &str, key: Option<&str>) -> Result<(&Exercise, &Key), String> {
        let study = &self.shared.study;
        let asked = study.question(exercise, key);
        asked
            .and_then(|asked| study.exercise(&asked.exercise).zip(study.key_of(&asked)))
            .ok_or_else(|| format!("The course has no question {exercise}."))
    }

    fn withholds(&self, claim: &str) -> Option<&'static str> {
        closed(self.reader, self.shared, claim)
    }
}
