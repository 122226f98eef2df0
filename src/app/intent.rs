//! What comes of an event: effects for the outside, intents for other pages.

use super::keymap::Action;
use super::message::Effect;
use super::mouse::Target;
use super::page::Page;
use super::question::Asked;
use course::Next;
use plan::cost::Why;
use plan::fusion::Fusion;

/// What one page wants of another. Carried out in one place, after the page
/// has answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Intent {
    /// Open a page; Esc leads back.
    Open(Page),
    /// Back the way the learner came.
    Back,
    /// Leave the first page and begin where the learner stopped.
    Begin,
    /// Open a lesson, by its place in the contents, where the learner stopped in it.
    Lesson(usize),
    /// Open a lesson at one of its sections, from 0.
    Part(usize, usize),
    /// Open a lesson at a section of the path that is followed: the lesson's place in
    /// the contents, and the section, from 0.
    Section(usize, usize),
    /// Open the form of an exercise at a question.
    Question(Asked),
    /// The same at a question of the path that is followed.
    OnPath(Asked),
    /// Go to a stop of the path at which one has been: from behind, to its end.
    Stop {
        /// The stop.
        at: Next,
        /// To its end, where it is a section.
        end: bool,
    },
    /// Open the court at a claim, by its id.
    Claim(String),
    /// Open the studies at one of them, by its name.
    Study(String),
    /// Open the staircase with its steps in this order.
    Stairs(Vec<Fusion>),
    /// Show the terms behind a number.
    Why(Box<Why>),
    /// What the lab does with a key, for a lab that stands beside.
    Lab(Action),
    /// What the lab does with a click, for a lab that stands beside.
    LabClick(Target),
}

/// What came of an event: for the outside, and for other pages.
#[derive(Debug, Default)]
pub struct Out {
    /// In order.
    pub effects: Vec<Effect>,
    /// In order; carried out behind the effects.
    pub intents: Vec<Intent>,
    /// Nothing but the place on the page changed: every text stays as it is.
    pub moved_only: bool,
}

impl Out {
    /// The outside is to do something.
    pub fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Another page is to do something.
    pub fn want(&mut self, intent: Intent) {
        self.intents.push(intent);
    }
}
