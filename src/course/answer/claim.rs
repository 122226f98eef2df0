//! Claims of the workshop's documents: how each was judged, and what settles it.

use std::fmt;

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ruling {
    /// Right as it stands.
    Right,
    /// Right under an assumption that the document does not make, or not there.
    RightIf,
    /// Near the truth, or too vague to be wrong.
    Imprecise,
    /// Wrong.
    Wrong,
    /// Another statement of the documents says otherwise.
    Contradicted,
    /// Only a measurement can tell.
    Measurable,
    /// Nobody could confirm it, and nothing here can.
    Unconfirmed,
}

impl Ruling {
    /// All of them, in the order of lists.
    pub const ALL: [Self; 7] = [
        Self::Right,
        Self::RightIf,
        Self::Imprecise,
        Self::Wrong,
        Self::Contradicted,
        Self::Measurable,
        Self::Unconfirmed,
    ];

    /// The word in the ledger, on the screen and behind `--verdict`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::RightIf => "right if",
            Self::Imprecise => "imprecise",
            Self::Wrong => "wrong",
            Self::Contradicted => "contradicted",
            Self::Measurable => "measurable",
            Self::Unconfirmed => "unconfirmed",
        }
    }

    /// The ruling with this word; `right-if` is `right if`.
    pub fn parse(word: &str) -> Option<Self> {
        let word = word.trim().replace('-', " ");
        Self::ALL.into_iter().find(|r| r.word() == word)
    }

    /// Whether its document should say something else, or say more.
    pub fn wants_correction(self) -> bool {
        matches!(
            self,
            Self::RightIf | Self::Imprecise | Self::Wrong | Self::Contradicted
        )
    }

    /// What a reader should have said.
    pub fn judgement(self) -> Judgement {
        match self {
            Self::Right => Judgement::Right,
            Self::RightIf => Judgement::RightIf,
            Self::Imprecise | Self::Wrong | Self::Contradicted => Judgement::Wrong,
            Self::Measurable | Self::Unconfirmed => Judgement::Measurable,
        }
    }
}

impl fmt::Display for Ruling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What a reader may say of a claim before the evidence shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Judgement {
    /// Right as it stands.
    Right,
    /// Right under an assumption.
    RightIf,
    /// Wrong, contradicted, or too vague to use.
    Wrong,
    /// Only a measurement can tell.
    Measurable,
}

impl Judgement {
    /// All of them, in the order of the screen.
    pub const ALL: [Self; 4] = [Self::Right, Self::RightIf, Self::Wrong, Self::Measurable];

    /// The words on the screen: those of the rulings that it stands for.
    pub fn says(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::RightIf => "right if something is assumed",
            Self::Wrong => "wrong, imprecise or contradicted",
            Self::Measurable => "measurable, or unconfirmed",
        }
    }

    /// The word that is kept.
    pub fn word(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::RightIf => "right if",
            Self::Wrong => "wrong",
            Self::Measurable => "measurable",
        }
    }

    /// The judgement with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|j| j.word() == word)
    }
}

/// What settles a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// Launches are counted.
    Count,
    /// FLOPs, bytes or bounds follow from the cost model.
    Model,
    /// Something is timed, or read from a counter, on this machine.
    Measure,
    /// A kernel's numbers are checked.
    Check,
    /// Arithmetic on the document's own figures.
    Arithmetic,
    /// A data sheet or a manual is looked up.
    Lookup,
}

impl Evidence {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Count,
        Self::Model,
        Self::Measure,
        Self::Check,
        Self::Arithmetic,
        Self::Lookup,
    ];

    /// The word in the ledger.
    pub fn word(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Model => "model",
            Self::Measure => "measure",
            Self::Check => "check",
            Self::Arithmetic => "arithmetic",
            Self::Lookup => "look up",
        }
    }

    /// The evidence with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|e| e.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_read_back() {
        for ruling in Ruling::ALL {
            assert_eq!(Ruling::parse(ruling.word()), Some(ruling));
            // A reader can always say what the ledger says, in its words.
            assert!(Judgement::ALL.contains(&ruling.judgement()));
            let says = ruling.judgement().says();
            assert!(says.contains(ruling.word()), "{ruling}: {says}");
        }
        assert_eq!(Ruling::parse("right-if"), Some(Ruling::RightIf));
        assert_eq!(Ruling::parse("maybe"), None);
        for judgement in Judgement::ALL {
            assert_eq!(Judgement::parse(judgement.word()), Some(judgement));
        }
        for evidence in Evidence::ALL {
            assert_eq!(Evidence::parse(evidence.word()), Some(evidence));
        }
    }
}
