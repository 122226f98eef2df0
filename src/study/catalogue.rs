//! What a study is: one value says what varies, what is held, what is asked of a machine
//! and how that is reduced. The command, its help, the list of studies and what is kept
//! of them are made of it.

use crate::evidence::{Asks, Evidence};
use crate::findings::Findings;

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

    /// How to ask for less, as options: shown where it would take too long.
    fn smaller(&self) -> &'static str;
}

/// Every study.
pub const STUDIES: [&Definition; 8] = [
    &crate::studies::ablate::DEFINITION,
    &crate::studies::planner::DEFINITION,
    &crate::studies::scale::DEFINITION,
    &crate::studies::batch::DEFINITION,
    &crate::studies::validate::DEFINITION,
    &crate::studies::precision::DEFINITION,
    &crate::studies::predict::DEFINITION,
    &crate::studies::tune::DEFINITION,
];
