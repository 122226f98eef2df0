//! The claims ledger: what the workshop's documents state, and what is true of it.
//!
//! `assets/claims.toml` holds every claim in our words, with the documents that
//! make it, the number they print, the verdict, and the expressions that compute
//! the true number. Nothing that can be computed stands there as a number.
//!
//! ```
//! use course::Ledger;
//! let ledger = Ledger::built_in();
//! let claim = ledger.find("k-v1-12")?;
//! assert_eq!(claim.printed.as_deref(), Some("12"));
//! # Ok::<(), String>(())
//! ```

mod cited;
mod court;
mod errata;
mod evaluate;
mod read;

pub(crate) use cited::{asks, citations, uncited, words};
pub use cited::{cited, cited_at};
pub use court::{Court, Role};
pub use errata::Errata;
pub use evaluate::Line;

use super::fault::{Fault, way_out};
use super::fields::Phrase;
use super::setup::Setup;
use crate::answer::claim::{Evidence, Ruling};
use plan::nearest;
use std::sync::OnceLock;

static FILE: &str = include_str!("../../assets/claims.toml");

/// A document that makes claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// `S0`, `U-ARCH`.
    pub id: String,
    /// What it is called in sentences.
    pub name: String,
    /// Where claims may stand: its headings in its order, then other places; none: it has
    /// at most one.
    pub places: Vec<String>,
}

/// Claims about one subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The word by which claims name it.
    pub id: String,
    /// Its title.
    pub name: String,
}

/// Where a claim stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Id of the document.
    pub document: String,
    /// The heading above it; empty where the document has none.
    pub heading: String,
}

/// What a claim's own value is called where the ledger has no label for it.
pub(crate) const UNLABELLED: &str = "the model";

/// A row of the model's side: a name, an expression, a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// What is computed.
    pub label: String,
    /// The expression.
    pub expr: Phrase,
    /// The unit and the decimals to print it in.
    pub unit: Option<String>,
}

/// One claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Its id, such as `K-V1-12`.
    pub id: Phrase,
    /// A few words for lists.
    pub title: String,
    /// Id of its group.
    pub group: String,
    /// The documents that make it.
    pub places: Vec<Place>,
    /// The claim, in our words.
    pub says: Phrase,
    /// The number as the document prints it, with its unit.
    pub printed: Option<String>,
    /// The document's own formula.
    pub claimed: Option<Phrase>,
    /// What became of it.
    pub ruling: Ruling,
    /// Claims that say otherwise.
    pub by: Vec<Phrase>,
    /// What must be assumed for it to hold.
    pub assumption: Option<Phrase>,
    /// The printed number again, computed under that assumption.
    pub holds: Option<Phrase>,
    /// What is true; markdown with inline numbers.
    pub truth: Phrase,
    /// The true number and what belongs beside it; the first is the claim's own.
    pub figures: Vec<Figure>,
    /// The conclusion comes from reading a program, not from running it.
    pub by_reading: bool,
    /// Model, shape and dtype that the expressions speak of.
    pub setup: Setup,
    /// What settles it.
    pub evidence: Evidence,
    /// Plans that the demonstration runs, in order; none: nothing is run.
    pub plans: Vec<Phrase>,
    /// The command that demonstrates it, where it is not the run of the plans.
    pub command: Option<String>,
    /// How it stands in the claims court; none: it is not drawn.
    pub court: Option<Court>,
}

impl Claim {
    /// Whether a document makes it.
    pub fn is_in(&self, document: &str) -> bool {
        let same = |p: &Place| p.document.eq_ignore_ascii_case(document);
        self.places.iter().any(same)
    }
}

/// All claims, in the order of the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ledger {
    documents: Vec<Document>,
    groups: Vec<Group>,
    claims: Vec<Claim>,
}

impl Ledger {
    /// The built-in ledger.
    pub fn built_in() -> &'static Self {
        static LEDGER: OnceLock<Ledger> = OnceLock::new();
        LEDGER.get_or_init(|| Self::read("assets/claims.toml", FILE).0)
    }

    /// Reads the file's text; a claim with a fault that leaves it without
    /// meaning is left out.
    pub fn read(file: &str, raw: &str) -> (Self, Vec<Fault>) {
        read::ledger(file, raw)
    }

    /// The documents.
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// The groups.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The claims.
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// The claim with exactly this id.
    pub fn get(&self, id: &str) -> Option<&Claim> {
        self.claims.iter().find(|c| c.id.text == id)
    }

    /// A claim as people type its id, in capitals or not.
    ///
    /// # Errors
    /// A sentence with the nearest id.
    pub fn find(&self, typed: &str) -> Result<&Claim, String> {
        let typed = typed.trim();
        let same = |c: &&Claim| c.id.text.eq_ignore_ascii_case(typed);
        self.claims.iter().find(same).ok_or_else(|| {
            let ids = self.claims.iter().map(|c| c.id.as_str());
            let hint = match nearest(typed, ids) {
                Some(id) => format!("did you mean {id}?"),
                None => "tinyllama-tutor claims lists them.".to_owned(),
            };
            format!("there is no claim “{typed}”; {hint}")
        })
    }

    /// A document by its id, in capitals or not.
    ///
    /// # Errors
    /// A sentence with the nearest id, or all of them.
    pub fn document(&self, typed: &str) -> Result<&Document, String> {
        let same = |d: &&Document| d.id.eq_ignore_ascii_case(typed.trim());
        self.documents.iter().find(same).ok_or_else(|| {
            let ids: Vec<&str> = self.documents.iter().map(|d| d.id.as_str()).collect();
            format!("there is no document “{typed}”; {}", way_out(typed, &ids))
        })
    }

    /// `V4 README, Revolutionary Changes`.
    pub fn named(&self, place: &Place) -> String {
        let document = self.documents.iter().find(|d| d.id == place.document);
        let name = document.map_or(place.document.as_str(), |d| d.name.as_str());
        match place.heading.as_str() {
            "" => name.to_owned(),
            heading => format!("{name}, “{heading}”"),
        }
    }

    /// What a reader should say of a claim, for `verdict(ID)`.
    ///
    /// # Errors
    /// A sentence with the nearest id.
    pub fn verdict(&self, id: &str) -> Result<String, String> {
        let claim = self.find(id)?;
        Ok(claim.ruling.judgement().word().to_owned())
    }

    /// How many claims have a verdict, for `claims.WORD`: `total`, a word of
    /// [`Ruling`], or `assumption` for `right if`.
    ///
    /// # Errors
    /// A sentence that names the words.
    pub fn count(&self, word: &str) -> Result<u64, String> {
        let ruling = match word {
            "total" => return Ok(self.claims.len() as u64),
            "assumption" => Some(Ruling::RightIf),
            word => Ruling::parse(word),
        };
        let Some(ruling) = ruling else {
            let words = Ruling::ALL.iter().filter(|r| **r != Ruling::RightIf);
            let known: Vec<&str> = words
                .map(|r| r.word())
                .chain(["assumption", "total"])
                .collect();
            return Err(format!("no claims are {word}; {}", way_out(word, &known)));
        };
        let same = |c: &&Claim| c.ruling == ruling;
        Ok(self.claims.iter().filter(same).count() as u64)
    }

    /// The title of a claim's group.
    pub fn group(&self, claim: &Claim) -> &str {
        let group = self.groups.iter().find(|g| g.id == claim.group);
        group.map_or("", |g| g.name.as_str())
    }
}

#[cfg(test)]
mod tests;
