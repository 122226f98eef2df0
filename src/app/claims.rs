//! The claims court: a document's claim, the reader's judgement, what the model
//! says, what this machine measured.
//!
//! Judging comes first. Until a claim was judged, or its evidence asked for, the
//! model's side stays closed.

mod act;

pub use act::open;

use super::change::NAME;
use super::intent::Out;
use super::keymap::{Action, Footer, FooterItem, renamed, without};
use super::mouse::Target;
use super::note::Tone;
use super::page::Mark;
use super::question::Asks;
use super::screen::Screen;
use super::shared::Shared;
use super::study::{CLAIM, Study};
use course::answer::claim::{Judgement, Ruling};
use course::{Claim, Ledger};
use std::collections::BTreeMap;

/// Which claims are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    /// All of them.
    #[default]
    All,
    /// Those that are open: neither judged nor shown.
    Open,
    /// A group, by its place in the ledger.
    Group(usize),
    /// Those of a document, by its place in the ledger.
    Document(usize),
}

impl Filter {
    /// The filter after this one: all, open, the groups, the documents.
    pub fn next(self) -> Self {
        let ledger = Ledger::built_in();
        let next = match self {
            Self::All => Self::Open,
            Self::Open => Self::Group(0),
            Self::Group(at) if at + 1 < ledger.groups().len() => Self::Group(at + 1),
            Self::Group(_) => Self::Document(0),
            Self::Document(at) => Self::Document(at + 1),
        };
        match next {
            Self::Group(at) if at >= ledger.groups().len() => Self::Document(0),
            Self::Document(at) if at >= ledger.documents().len() => Self::All,
            next => next,
        }
    }

    /// What the list calls it.
    pub fn title(self) -> String {
        let ledger = Ledger::built_in();
        match self {
            Self::All => "all groups".to_owned(),
            Self::Open => "open".to_owned(),
            Self::Group(at) => ledger
                .groups()
                .get(at)
                .map_or(String::new(), |g| g.name.clone()),
            Self::Document(at) => {
                let document = ledger.documents().get(at);
                document.map_or(String::new(), |d| format!("{} {}", d.id, d.name))
            }
        }
    }
}

/// What the page remembers.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    /// The claim under the cursor, among those listed.
    pub cursor: usize,
    /// Which claims are listed.
    pub filter: Filter,
    /// First line shown of the claim.
    pub scroll: usize,
    /// The reader judges.
    pub choosing: bool,
    /// The judgement under the cursor then; none until the reader goes to one.
    pub chosen: Option<usize>,
    /// The claim that was just judged: it stays listed until the cursor moves.
    just: Option<&'static str>,
    /// `s` was pressed once and waits for the second.
    armed: bool,
    /// What is behind the claim was opened just now: it is to be in view.
    pub reveal: bool,
    /// Lines of the claim and lines that the page shows, as it was laid out.
    pub extent: (usize, usize),
}

impl Claims {
    /// What waits for a second press waits no longer.
    pub(super) fn disarm(&mut self) {
        self.armed = false;
    }

    /// Takes in how long the claim came out.
    pub fn fit(&mut self, lines: usize, room: usize) {
        self.extent = (lines, room);
        self.scroll = self.scroll.min(lines.saturating_sub(room));
    }
}

/// How a reader stands to a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Not judged yet.
    Open,
    /// Judged before looking.
    Judged(Judgement),
    /// The evidence was asked for without a judgement.
    Shown,
}

/// The word that is kept where nothing was judged.
const SHOWN: &str = "shown";

/// The setting under which a judgement is kept.
fn setting(id: &str) -> String {
    format!("{CLAIM}{id}")
}

/// How a reader stands to the claim with this id.
pub fn standing(study: &Study, id: &str) -> Standing {
    match study
        .progress
        .settings
        .get(&setting(id))
        .map(String::as_str)
    {
        Some(SHOWN) => Standing::Shown,
        Some(word) => Judgement::parse(word).map_or(Standing::Open, Standing::Judged),
        None => Standing::Open,
    }
}

/// The claims that were judged, of the settings that a learner's progress holds.
pub fn judgements(settings: &BTreeMap<String, String>) -> Vec<(&'static Claim, Judgement)> {
    let judged = |claim: &'static Claim| {
        let word = settings.get(&setting(&claim.id.text))?;
        Some((claim, Judgement::parse(word)?))
    };
    let claims = Ledger::built_in().claims().iter();
    claims.filter_map(judged).collect()
}

/// How many claims were judged. Looks at what was kept alone: the first screen
/// need not wait for the ledger.
pub fn judged(study: &Study) -> usize {
    let kept = study.progress.settings.iter();
    kept.filter(|(name, word)| name.starts_with(CLAIM) && *word != SHOWN)
        .count()
}

/// How many claims were judged, and how many of these as they are.
pub fn tally(study: &Study) -> (usize, usize) {
    let judged = Ledger::built_in().claims().iter().filter_map(|claim| {
        match standing(study, &claim.id.text) {
            Standing::Judged(judgement) => Some(judgement == claim.ruling.judgement()),
            _ => None,
        }
    });
    judged.fold((0, 0), |(all, right), hit| {
        (all + 1, right + usize::from(hit))
    })
}

