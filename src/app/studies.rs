//! Studies: what is on offer, what is kept, and the one that is being made. Pages and
//! live blocks share it.

use std::sync::Arc;

use super::clock::Millis;
use super::note::{Note, Tone};
use super::runs::Ticket;
use course::present::quoted;
use study::kept::same;
use study::offer::Offered;

pub use study::kept::Kept;

/// A kept study by its id, or why it cannot be read.
pub type Listed = (String, Result<Arc<Kept>, String>);

/// How lines begin that say how many runs are over.
const TIMING: &str = "timing ";

/// All about studies.
#[derive(Clone, Debug, Default)]
pub struct Studies {
    /// What there is to make, with what can be set.
    pub offered: Arc<Vec<Offered>>,
    /// Those that are kept, the newest first; none before they were read.
    pub kept: Option<Vec<Listed>>,
    making: Option<Making>,
    last: Ticket,
    /// They were asked for.
    listing: bool,
}

/// A study that is being made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Making {
    /// Its number.
    pub ticket: Ticket,
    /// What makes it in a shell, without the program's name.
    pub words: Vec<String>,
    /// What it said last of how far it is: `timing 3 of 60`.
    pub said: String,
    /// When it began.
    pub since: Millis,
    /// It was told to stop.
    pub stopping: bool,
}

impl Making {
    /// The study's name.
    pub fn name(&self) -> &str {
        self.words.get(1).map_or("", String::as_str)
    }

    /// Steps that are done, of how many: where it said so.
    pub fn steps(&self) -> Option<(u64, u64)> {
        let mut words = self.said.split_whitespace().rev();
        let total = words.next()?.parse().ok()?;
        let done = words.nth(1)?.parse().ok()?;
        (total > 0 && done <= total).then_some((done, total))
    }
}

impl Studies {
    /// Whether what is kept is still to be asked for.
    pub(super) fn wants_list(&mut self) -> bool {
        self.kept.is_none() && !std::mem::replace(&mut self.listing, true)
    }

    /// The study that is being made.
    pub const fn making(&self) -> Option<&Making> {
        self.making.as_ref()
    }

    /// Begins one; its number.
    pub(super) fn begin(&mut self, words: Vec<String>, now: Millis) -> Ticket {
        self.last += 1;
        self.making = Some(Making {
            ticket: self.last,
            words,
            said: String::new(),
            since: now,
            stopping: false,
        });
        self.last
    }

    /// It is to stop; `false`: nothing is being made.
    pub(super) fn stop(&mut self) -> bool {
        let making = self.making.as_mut();
        making.map(|m| m.stopping = true).is_some()
    }

    /// It says how far it is.
    pub(super) fn heard(&mut self, ticket: Ticket, line: String) {
        let making = self.making.as_mut().filter(|m| m.ticket == ticket);
        // What is no step is said again at its end.
        if let Some(making) = making
            && line.contains(" of ")
            && !line.starts_with('{')
            // Between two timed runs each plan is made ready again: that is no step back.
            && (line.starts_with(TIMING) || !making.said.starts_with(TIMING))
        {
            making.said = line;
        }
    }

    /// It has ended; what came of it and what is said of that, unless it was given up.
    pub(super) fn made(
        &mut self,
        ticket: Ticket,
        made: Result<Arc<Kept>, String>,
    ) -> Option<(Result<Arc<Kept>, String>, Note)> {
        let making = self.making.take_if(|m| m.ticket == ticket)?;
        let note = |tone, text| Note { tone, text };
        let said = match &made {
            Ok(kept) => {
                let all = self.kept.get_or_insert_default();
                all.retain(|(id, _)| *id != kept.id);
                all.insert(0, (kept.id.clone(), Ok(Arc::clone(kept))));
                let end = kept.findings.sentences.first();
                let end = end.map_or("", String::as_str);
                match kept.stopped {
                    true => note(
                        Tone::Warn,
                        format!("Stopped; what was measured is kept as {}. {end}", kept.id),
                    ),
                    false => note(Tone::Good, format!("{}: {end}", kept.id)),
                }
            }
            Err(_) if making.stopping => note(
                Tone::Plain,
                "Stopped before anything was measured.".to_owned(),
            ),
            Err(why) => note(Tone::Warn, format!("{}: {why}", making.name())),
        };
        Some((made, said))
    }

    /// A kept study by its id.
    pub fn get(&self, id: &str) -> Option<&Result<Arc<Kept>, String>> {
        let mut all = self.kept.iter().flatten();
        all.find(|(known, _)| known == id).map(|(_, kept)| kept)
    }

    /// The newest that these words made, in a shell or here.
    pub fn of_words(&self, words: &[String]) -> Option<&Arc<Kept>> {
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        self.of_command(&words.join(" "))
    }

    /// The newest that a command line made, in a shell or here.
    pub fn of_command(&self, line: &str) -> Option<&Arc<Kept>> {
        let mut all = self.kept.iter().flatten();
        all.find_map(|(_, kept)| kept.as_ref().ok().filter(|kept| same(&kept.command, line)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_far_it_is_stands_in_its_last_line() {
        let mut studies = Studies::default();
        let ticket = studies.begin(vec!["study".into(), "scale".into()], 0);
        for (line, steps) in [
            ("prepare 0 of 1", Some((0, 1))),
            ("timing 7 of 60", Some((7, 60))),
            ("{\"error\": \"one of two\"}", Some((7, 60))),
            ("what else it says", Some((7, 60))),
            ("prepare 0 of 1", Some((7, 60))),
            ("timing 9 of 0", None),
        ] {
            studies.heard(ticket, line.to_owned());
            assert_eq!(studies.making().unwrap().steps(), steps, "{line}");
        }
        studies.heard(ticket + 1, "timing 8 of 60".into());
        assert_eq!(studies.making().unwrap().said, "timing 9 of 0");
        assert_eq!(studies.making().unwrap().name(), "scale");
    }
}
