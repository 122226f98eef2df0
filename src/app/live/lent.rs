//! What a block puts in the place of the learner's own setup and backend, until its
//! section is left.

use crate::bench::Bench;
use crate::contents::number;
use crate::lesson::{Reader, lesson};
use crate::setup::Setup;
use crate::shared::Shared;

/// What was there before, and what a block put in its place.
#[derive(Clone, Debug, Default)]
pub struct Lent {
    /// The bench before, and the setup of the block.
    bench: Option<(Box<Bench>, Setup)>,
    /// The backend before, whether the learner picked it, and that of the block.
    backend: Option<(String, bool, String)>,
    /// Lesson and section to which it is lent.
    place: (usize, usize),
}

/// Whose lab it is, where a block of the lesson set it up: `lesson 10's lab`. It ends with the
/// section, and is not kept.
pub fn lender(reader: &Reader, shared: &Shared) -> Option<String> {
    let (_, given) = reader.lent.bench.as_ref()?;
    let lesson = lesson(reader, shared)?;
    (given == shared.bench.setup()).then(|| match number(&lesson.id) {
        "" => "a lesson's lab".to_owned(),
        number => format!("lesson {number}'s lab"),
    })
}

impl Lent {
    /// A block is about to set the bench up.
    pub(super) fn bench(&mut self, shared: &Shared, given: &Setup) {
        match &mut self.bench {
            Some((own, last)) => {
                // What the learner set up since is theirs now; their plan stays.
                if shared.bench.setup() != last {
                    let _ = own.set_up(shared.bench.setup().clone());
                }
                given.clone_into(last);
            }
            None => self.bench = Some((Box::new(shared.bench.clone()), given.clone())),
        }
    }

    /// A block is about to choose a backend.
    pub(super) fn backend(&mut self, shared: &Shared, given: &str) {
        let before = shared.machine.backend().map(|b| b.name.clone());
        // Also one that the learner picked since.
        if let Some(before) = before.filter(|before| before != given) {
            self.backend = Some((before, shared.machine.picked, given.to_owned()));
        }
    }

    /// The learner's own bench, and the backend that they picked.
    pub(crate) fn own<'s>(&'s self, shared: &'s Shared) -> (&'s Bench, Option<String>) {
        let bench = match &self.bench {
            Some((before, given)) if shared.bench.setup() == given => before,
            _ => &shared.bench,
        };
        let present = shared.machine.backend().map(|b| b.name.clone());
        let picked = match (&self.backend, present) {
            (Some((before, picked, given)), Some(now)) if *given == now => {
                picked.then(|| before.clone())
            }
            (_, now) => now.filter(|_| shared.machine.picked),
        };
        (bench, picked)
    }

    /// A section is shown: what another had, which was left whichever way, is given back.
    pub(crate) fn shown(&mut self, place: (usize, usize), shared: &mut Shared) {
        if self.place != place {
            let here = Self {
                place,
                ..Self::default()
            };
            std::mem::replace(self, here).give_back(shared);
        }
    }

    /// Puts back what was there before, unless the learner chose something else since.
    fn give_back(self, shared: &mut Shared) {
        if let Some((before, given)) = self.bench
            && *shared.bench.setup() == given
        {
            shared.bench = *before;
        }
        if let Some((before, picked, given)) = self.backend
            && shared.machine.backend().is_some_and(|b| b.name == given)
            && shared.machine.choose(&before).is_ok()
        {
            shared.machine.picked = picked;
            shared.runs.use_backend(shared.machine.kind());
        }
    }
}