/// The claims that the filter leaves, in the order of the ledger.
pub fn listed(page: &Claims, shared: &Shared) -> Vec<&'static Claim> {
    let ledger = Ledger::built_in();
    let fits = |claim: &&Claim| match page.filter {
        Filter::All => true,
        Filter::Open => {
            let just = page.just == Some(claim.id.text.as_str());
            just || standing(&shared.study, &claim.id.text) == Standing::Open
        }
        Filter::Group(at) => ledger.groups().get(at).is_some_and(|g| g.id == claim.group),
        Filter::Document(at) => ledger
            .documents()
            .get(at)
            .is_some_and(|d| claim.is_in(&d.id)),
    };
    ledger.claims().iter().filter(fits).collect()
}

/// The claim under the cursor.
pub fn current(page: &Claims, shared: &Shared) -> Option<&'static Claim> {
    let listed = listed(page, shared);
    let last = listed.len().checked_sub(1)?;
    listed.get(page.cursor.min(last)).copied()
}

/// Whether what was judged is what the ledger says.
pub fn hit(ruling: Ruling, judgement: Judgement) -> bool {
    ruling.judgement() == judgement
}

impl Screen for Claims {
    fn footer(&self, shared: &Shared) -> Footer {
        if self.choosing {
            return CHOOSING.into();
        }
        let claim = current(self, shared);
        let keys = match claim.map(|c| standing(&shared.study, &c.id.text)) {
            Some(Standing::Open) => OPEN,
            _ => JUDGED,
        };
        match claim {
            Some(claim) if claim.cuts().is_empty() => match claim.demonstration() {
                Some(_) => renamed(keys, Action::Run, "its command"),
                None => without(keys, &[Action::Run]),
            },
            _ => keys.into(),
        }
    }

    fn act(&mut self, shared: &mut Shared, action: Action, out: &mut Out) {
        act::act(self, shared, action, out);
    }

    fn command(&self, shared: &Shared) -> String {
        match current(self, shared) {
            Some(claim) => format!("{NAME} claims {}", claim.id.text),
            None => format!("{NAME} claims"),
        }
    }

    fn mark(&self, _: &Shared) -> Mark {
        Mark {
            item: self.cursor,
            scroll: self.scroll,
        }
    }

    fn restore(&mut self, _: &mut Shared, mark: Mark) {
        self.cursor = mark.item;
        self.scroll = mark.scroll;
    }

    fn leave(&mut self, _: &mut Shared) -> bool {
        let chose = std::mem::take(&mut self.choosing);
        if chose {
            self.scroll = 0;
        }
        chose
    }

    /// A verdict is chosen with arrows; no digit leads away from it.
    fn asks(&self, _: &Shared) -> Asks {
        match self.choosing {
            true => Asks::Untyped,
            false => Asks::Nothing,
        }
    }

    fn click(&mut self, shared: &mut Shared, target: Target, out: &mut Out) {
        match target {
            Target::Row(at) => (self.cursor, self.scroll, self.choosing) = (at, 0, false),
            // It is judged once: as with keys, a verdict is chosen before that.
            Target::Option(at) if self.choosing && self.chosen == Some(at) => {
                self.act(shared, Action::Open, out);
            }
            Target::Option(at) if self.choosing => self.chosen = Some(at),
            _ => {}
        }
    }

    fn items(&self, shared: &Shared) -> Vec<String> {
        listed(self, shared).into_iter().map(named).collect()
    }

    fn searched(&self) -> &'static str {
        "among these claims"
    }

    fn place(&self, _: &Shared) -> usize {
        self.cursor
    }

    fn jump(&mut self, shared: &mut Shared, at: usize) {
        act::move_to(self, shared, at);
    }

    /// Says that the filter hides what is searched for.
    fn find_beyond(&mut self, shared: &mut Shared, typed: &str, _: bool, _: &mut Out) -> bool {
        let needle = typed.to_lowercase();
        let has = |claim: &&Claim| named(claim).to_lowercase().contains(&needle);
        let hidden = match listed(self, shared).iter().any(has) {
            true => 0,
            false => Ledger::built_in().claims().iter().filter(has).count(),
        };
        if hidden > 0 {
            let have = if hidden == 1 { "has" } else { "have" };
            let text = format!(
                "“{typed}” is in none of these claims ({}); {hidden} of the others {have} it: f turns to their groups.",
                self.filter.title()
            );
            shared.notes.say(Tone::Plain, text);
        }
        hidden > 0
    }
}

/// A claim as it is searched: its id, its title and its sentence.
fn named(claim: &Claim) -> String {
    format!("{} {} {}", claim.id.text, claim.title, claim.says.text)
}

const OPEN: &[FooterItem] = &[
    (&[Action::Up, Action::Down], "claim"),
    (&[Action::Open], "judge"),
    (&[Action::Solution], "show"),
    (&[Action::Run], "run"),
    (&[Action::Filter], "filter"),
    (&[Action::Find], "find"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

const JUDGED: &[FooterItem] = &[
    (&[Action::Up, Action::Down], "claim"),
    (&[Action::Open], "lesson"),
    (&[Action::Run], "run the evidence"),
    (&[Action::Filter], "filter"),
    (&[Action::Find], "find"),
    (&[Action::Back], "back"),
    (&[Action::Help], "help"),
];

const CHOOSING: &[FooterItem] = &[
    (&[Action::Up, Action::Down], "verdict"),
    (&[Action::Open], "judge"),
    (&[Action::Back], "not yet"),
    (&[Action::Help], "help"),
];

#[cfg(test)]
mod tests;
