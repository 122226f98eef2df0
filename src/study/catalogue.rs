//! What a study is: one value says what varies, what is held, what is asked of a machine
//! and how that is reduced. The command, its help, the list of studies and what is kept
//! of them are made of it.

use crate::evidence::{Asks, Evidence};
use crate::findings::Findings;
use plan::cost::{Gpu, GpuDatabase};

/// What is said of a study before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Definition {
    /// The name that `study` takes.
    pub name: &'static str,
    /// The question that it answers.
    pub asks: &'static str,
    /// What varies.
    pub varies: &'static str,
    /// What stays the same.
    pub held: &'static str,
    /// What is modelled, counted, measured.
    pub finds: &'static str,
    /// How that is reduced.
    pub reduced: &'static str,
    /// The sentence in which it ends.
    pub ends: &'static str,
    /// Lessons that it belongs to.
    pub lessons: &'static [&'static str],
    /// Whether it models a device: that of the course, by its data sheet.
    pub models: bool,
}

impl Definition {
    /// A study by the name that `study` takes.
    pub fn named(name: &str) -> Option<&'static Self> {
        STUDIES.into_iter().find(|d| d.name == name)
    }
}

/// A study with all that was chosen for it.
pub trait Study {
    /// What it is.
    fn definition(&self) -> &'static Definition;

    /// What is asked of a machine: nothing where the model says all.
    fn asks(&self) -> Asks;

    /// What comes of it: of the model where nothing was asked, and of as much as was
    /// made.
    ///
    /// # Errors
    /// A sentence: a configuration that cannot be.
    fn reduce(&self, evidence: &Evidence) -> Result<Findings, String>;

    /// What is to be measured once more, because something disturbed it. Runs in turns repeat
    /// themselves.
    fn once_more(&self, _: &Evidence) -> Asks {
        Asks::default()
    }

    /// The device that it models, where its figures are not those of the device that runs.
    fn models(&self) -> Option<&Gpu> {
        None
    }

    /// How to ask for less, as options: shown where it would take too long.
    fn smaller(&self) -> &'static str;
}

/// Which device the figures of the model are of, where nothing ran on it.
/// None where nothing of what was found is a figure of the model.
pub fn modelled(study: &dyn Study, ran: Option<&str>, found: &Findings) -> Option<String> {
    let gpu = study.models()?;
    if !found.has_modelled() {
        return None;
    }
    let sheets = GpuDatabase::embedded().ok();
    let own = ran.and_then(|line| sheets.as_ref()?.named_in(line));
    let where_from = match ran {
        Some(_) if own == Some(gpu) => return None,
        Some(_) => "by its data sheet, not of the device that ran",
        None => "by its data sheet",
    };
    Some(format!(
        "Ridges, roofs and limits (=) are those of {}, {where_from}; --gpu names another.",
        gpu.name
    ))
}

/// The words of a study's command line with the device that it models named; those of a
/// study that models none without one.
pub fn on_device(words: Vec<String>, gpu: &str) -> Vec<String> {
    let mut named = None;
    let mut out = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match (word.as_str(), word.strip_prefix("--gpu=")) {
            ("--gpu", _) => named = words.next(),
            (_, Some(gpu)) => named = Some(gpu.to_owned()),
            _ => out.push(word),
        }
    }
    let study = out.get(1).and_then(|name| Definition::named(name));
    if study.is_some_and(|d| d.models) {
        out.extend(["--gpu".to_owned(), named.unwrap_or_else(|| gpu.to_owned())]);
    }
    out
}

/// Every study.
pub const STUDIES: [&Definition; 16] = [
    &crate::studies::ablate::DEFINITION,
    &crate::studies::planner::DEFINITION,
    &crate::studies::scale::DEFINITION,
    &crate::studies::batch::DEFINITION,
    &crate::studies::validate::DEFINITION,
    &crate::studies::precision::DEFINITION,
    &crate::studies::predict::DEFINITION,
    &crate::studies::tune::DEFINITION,
    &crate::studies::bench::DEFINITION,
    &crate::studies::regress::DEFINITION,
    &crate::studies::hierarchy::DEFINITION,
    &crate::studies::host_memory::DEFINITION,
    &crate::studies::occupancy::DEFINITION,
    &crate::studies::roofline::DEFINITION,
    &crate::studies::timeline::DEFINITION,
    &crate::studies::sick::DEFINITION,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_that_is_modelled_stands_in_the_command() {
        let on = |line: &str| {
            let words = line.split(' ').map(str::to_owned).collect();
            on_device(words, "h200").join(" ")
        };
        assert_eq!(
            on("study occupancy --threads 64"),
            "study occupancy --threads 64 --gpu h200"
        );
        for typed in [
            "study precision --gpu mi300x --run",
            "study precision --gpu=mi300x --run",
            "study --gpu mi300x precision --run",
        ] {
            assert_eq!(on(typed), "study precision --run --gpu mi300x");
        }
        // What is timed here is timed here, whatever the course speaks of.
        assert_eq!(on("study ablate --gpu mi300x --one"), "study ablate --one");
        assert_eq!(on("study"), "study");
    }
}
