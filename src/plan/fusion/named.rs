//! The named fusions, and the versions and other plans that are unions of them.

use super::cut::Boundary;
use super::{Cut, FusionError};
use crate::model::OpKind;

/// A named fusion: boundaries that are removed together. One fusion implies another
/// when it removes all of the other's boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are those of docs/cost-model.md")]
pub enum Fusion {
    Qkv,
    Rope,
    Flash,
    GateUp,
    SiluMul,
    Swiglu,
    NormResidual,
    OResidual,
    DownResidual,
    NormQkv,
    NormGate,
    Block,
    Forward,
}

impl Fusion {
    /// All of them, in the order of docs/cost-model.md.
    pub const ALL: [Self; 13] = [
        Self::Qkv,
        Self::Rope,
        Self::Flash,
        Self::GateUp,
        Self::SiluMul,
        Self::Swiglu,
        Self::NormResidual,
        Self::OResidual,
        Self::DownResidual,
        Self::NormQkv,
        Self::NormGate,
        Self::Block,
        Self::Forward,
    ];

    /// The name that `--fuse` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Qkv => "qkv",
            Self::Rope => "rope",
            Self::Flash => "flash",
            Self::GateUp => "gate_up",
            Self::SiluMul => "silu_mul",
            Self::Swiglu => "swiglu",
            Self::NormResidual => "norm_residual",
            Self::OResidual => "o_residual",
            Self::DownResidual => "down_residual",
            Self::NormQkv => "norm_qkv",
            Self::NormGate => "norm_gate",
            Self::Block => "block",
            Self::Forward => "forward",
        }
    }

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

    /// The boundaries that it removes, those of the fusions that it implies included.
    pub fn boundaries(self) -> Cut {
        use OpKind as O;
        let between = |pairs: &[(O, O)]| {
            pairs.iter().fold(Cut::NONE, |cut, (a, b)| {
                Boundary::between(*a, *b).map_or(cut, |boundary| cut.joined(boundary))
            })
        };
        match self {
            Self::Qkv => between(&[(O::Q, O::K), (O::K, O::V)]),
            Self::Rope => Self::Qkv
                .boundaries()
                .union(between(&[(O::V, O::RopeQ), (O::RopeQ, O::RopeK)])),
            Self::Flash => between(&[(O::Qk, O::Softmax), (O::Softmax, O::Pv)]),
            Self::GateUp => between(&[(O::Gate, O::Up)]),
            Self::SiluMul => between(&[(O::Silu, O::Mul)]),
            Self::Swiglu => Self::GateUp
                .boundaries()
                .union(Self::SiluMul.boundaries())
                .union(between(&[(O::Up, O::Silu)])),
            Self::NormResidual => between(&[(O::Res1, O::Norm2)]).joined(Boundary::CROSS),
            Self::OResidual => between(&[(O::O, O::Res1)]),
            Self::DownResidual => between(&[(O::Down, O::Res2)]),
            Self::NormQkv => Self::Qkv.boundaries().union(between(&[(O::Norm1, O::Q)])),
            Self::NormGate => Self::GateUp
                .boundaries()
                .union(between(&[(O::Norm2, O::Gate)])),
            Self::Block => Cut::WHOLE_BLOCK,
            Self::Forward => Cut::EVERYTHING,
        }
    }

    /// Whether this fusion switches `other` on as well.
    pub fn implies(self, other: Self) -> bool {
        self != other && self.boundaries().contains(other.boundaries())
    }

    /// What it does, in a line: the tensors that stop travelling.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Qkv => "one kernel for q, k and v reads n1 once",
            Self::Rope => "q and k are rotated before they are written",
            Self::Flash => "scores and probabilities stay on the chip",
            Self::GateUp => "one kernel for gate and up reads n2 once",
            Self::SiluMul => "sg stays in registers",
            Self::Swiglu => "g, u and sg stay on the chip",
            Self::NormResidual => "each norm joins the residual before it",
            Self::OResidual => "o is added to x before it is written",
            Self::DownResidual => "dn is added to h before it is written",
            Self::NormQkv => "norm1 is made where q, k and v need it",
            Self::NormGate => "norm2 is made where gate and up need it",
            Self::Block => "one kernel per block",
            Self::Forward => "one kernel for the whole forward",
        }
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

    /// The name in titles: `V1`; the others as they are typed.
    pub const fn title(self) -> &'static str {
        match self {
            Self::V1 => "V1",
            Self::V2 => "V2",
            Self::V3 => "V3",
            Self::V4 => "V4",
            other => other.name(),
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
        match (self, Boundary::between(OpKind::Mul, OpKind::Down)) {
            (Self::V3Doc, Some(boundary)) => cut.joined(boundary),
            _ => cut,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn implications_are_those_of_the_table() {
        // docs/cost-model.md, column "implies".
        let table: &[(Fusion, &[Fusion])] = &[
            (Fusion::Qkv, &[]),
            (Fusion::Rope, &[Fusion::Qkv]),
            (Fusion::Flash, &[]),
            (Fusion::GateUp, &[]),
            (Fusion::SiluMul, &[]),
            (Fusion::Swiglu, &[Fusion::GateUp, Fusion::SiluMul]),
            (Fusion::NormResidual, &[]),
            (Fusion::OResidual, &[]),
            (Fusion::DownResidual, &[]),
            (Fusion::NormQkv, &[Fusion::Qkv]),
            (Fusion::NormGate, &[Fusion::GateUp]),
        ];
        for (fusion, implied) in table {
            for other in Fusion::ALL {
                assert_eq!(
                    fusion.implies(other),
                    implied.contains(&other),
                    "{fusion:?} implies {other:?}"
                );
            }
        }
        // "block: all but norm_residual's cross-block half"; "forward: all".
        for other in Fusion::ALL {
            let inside = !matches!(
                other,
                Fusion::Block | Fusion::Forward | Fusion::NormResidual
            );
            assert_eq!(Fusion::Block.implies(other), inside);
            assert_eq!(Fusion::Forward.implies(other), other != Fusion::Forward);
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
