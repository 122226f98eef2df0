//! The named fusions, and the versions and other plans that are unions of them.

use super::cut::Boundary;
use super::{Cut, FusionError};
use crate::model::OpKind as O;

/// Makes [`Fusion`] of the table below: a row is all that a fusion is.
macro_rules! fusions {
    ($($fusion:ident, $name:literal, $joins:expr, $summary:literal;)+) => {
        /// A named fusion: boundaries that are removed together. One fusion implies
        /// another when it removes all of the other's boundaries.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Fusion {
            $(#[doc = $summary] $fusion,)+
        }

        impl Fusion {
            /// All of them, in the order of docs/cost-model.md.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$fusion),+];

            /// The name that `--fuse` takes.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$fusion => $name,)+
                }
            }

            /// What it does, in a line: the tensors that stop travelling.
            pub const fn summary(self) -> &'static str {
                match self {
                    $(Self::$fusion => $summary,)+
                }
            }

            /// The boundaries that it removes, those of the fusions that it implies
            /// included.
            pub const fn boundaries(self) -> Cut {
                match self {
                    $(Self::$fusion => const { $joins },)+
                }
            }
        }
    };
}

// Name of the variant, name that is typed, boundaries, summary.
fusions! {
    Qkv, "qkv", joined(&[&[O::Q, O::K, O::V]]),
        "q, k and v share one read of their input";
    Rope, "rope", joined(&[&[O::Q, O::K, O::V, O::RopeQ, O::RopeK]]),
        "q and k are rotated before they are written";
    Flash, "flash", joined(&[&[O::Qk, O::Softmax, O::Pv]]),
        "scores and probabilities stay on the chip";
    GateUp, "gate_up", joined(&[&[O::Gate, O::Up]]),
        "gate and up share one read of their input";
    SiluMul, "silu_mul", joined(&[&[O::Silu, O::Mul]]),
        "sg stays in registers";
    Swiglu, "swiglu", joined(&[&[O::Gate, O::Up, O::Silu, O::Mul]]),
        "g, u and sg stay on the chip";
    NormResidual, "norm_residual", joined(&[&[O::Res1, O::Norm2], &[O::Res2, O::Norm1]]),
        "each norm joins the residual before it";
    OResidual, "o_residual", joined(&[&[O::O, O::Res1]]),
        "o is added to x before it is written";
    DownResidual, "down_residual", joined(&[&[O::Down, O::Res2]]),
        "dn is added to h before it is written";
    NormQkv, "norm_qkv", joined(&[&[O::Norm1, O::Q, O::K, O::V]]),
        "norm1 is made where q, k and v need it";
    NormGate, "norm_gate", joined(&[&[O::Norm2, O::Gate, O::Up]]),
        "norm2 is made where gate and up need it";
    Block, "block", Cut::WHOLE_BLOCK,
        "one kernel per block";
    Forward, "forward", Cut::EVERYTHING,
        "one kernel for the whole forward";
}

/// All boundaries within each of these runs of ops. Two ops that are no neighbours do
/// not compile: the table is evaluated by the compiler.
const fn joined(runs: &[&[O]]) -> Cut {
    let mut cut = Cut::NONE;
    let mut run = 0;
    while run < runs.len() {
        let ops = runs[run];
        let mut at = 1;
        while at < ops.len() {
            let boundary = Boundary::between(ops[at - 1], ops[at]);
            assert!(boundary.is_some(), "a fusion joins ops that are neighbours");
            if let Some(boundary) = boundary {
                cut = cut.joined(boundary);
            }
            at += 1;
        }
        run += 1;
    }
    cut
}

impl Fusion {
    /// The fusion of this name.
    ///
    /// # Errors
    /// Names the nearest fusion, and all of them.
    pub fn parse(name: &str) -> Result<Self, FusionError> {
        Self::ALL
            .into_iter()
            .find(|f| f.name() == name)
            .ok_or_else(|| FusionError::unknown("fusion", name, &Self::ALL.map(Self::name)))
    }

    /// The fusions of a comma-separated list.
    ///
    /// # Errors
    /// The first name that is no fusion.
    pub fn parse_list(list: &str) -> Result<Vec<Self>, FusionError> {
        list.split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(Self::parse)
            .collect()
    }

    /// Whether this fusion switches `other` on as well.
    pub fn implies(self, other: Self) -> bool {
        self != other && self.boundaries().contains(other.boundaries())
    }
}

/// The versions of the workshop, and the named plans that learners meet elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Version {
    /// One kernel per op.
    V1,
    /// q+k+v, flash, gate+up, silu+mul.
    V2,
    /// V2 with gate, up, silu and mul in one, and each norm with its residual.
    V3,
    /// One kernel per block.
    V4,
    /// V2 with silu and mul apart, as eager PyTorch runs it.
    V2Eager,
    /// What the workshop's V3 program really launches, copies aside.
    V3Code,
    /// The only grouping that gives the four launches of the documents' V3.
    V3Doc,
    /// Five kernels per block, none of which needs a grid-wide wait.
    Five,
    /// One kernel for everything.
    Forward,
}

impl Version {
    /// All of them; the first four are the workshop's.
    pub const ALL: [Self; 9] = [
        Self::V1,
        Self::V2,
        Self::V3,
        Self::V4,
        Self::V2Eager,
        Self::V3Code,
        Self::V3Doc,
        Self::Five,
        Self::Forward,
    ];

    /// The workshop's four.
    pub const WORKSHOP: [Self; 4] = [Self::V1, Self::V2, Self::V3, Self::V4];

