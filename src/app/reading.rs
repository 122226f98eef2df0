//! Pages that are only read: what this machine has, the terms behind a number,
//! the last messages; and the page of the very first start.

use super::change::NAME;
use super::intent::{Intent, Out};
use super::keymap::{Action, Footer, FooterItem};
use super::message::Effect;
use super::note::Tone;
use super::page::{Mark, Page};
use super::screen::{READ, Screen, read_only, scrolled};
use super::shared::Shared;
use plan::cost::Why;
use plan::run::BackendKind;

/// Lines that a page shows which has the screen for itself: without header and footer, its
/// title between two empty rows, and the message row.
pub fn room(shared: &Shared) -> usize {
    usize::from(shared.size.1.saturating_sub(6))
}

/// What this machine has.
#[derive(Clone, Debug, Default)]
pub struct Doctor {
    /// First line shown.
    pub scroll: usize,
    /// Lines that it has and lines that the page shows, as it was laid out.
    extent: (usize, usize),
}

impl Doctor {
    /// Takes in how long the page came out.
    pub fn fit(&mut self, lines: usize, room: usize) {
        self.extent = (lines, room);
        self.scroll = self.scroll.min(lines.saturating_sub(room));
    }
}

impl Screen for Doctor {
    fn footer(&self, _: &Shared) -> Footer {
        const KEYS: &[FooterItem] = &[
            (&[Action::Up, Action::Down], "scroll"),
            (&[Action::RunAll], "measure"),
            (&[Action::Theme], "theme"),
            (&[Action::Ascii], "ASCII"),
            (&[Action::CommandLine], "command"),
            (&[Action::Back], "back"),
            (&[Action::Help], "help"),
        ];
        KEYS.into()
    }

    fn act(&mut self, shared: &mut Shared, action: Action, out: &mut Out) {
        if action == Action::RunAll {
            out.push(Effect::Probe);
            if shared.machine.kind() == BackendKind::Simt {
                let text = "Looking at this machine again. The SIMT machine counts and has no roof: p chooses another backend.";
                shared.notes.say(Tone::Plain, text);
                return;
            }
            let text = "Looking at this machine again, and measuring its ceilings.";
            shared.measure(text, out);
            return;
        }
        self.scroll = scrolled(self.scroll, self.extent, action);
    }

    fn command(&self, _: &Shared) -> String {
        format!("{NAME} doctor")
    }

    read_only!();
}

/// The terms behind a number.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// The number that was asked about.
    pub why: Option<Why>,
    /// First line shown.
    pub scroll: usize,
}

impl Screen for Terms {
    fn footer(&self, _: &Shared) -> Footer {
        READ.into()
    }

    fn act(&mut self, shared: &mut Shared, action: Action, _: &mut Out) {
        let lines = self.items(shared).len();
        self.scroll = scrolled(self.scroll, (lines, room(shared)), action);
    }

    fn command(&self, shared: &Shared) -> String {
        shared.command("cost")
    }

    fn items(&self, _: &Shared) -> Vec<String> {
        let terms = self.why.as_ref().map_or_else(Vec::new, Why::flatten);
        terms.iter().map(|(_, w)| w.label.clone()).collect()
    }

    fn searched(&self) -> &'static str {
        "among the terms"
    }

    read_only!();
}

/// The last messages.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    /// First line shown.
    pub scroll: usize,
}

impl Screen for Messages {
    fn footer(&self, _: &Shared) -> Footer {
        READ.into()
    }

    fn act(&mut self, shared: &mut Shared, action: Action, _: &mut Out) {
        self.scroll = scrolled(
            self.scroll,
            (shared.notes.log().len(), room(shared)),
            action,
        );
    }

    fn items(&self, shared: &Shared) -> Vec<String> {
        shared.notes.log().map(|n| n.text.clone()).collect()
    }

    read_only!();
}

/// Shown once, at the very first start.
#[derive(Clone, Debug, Default)]
pub struct FirstRun;

impl Screen for FirstRun {
    fn footer(&self, _: &Shared) -> Footer {
        const KEYS: &[FooterItem] = &[
            (&[Action::Open], "begin"),
            (&[Action::Ascii], "ASCII"),
            (&[Action::Theme], "theme"),
            (&[Action::Go(Page::Doctor)], "doctor"),
            (&[Action::Quit], "leave"),
            (&[Action::Help], "help"),
        ];
        KEYS.into()
    }

    fn act(&mut self, shared: &mut Shared, action: Action, out: &mut Out) {
        match action {
            Action::Open | Action::Flip => {
                // Once the workshop has been met, the page is not shown again.
                shared.choose("met", "yes", out);
                out.want(Intent::Begin);
            }
            Action::Init => out.push(Effect::Init),
            _ => {}
        }
    }
}
