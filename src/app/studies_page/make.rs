//! A study is asked for, from its page or from a live block.

use crate::intent::Out;
use crate::message::Effect;
use crate::note::Tone;
use crate::shared::Shared;

impl Shared {
    /// Reads what is kept, once; again where a shell may have made another.
    pub(crate) fn list_studies(&mut self, out: &mut Out) {
        out.push(Effect::ListStudies);
    }

    /// Has a study made, unless something runs that would disturb it; its number.
    pub fn make_study(&mut self, words: Vec<String>, out: &mut Out) -> Option<u64> {
        if self.studies.making().is_some() {
            let text = "A study is being made; Ctrl-C stops it and keeps what was measured.";
            self.notes.say(Tone::Plain, text);
            return None;
        }
        if self.runs.running().is_some() {
            let text = "A run is in progress, which would disturb it; Ctrl-C stops the run.";
            self.notes.say(Tone::Plain, text);
            return None;
        }
        let ticket = self.studies.begin(words.clone(), self.now);
        self.notes.clear();
        out.push(Effect::MakeStudy(ticket, words));
        Some(ticket)
    }
}
