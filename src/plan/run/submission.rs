//! A learner's kernel submitted: what is asked, and what was found.

use serde::{Deserialize, Serialize};

use super::BackendKind;

/// What a kernel is held to, in the order in which it is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Criterion {
    /// C1: it compiles.
    Compiles,
    /// C2: a tiny case is right.
    Tiny,
    /// C3: ragged shapes and special inputs are right.
    Shapes,
    /// C4: no wrong access, no race, no barrier that some threads skip.
    Access,
    /// C5: no more bytes than stated.
    Bytes,
    /// C6: no more launches than stated.
    Launches,
    /// C7: the same bits every time.
    Bits,
    /// C8: no width of a warp typed in.
    Portable,
}

impl Criterion {
    /// All, in order.
    pub const ALL: [Self; 8] = [
        Self::Compiles,
        Self::Tiny,
        Self::Shapes,
        Self::Access,
        Self::Bytes,
        Self::Launches,
        Self::Bits,
        Self::Portable,
    ];

    /// `C4`.
    pub fn code(self) -> String {
        format!("C{}", self as u8 + 1)
    }

    /// What it asks for, in a few words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Compiles => "compiles",
            Self::Tiny => "right on a tiny case",
            Self::Shapes => "right on ragged shapes and special inputs",
            Self::Access => "no wrong access, no race, no skipped barrier",
            Self::Bytes => "bytes and sectors under the bound",
            Self::Launches => "launches as stated",
            Self::Bits => "the same bits every time",
            Self::Portable => "no width of a warp typed in",
        }
    }
}

/// What is submitted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Candidate {
    /// A text, and the name under which messages speak of it.
    Written {
        /// CUDA C++.
        text: String,
        /// `answers/ex19.cu`.
        file: String,
    },
    /// The kernel of this program with known mistakes in it: their numbers; none
    /// for the worked one.
    Chosen(Vec<u32>),
}

/// How many bytes are allowed, at the widest case.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// Most bytes that lanes may ask for.
    pub issued: Option<f64>,
    /// Most bytes in sectors that requests may touch.
    pub sectors: Option<f64>,
    /// Bytes of known mistakes, with the sentence that explains each.
    pub slips: Vec<(f64, String)>,
    /// Bytes at or below which more can be said: with what.
    pub praise: Vec<(f64, String)>,
}

/// A submission that is asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Submission {
    /// The source of the exercise (`exercises/silu_mul.cu`).
    pub source: String,
    /// What is submitted.
    pub candidate: Candidate,
    /// Its bounds.
    pub bounds: Bounds,
    /// The GPU on which it is run; none: it is judged by the SIMT machine.
    #[serde(default)]
    pub on: Option<BackendKind>,
}

/// Why a kernel is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// By what.
    pub criterion: Criterion,
    /// What was seen: shape, index, both values; or the compiler's words.
    pub seen: String,
    /// Sentences of the known mistakes that do exactly the same.
    pub known: Vec<String>,
}

impl Refusal {
    /// `C3, right on …: …`
    pub fn sentence(&self) -> String {
        let mut text = format!("{}: {}", self.criterion.code(), self.seen);
        for (index, known) in self.known.iter().enumerate() {
            text.push_str(if index == 0 { "\n" } else { "\nOr: " });
            text.push_str(known);
        }
        text
    }
}

/// What a submission found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// All criteria are met.
    Accepted {
        /// Bytes that lanes asked for in the widest case.
        issued: u64,
        /// Shapes and special inputs that were tried.
        cases: u32,
        /// What else can be said.
        praise: Vec<String>,
    },
    /// The first criterion that is not met.
    Refused(Refusal),
    /// There is no compiler for a text here: how to get one.
    NoCompiler(String),
    /// The submission itself came to nothing; nothing was judged.
    Failed(String),
}
