//! Which claims may be drawn for the claims court, as what, and what is asked of them.
//!
//! A claim is well posed there when its verdict is one of the four words that a
//! reader may say, and its number has a question that stands by itself.

use super::{Claim, Figure};
use crate::answer::claim::{Evidence, Ruling};
use crate::fields::{Fields, Phrase};

/// What a drawn claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Launches.
    Count,
    /// Bytes that are moved or kept.
    Bytes,
    /// FLOPs per byte.
    Intensity,
    /// How something grows with the length.
    Growth,
    /// A device.
    Device,
    /// Registers and occupancy.
    Occupancy,
    /// What only a run shows.
    Run,
    /// Anything, and it is right.
    Right,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Count,
        Self::Bytes,
        Self::Intensity,
        Self::Growth,
        Self::Device,
        Self::Occupancy,
        Self::Run,
        Self::Right,
    ];

    /// The word in the ledger.
    pub fn word(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Bytes => "bytes",
            Self::Intensity => "intensity",
            Self::Growth => "growth",
            Self::Device => "device",
            Self::Occupancy => "occupancy",
            Self::Run => "run",
            Self::Right => "right",
        }
    }

    /// Whether a claim with this verdict may stand for it.
    fn takes(self, ruling: Ruling) -> bool {
        match self {
            Self::Right => ruling == Ruling::Right,
            Self::Run => ruling == Ruling::Measurable,
            _ => matches!(ruling, Ruling::Wrong | Ruling::RightIf),
        }
    }

    /// What settles claims of this kind, where one word does.
    fn evidence(self) -> Option<Evidence> {
        match self {
            Self::Count => Some(Evidence::Count),
            Self::Bytes | Self::Intensity => Some(Evidence::Model),
            Self::Device => Some(Evidence::Lookup),
            Self::Run => Some(Evidence::Measure),
            Self::Growth | Self::Occupancy | Self::Right => None,
        }
    }
}

/// How a claim stands in the court.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Court {
    /// As what it is drawn.
    pub role: Role,
    /// The question for its number; none: only the verdict is asked.
    pub ask: Option<Phrase>,
    /// Label of the row that answers it; none: the claim's own value.
    row: Option<Phrase>,
}

impl Court {
    pub(super) fn read(fields: &mut Fields<'_, '_>) -> Option<Self> {
        let words = Role::ALL.map(Role::word);
        let role = match fields.has("as") {
            true => fields.one_of("as", &words).map(|word| word.text),
            false => {
                fields.need_text("as", &format!("one of {}", words.join(", ")));
                None
            }
        };
        let ask = fields.text("ask");
        let row = fields.text("row");
        fields.close();
        let role = Role::ALL
            .into_iter()
            .find(|r| Some(r.word()) == role.as_deref());
        Some(Self {
            role: role?,
            ask,
            row,
        })
    }
}

impl Claim {
    /// The question for its number in the court, and the figure that answers it.
    pub fn asked(&self) -> Option<(&Phrase, &Figure)> {
        let court = self.court.as_ref()?;
        let mut figures = self.figures.iter();
        let figure = match &court.row {
            Some(row) => figures.find(|f| f.label == row.text),
            None => figures.next(),
        };
        court.ask.as_ref().zip(figure)
    }

    /// What settles it, where the court asks for that: where the kind of the claim
    /// names it.
    pub fn settled_by(&self) -> Option<Evidence> {
        let named = self.court.as_ref()?.role.evidence();
        named.filter(|evidence| *evidence == self.evidence)
    }

    /// Whether one of the two says otherwise than the other.
    pub fn disputes(&self, other: &Self) -> bool {
        let by = |a: &Self, b: &Self| a.by.iter().any(|id| id.text == b.id.text);
        by(self, other) || by(other, self)
    }

    /// Why it cannot stand in the court as it is written.
    pub(super) fn ill_posed(&self) -> Option<String> {
        let court = self.court.as_ref()?;
        let (role, ruling) = (court.role.word(), self.ruling.word());
        if !court.role.takes(self.ruling) {
            return Some(format!(
                "a claim that is {ruling} cannot be drawn as {role}; leave `court` out."
            ));
        }
        if self.by_reading {
            return Some(
                "a claim that is judged by reading a program cannot be drawn; leave `court` out."
                    .to_owned(),
            );
        }
        let lost = (court.ask.is_some() || court.row.is_some()) && self.asked().is_none();
        lost.then(|| "`court` asks for a number that the claim does not have.".to_owned())
    }
}
