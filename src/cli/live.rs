//! Live blocks on paper: the same pieces as on the screen, as sentences in reading
//! order.

mod lines;
#[cfg(test)]
mod parity;

pub(super) use lines::{asked, lines};

use super::desk::{Desk, Runs};
use super::failure::Failure;
use backend::microbenchmark;
use course::present::{self, Excerpt, Facts, Piece, Ran, Wanted};
use course::{Exercise, Key, Lesson, Live};
use host::excerpt;
use host::studies::Studies;
use plan::cost::{Bound, Config, Gpu, KernelCost, Priced, bound, floor_seconds};
use plan::fusion::Cut;
use plan::model::Dtype;
use plan::run::{BackendKind, MicroReport, MicroRequest};
use std::sync::Arc;
use study::kept::{Kept, same};

/// Kept studies that are looked through.
const KEPT: usize = 64;

/// The pieces of a block; faults of the text are sentences among them. `verdicts`: what
/// is said of a claim stands beside it.
pub(super) fn pieces(
    desk: &Desk,
    lesson: &Lesson,
    live: &Live,
    verdicts: bool,
) -> Result<Vec<Piece>, Failure> {
    let runs = Runs::default();
    let env = desk.env(&lesson.setup.with(&live.setup), &runs)?;
    // The roof on paper is that of a data sheet.
    let gpu = env.gpus.get(env.setup.gpu)?;
    let paper = Paper {
        desk,
        gpu,
        verdicts,
    };
    let found = present::present(live, &env, &paper);
    let pieces = match (found, &live.content) {
        (Ok(pieces), _) => pieces,
        (Err(said), Ok(_)) => return Err(Failure::content(said.join(" "))),
        (Err(said), Err(_)) => {
            let what = format!("Live block {}, which cannot be read:", live.kind);
            let said = std::iter::once(what).chain(said);
            said.map(|text| Piece::Words(present::Weight::Fault, text))
                .collect()
        }
    };
    if pieces.iter().any(Piece::unshown) {
        desk.has_failed();
    }
    Ok(pieces)
}

/// The pieces of the live blocks of a text, all in one configuration.
pub(super) fn of_config(desk: &Desk, text: &str, config: &Config) -> Result<Vec<Piece>, Failure> {
    let lesson = Lesson::read("report", "report", text).on(desk.course.gpu());
    let runs = Runs::default();
    let mut env = desk.env(&lesson.setup, &runs)?;
    env.setup.config = config.clone();
    env.setup.gpu = desk.course.gpu();
    let gpu = env.gpus.get(env.setup.gpu)?;
    let mut out = Vec::new();
    for live in lesson.live() {
        let paper = Paper {
            desk,
            gpu,
            verdicts: true,
        };
        let found = present::present(live, &env, &paper);
        out.extend(found.map_err(|said| Failure::content(said.join(" ")))?);
    }
    Ok(out)
}

/// On paper experiments are counted while it is written, nothing else was run, and
/// the roof is that of a data sheet.
struct Paper<'d> {
    desk: &'d Desk,
    gpu: &'d Gpu,
    verdicts: bool,
}

/// Said in place of what is true of a claim.
const WITHHELD: &str = "Judge it first: --answers shows here what is true of it.";

impl Facts for Paper<'_> {
    fn floor(&self, priced: &Priced, dtype: Dtype) -> Option<f64> {
        floor_seconds(priced, self.gpu, dtype).ok()
    }

    fn roof(&self) -> String {
        format!("Floors under the roof of {}, data sheet.", self.gpu.short)
    }

    fn bound(&self, kernel: &KernelCost, dtype: Dtype) -> Option<Bound> {
        bound(kernel, self.gpu, dtype).ok()
    }

    fn ran(&self, _: &Config) -> Option<Ran> {
        None
    }

    fn plan(&self) -> Option<Cut> {
        None
    }

    fn gym(&self, _: Option<&str>) -> BackendKind {
        BackendKind::Simt
    }

    fn micro(&self, request: &MicroRequest) -> Option<Result<MicroReport, String>> {
        Some(microbenchmark::run(request).map_err(|e| e.to_string()))
    }

    fn study(&self, command: &str) -> Option<Arc<Kept>> {
        let all = Studies::of(&self.desk.places).newest(KEPT);
        let mut read = all.into_iter().filter_map(|(_, kept)| kept.ok());
        read.find(|kept| same(&kept.command, command))
    }

    fn source(&self, wanted: &Wanted) -> Option<Result<Excerpt, String>> {
        Some(excerpt(wanted))
    }

    fn question(&self, exercise: &str, key: Option<&str>) -> Result<(&Exercise, &Key), String> {
        let found = self.desk.course.exercise(exercise)?;
        let key = match key {
            Some(name) => found
                .key(name)
                .ok_or_else(|| course::no_such_key(found, name))?,
            None => found
                .keys
                .first()
                .ok_or_else(|| format!("{} asks nothing", found.id))?,
        };
        Ok((found, key))
    }

    fn withholds(&self, _claim: &str) -> Option<&'static str> {
        (!self.verdicts).then_some(WITHHELD)
    }
}