    /// The name that `--version` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V2 => "v2",
            Self::V3 => "v3",
            Self::V4 => "v4",
            Self::V2Eager => "v2eager",
            Self::V3Code => "v3code",
            Self::V3Doc => "v3doc",
            Self::Five => "five",
            Self::Forward => "forward",
        }
    }

    /// The name in titles: `V1`; of the others what they are, as [`Cut::title`] says it of a
    /// learner's own plan.
    pub const fn title(self) -> &'static str {
        match self {
            Self::V1 => "V1",
            Self::V2 => "V2",
            Self::V3 => "V3",
            Self::V4 => "V4",
            Self::V2Eager => "qkv + flash + gate_up",
            Self::V3Code => "V1 + flash",
            Self::V3Doc => "4-kernel V3",
            Self::Five => "five kernels",
            Self::Forward => "forward",
        }
    }

    /// The title, and behind it the name that is typed where that is another: `V1 + flash
    /// (v3code)`.
    pub fn full_title(self) -> String {
        let (title, name) = (self.title(), self.name());
        match title.eq_ignore_ascii_case(name) {
            true => title.to_owned(),
            false => format!("{title} ({name})"),
        }
    }

    /// The version of this name, in either case.
    ///
    /// # Errors
    /// Names all of them.
    pub fn parse(name: &str) -> Result<Self, FusionError> {
        let lower = name.to_lowercase();
        Self::ALL
            .into_iter()
            .find(|v| v.name() == lower)
            .ok_or_else(|| FusionError::unknown("version", name, &Self::ALL.map(Self::name)))
    }

    /// The fusions whose union it is. `v3doc` removes one boundary more
    /// (mul·down), which no named fusion but `block` has.
    const fn fusions(self) -> &'static [Fusion] {
        use Fusion as F;
        match self {
            Self::V1 => &[],
            Self::V2 => &[F::Qkv, F::Flash, F::GateUp, F::SiluMul],
            Self::V3 => &[F::Qkv, F::Flash, F::Swiglu, F::NormResidual],
            Self::V4 => &[F::Block],
            Self::V2Eager => &[F::Qkv, F::Flash, F::GateUp],
            Self::V3Code => &[F::Flash],
            Self::V3Doc | Self::Five => &[
                F::NormQkv,
                F::Rope,
                F::Flash,
                F::OResidual,
                F::NormGate,
                F::Swiglu,
                F::DownResidual,
            ],
            Self::Forward => &[F::Forward],
        }
    }

    /// Its cut.
    pub fn cut(self) -> Cut {
        let cut = Cut::of_fusions(self.fusions());
        match (self, Boundary::between(O::Mul, O::Down)) {
            (Self::V3Doc, Some(boundary)) => cut.joined(boundary),
            _ => cut,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of the table of fusions in docs/cost-model.md: name, boundaries, what is
    /// implied.
    fn documented() -> Vec<[&'static str; 3]> {
        let text = include_str!("../../../docs/cost-model.md");
        let (_, table) = text.split_once("| fusion | boundaries removed |").unwrap();
        let rows = table.lines().skip(2).take_while(|l| l.starts_with('|'));
        rows.map(|row| {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            [cells[1].trim_matches('`'), cells[2], cells[3]]
        })
        .collect()
    }

    /// A boundary as the documents write it: `q·k`, `v·rope`, `res2·the next layer's
    /// norm1 (…)`.
    fn boundary(text: &str) -> Boundary {
        let op = |name: &str| {
            let ops = crate::model::BLOCK_OPS.into_iter();
            let mut ops = ops.filter(|op| op.name() == name || (name, *op) == ("rope", O::RopeQ));
            ops.next().unwrap()
        };
        let (left, right) = text.split_once('·').unwrap();
        let right = right.trim_start_matches("the next layer's ");
        let right = right.split(' ').next().unwrap();
        Boundary::between(op(left), op(right)).unwrap()
    }

    #[test]
    fn the_fusions_are_those_of_the_cost_model() {
        let documented = documented();
        let names: Vec<&str> = documented.iter().map(|row| row[0]).collect();
        assert_eq!(names, Fusion::ALL.map(Fusion::name));
        for [name, boundaries, implied] in documented {
            let fusion = Fusion::parse(name).unwrap();
            let implies = |other: Fusion| match (fusion, other) {
                (Fusion::Forward, _) => other != Fusion::Forward,
                // "all but norm_residual's cross-block half"
                (Fusion::Block, Fusion::Block | Fusion::Forward | Fusion::NormResidual) => false,
                (Fusion::Block, _) => true,
                _ => implied.split(", ").any(|name| name == other.name()),
            };
            for other in Fusion::ALL {
                assert_eq!(
                    fusion.implies(other),
                    implies(other),
                    "{fusion:?}, {other:?}"
                );
            }
            if matches!(fusion, Fusion::Block | Fusion::Forward) {
                continue;
            }
            let others = Fusion::ALL.into_iter().filter(|other| implies(*other));
            let from = others.fold(Cut::v1(), Cut::fuse);
            let boundaries = boundaries.split(", ").map(boundary);
            assert_eq!(
                Cut::v1().fuse(fusion),
                boundaries.fold(from, Cut::joined),
                "{fusion:?}"
            );
        }
    }

    #[test]
    fn every_fusion_is_a_plan_of_its_own() {
        let mut cuts = vec![Cut::v1()];
        for fusion in Fusion::ALL {
            let cut = Cut::v1().fuse(fusion);
            assert!(!cuts.contains(&cut), "{fusion:?} alone is another's plan");
            cuts.push(cut);
        }
    }

    #[test]
    fn a_typo_names_the_nearest() {
        let e = Fusion::parse("gateup").unwrap_err().to_string();
        assert!(e.contains("did you mean gate_up?"), "{e}");
        let e = Version::parse("v5").unwrap_err().to_string();
        assert!(e.contains("there is no version “v5”"), "{e}");
    }
}
