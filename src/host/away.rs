//! What takes long, each on a thread of its own; what comes of it is a message.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;

use crate::desk::Host;
use crate::follow::Leash;
use crate::studies::Studies;
use crate::{apart, ask, book, machine};
use app::{Effect, Machine, Message};
use course::Places;

/// Facts for the doctor: a word and a line each.
pub type Facts = dyn Fn() -> Vec<(String, String)> + Send + Sync;

/// Carries effects out away from the screen.
#[derive(Clone)]
pub struct Away {
    pub(crate) places: Places,
    facts: Arc<Facts>,
    to: Sender<Message>,
    study: Leash,
}

/// Kept studies that are shown.
const KEPT: usize = 64;

impl Away {
    /// Answers go `to` whoever waits for messages; `facts` says what is to be known of
    /// the surroundings.
    pub fn new(places: Places, facts: Arc<Facts>, to: Sender<Message>) -> Self {
        Self {
            places,
            facts,
            to,
            study: Leash::default(),
        }
    }

    /// Makes the folder of the sheets here; what is kept goes there from now on.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn init(&mut self) -> Result<String, String> {
        let made = self.host().init()?;
        self.places.settle();
        Ok(made)
    }

    /// The course and files as they are now.
    pub fn host(&self) -> Host {
        let to = self.to.clone();
        Host::open(self.places.clone(), move |text| {
            // Nobody listens any more when the program is leaving.
            let _ = to.send(Message::Saved(Err(text)));
        })
    }

    /// What is started from now on speaks of another device.
    pub const fn speak_of(&mut self, gpu: &'static str) {
        self.places.gpu = Some(gpu);
    }

    /// Starts to carry out what takes long; another effect is not done here.
    pub fn start(&self, effect: Effect) {
        self.spawn(move |away| away.answer(effect));
    }

    /// Stops the study that is being made; what was measured is kept.
    pub fn stop_study(&self) {
        self.study.interrupt();
    }

    /// Keeps files of one name, each a kind of file and its text.
    pub fn keep(&self, name: String, files: Vec<(&'static str, String)>) {
        self.spawn(move |away| Some(Message::Saved(away.host().export(&name, &files))));
    }

    /// Runs the defective kernels of exercises.
    pub fn run_mutants(&self) {
        self.spawn(|_| Some(Message::Mutants(machine::mutants())));
    }

    fn spawn(&self, find: impl FnOnce(&Self) -> Option<Message> + Send + 'static) {
        let away = self.clone();
        thread::spawn(move || find(&away).map(|found| away.to.send(found)));
    }

    fn answer(&self, effect: Effect) -> Option<Message> {
        Some(match effect {
            Effect::Probe => Message::Found(Box::new(Machine {
                facts: (self.facts)(),
                ..machine::found(self.places.device())
            })),
            Effect::Measure(backend) => {
                Message::Ceilings(backend.name().to_owned(), machine::measure(backend))
            }
            Effect::Kernels(wanted) => {
                let book = book(&wanted).map(Arc::new);
                Message::Kernels(wanted, book)
            }
            Effect::Ask(ask) => {
                let found = ask::answer(&ask).map(Box::new);
                Message::Asked(ask, found)
            }
            Effect::Judge { asked, typed } => {
                let told = self.host().judge_asked(&asked, &typed);
                Message::Judged(asked, Box::new(told))
            }
            Effect::MakeStudy(ticket, words) => {
                let heard = |line: &str| {
                    let line = line.to_owned();
                    // Nobody listens any more when the program is leaving.
                    let _ = self.to.send(Message::StudyHeard(ticket, line));
                };
                let made = apart::make(&words, &self.places, &self.study, heard);
                Message::StudyMade(ticket, made.map(Arc::new))
            }
            Effect::ListStudies => Message::Studies(Studies::of(&self.places).newest(KEPT)),
            Effect::Report => Message::Saved(apart::report(&self.places)),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use course::{Course, Exercise, Surroundings};
    use std::sync::mpsc;

    #[test]
    fn what_is_started_speaks_of_the_device_that_was_chosen_last() {
        let folder = tempfile::tempdir().unwrap();
        let around = Surroundings {
            current: folder.path().to_owned(),
            ..Surroundings::default()
        };
        let mut places = Places::find(&around, Some(folder.path()), None);
        places.gpu = Some("mi300a");
        let (to, _heard) = mpsc::channel();
        let mut away = Away::new(places, Arc::new(Vec::new), to);
        let asks = |course: &Course| -> Vec<Exercise> { course.exercises().cloned().collect() };
        let of = |away: &Away| asks(&away.host().course);
        let before = of(&away);
        assert_eq!(before, asks(&Course::built_in().on("mi300a")));
        away.speak_of("a100_40gb");
        // What is asked, and begun from it, is about that device.
        assert_eq!(of(&away), asks(&Course::built_in().on("a100_40gb")));
        assert_ne!(of(&away), before);
    }
}
