//! What an author writes in a `study` block.

use crate::fault::way_out;
use crate::fields::{Fields, Phrase};
use crate::recorded::Figures;
use study::catalogue::{STUDIES, on_device};
use study::kept::split;

/// A study that a text speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// What stands behind `study` in a shell.
    pub run: Phrase,
    /// Figures of another device, by id.
    pub recorded: Vec<Phrase>,
}

impl Made {
    /// The study's name.
    pub fn name(&self) -> String {
        split(&self.run.text).into_iter().next().unwrap_or_default()
    }

    /// The words of its command line, on the device of the course.
    pub fn words(&self, gpu: &str) -> Vec<String> {
        let mut words = split(&self.run.text);
        words.insert(0, "study".to_owned());
        on_device(words, gpu)
    }
}

pub(super) fn study(fields: &mut Fields<'_, '_>) -> Option<Made> {
    let run = fields.need_text("run", "run = \"scale --over seq\"");
    let recorded = fields.texts("recorded");
    for id in &recorded {
        if Figures::built_in().get(&id.text).is_none() {
            fields.report_at(
                id.at,
                format!(
                    "nothing is recorded as “{}”; assets/recorded.toml has all.",
                    id.text
                ),
            );
        }
    }
    let run = run?;
    let name = split(&run.text).into_iter().next().unwrap_or_default();
    if !STUDIES.iter().any(|d| d.name == name) {
        let names: Vec<&str> = STUDIES.iter().map(|d| d.name).collect();
        let way_out = way_out(&name, &names);
        fields.report_at(run.at, format!("there is no study “{name}”; {way_out}"));
        return None;
    }
    Some(Made { run, recorded })
}
