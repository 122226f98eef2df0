//! Which boundaries between neighbouring ops are removed.

use serde::{Deserialize, Serialize};

use super::groups;
use super::{Fusion, FusionError, Version};
use crate::model::{BLOCK_OPS, OpKind};

/// A fusion boundary between two neighbouring ops of the forward: one of those inside a
/// block, the one between a block and the next (the last one: the final norm),
/// or the two at the ends of the forward, which only `forward` removes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Boundary(u8);

impl Boundary {
    /// res2 · the next block's norm1.
    pub const CROSS: Self = Self(BLOCK_OPS.len() as u8 - 1);
    /// embed · norm1 of the first block, and final_norm · lm_head.
    pub const ENDS: Self = Self(BLOCK_OPS.len() as u8);

    /// The boundary after the op of this index in [`BLOCK_OPS`].
    pub fn after(index: usize) -> Option<Self> {
        (index < BLOCK_OPS.len()).then_some(Self(index as u8))
    }

    /// The boundary between two neighbouring ops of a block, or of a block and the next.
    pub const fn between(a: OpKind, b: OpKind) -> Option<Self> {
        let mut left = 0;
        while left < BLOCK_OPS.len() {
            let right = (left + 1) % BLOCK_OPS.len();
            // Only so can a constant expression compare them.
            if BLOCK_OPS[left] as u8 == a as u8 && BLOCK_OPS[right] as u8 == b as u8 {
                return Some(Self(left as u8));
            }
            left += 1;
        }
        None
    }

    /// All boundaries of the period: 17 inside the block, and the one to the next.
    pub fn of_block() -> impl Iterator<Item = Self> {
        (0..BLOCK_OPS.len()).filter_map(Self::after)
    }

    /// All boundaries: those of the period, and the ends of the forward.
    fn all() -> impl Iterator<Item = Self> {
        Self::of_block().chain([Self::ENDS])
    }

    /// `rope_q+rope_k`, `res2+norm1`; `ends` for the two of the forward.
    fn name(self) -> String {
        match self.sides() {
            Some((left, right)) => format!("{}+{}", left.name(), right.name()),
            None => "ends".to_owned(),
        }
    }

    /// The ops on its two sides, for the boundaries of the period.
    pub fn sides(self) -> Option<(OpKind, OpKind)> {
        let left = *BLOCK_OPS.get(usize::from(self.0))?;
        let right = BLOCK_OPS
            .get(usize::from(self.0) + 1)
            .copied()
            .unwrap_or(OpKind::Norm1);
        Some((left, right))
    }
}

/// A cut of the forward, as the set of fusion boundaries that are removed. One value for all
/// blocks alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Cut(u32);

/// On the wire a cut is the names of the boundaries that are removed: another graph has others.
impl From<Cut> for Vec<String> {
    fn from(cut: Cut) -> Self {
        let down = Boundary::all().filter(|boundary| cut.is_joined(*boundary));
        down.map(Boundary::name).collect()
    }
}

impl TryFrom<Vec<String>> for Cut {
    type Error = FusionError;

    /// A cut that came over a wire.
    fn try_from(boundaries: Vec<String>) -> Result<Self, FusionError> {
        boundaries.iter().try_fold(Self::NONE, |cut, name| {
            let boundary = Boundary::all().find(|boundary| boundary.name() == *name);
            let boundary = boundary.ok_or_else(|| {
                FusionError::new(format!("there is no boundary “{name}” in a cut"))
            })?;
            Ok(cut.joined(boundary))
        })
    }
}

/// How a fusion's switch stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// Off.
    Off,
    /// On.
    On,
    /// On, inside a larger one that is on.
    Inside,
}

impl Switch {
    /// As it is drawn.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Off => "[ ]",
            Self::On => "[x]",
            Self::Inside => "[+]",
        }
    }
}

impl Cut {
    /// No boundary is removed, not even the one between rope of q and of k.
    pub const NONE: Self = Self(0);
    /// All boundaries inside a block are removed; blocks stay apart.
    pub const WHOLE_BLOCK: Self = Self((1 << Boundary::CROSS.0) - 1);
    /// Everything is one kernel.
    pub const EVERYTHING: Self = Self((1 << (Boundary::ENDS.0 + 1)) - 1);

    /// The union of fusions, RoPE of q and of k in one kernel.
    pub fn of_fusions(fusions: &[Fusion]) -> Self {
        fusions
            .iter()
            .fold(Self::v1(), |cut, fusion| cut.union(fusion.boundaries()))
    }

    /// One kernel per op, RoPE of q and of k together.
    pub fn v1() -> Self {
        rope_boundary().map_or(Self::NONE, |boundary| Self::NONE.joined(boundary))
    }

    /// Whether a boundary is removed.
    pub const fn is_joined(self, boundary: Boundary) -> bool {
        self.0 & (1 << boundary.0) != 0
    }

    /// This cut with a boundary removed.
    #[must_use]
    pub const fn joined(self, boundary: Boundary) -> Self {
        Self(self.0 | 1 << boundary.0)
    }

    /// This cut with a boundary put back.
    #[must_use]
    pub const fn split(self, boundary: Boundary) -> Self {
        Self(self.0 & !(1 << boundary.0))
    }

    /// All boundaries that are removed in either.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The boundaries of this cut that are not of the other.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all boundaries that are removed in `other` are removed here.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Every named fusion that is on: all of its boundaries are removed.
    pub fn fusions(self) -> Vec<Fusion> {
        Fusion::ALL
            .into_iter()
            .filter(|f| self.contains(f.boundaries()))
            .collect()
    }

    /// The fusions that are on and not inside a larger one that is on.
    pub fn largest_fusions(self) -> Vec<Fusion> {
        let on = self.fusions();
        on.iter()
            .copied()
            .filter(|f| !on.iter().any(|larger| larger.implies(*f)))
            .collect()
    }

    /// This cut with a fusion and what it implies switched on.
    #[must_use]
    pub fn fuse(self, fusion: Fusion) -> Self {
        self.union(fusion.boundaries())
    }

    /// This cut with a fusion switched off, and with it every larger one that
    /// needs it; the other fusions that were on stay on.
    #[must_use]
    pub fn unfuse(self, fusion: Fusion) -> Self {
        let on = self.fusions();
        let goes = |f: Fusion| f == fusion || f.implies(fusion);
        let bare = on
            .iter()
            .filter(|f| goes(**f))
            .fold(self, |cut, f| cut.without(f.boundaries()));
        on.iter()
            .filter(|f| !goes(**f))
            .fold(bare.union(Self::v1()), |cut, f| cut.union(f.boundaries()))
    }

    /// Whether a fusion is on, inside a larger one that is on, or off.
    pub fn switch(self, fusion: Fusion) -> Switch {
        let on = self.fusions();
        if !on.contains(&fusion) {
            Switch::Off
        } else if on.iter().any(|larger| larger.implies(fusion)) {
            Switch::Inside
        } else {
            Switch::On
        }
    }

    /// The cut with a fusion flipped.
    #[must_use]
    pub fn flipped(self, fusion: Fusion) -> Self {
        match self.switch(fusion) {
            Switch::Off => self.fuse(fusion),
            Switch::On | Switch::Inside => self.unfuse(fusion),
        }
    }

    /// RoPE of q and of k as two launches, unless a fusion holds them together.
    #[must_use]
    pub fn with_rope_split(self) -> Self {
        let neighbours = [
            Boundary::between(OpKind::V, OpKind::RopeQ),
            Boundary::between(OpKind::RopeK, OpKind::Qk),
        ];
        let held = neighbours.into_iter().flatten().any(|w| self.is_joined(w));
        match rope_boundary() {
            Some(boundary) if !held => self.split(boundary),
            _ => self,
        }
    }

    /// The version that this cut is, where it is one.
    pub fn version(self) -> Option<Version> {
        Version::ALL.into_iter().find(|v| v.cut() == self)
    }

    /// What people call it: `V2`, `V2 + rope`, `V1 + qkv`, `qkv + flash`, `V1, rope ×2`, or an
    /// own cut.
    pub fn title(self) -> String {
        if let Some(version) = self.version() {
            return version.title().to_owned();
        }
        let largest = self.largest_fusions();
        for base in [Version::V3, Version::V2] {
            let more = largest
                .iter()
                .filter(|f| !base.cut().contains(f.boundaries()));
            let built = more.clone().fold(base.cut(), |cut, f| cut.fuse(*f));
            if built == self {
                let names: String = more.map(|f| format!(" + {}", f.name())).collect();
                return format!("{}{names}", base.title());
            }
        }
        if Self::of_fusions(&largest) == self {
            let names: Vec<&str> = largest.iter().map(|f| f.name()).collect();
            return match names.as_slice() {
                [one] => format!("V1 + {one}"),
                _ => names.join(" + "),
            };
        }
        // RoPE of q and of k in two kernels is another way to count, not another plan.
        let joined = rope_boundary().map_or(self, |boundary| self.joined(boundary));
        let counted = Some(joined)
            .filter(|joined| *joined != self)
            .map(Self::title);
        match counted {
            Some(title) if title != OWN => format!("{title}, rope ×2"),
            _ => OWN.to_owned(),
        }
    }

    /// The same with the name that `--version` takes, where the cut has one.
    pub fn full_title(self) -> String {
        let version = self.version();
        version.map_or_else(|| self.title(), Version::full_title)
    }

    /// The command-line options that make this cut.
    pub fn as_options(self) -> String {
        if let Some(version) = self.version() {
            return format!("--version {}", version.name());
        }
        let largest = self.largest_fusions();
        if Self::of_fusions(&largest) == self {
            let names: Vec<&str> = largest.iter().map(|f| f.name()).collect();
            return format!("--fuse {}", names.join(","));
        }
        format!("--groups '{}'", self.groups())
    }

    /// The groups of the block as `--groups` takes them: `norm1|q k v|rope|…`.
    /// A kernel that goes on into the next block ends in `>`.
    pub fn groups(self) -> String {
        groups::write(self)
    }

    /// The cut that [`Cut::groups`] writes.
    ///
    /// # Errors
    /// An op that is unknown, missing, repeated or out of order.
    pub fn parse_groups(text: &str) -> Result<Self, FusionError> {
        groups::parse(text)
    }

    /// A plan as people write it: `v2`, `v1+qkv+flash`, `v2-qkv`, or groups.
    ///
    /// # Errors
    /// A version, fusion or op that does not exist, with the nearest.
    pub fn parse(text: &str) -> Result<Self, FusionError> {
        let text = text.trim();
        if text.contains('|') || text.contains(' ') && !text.contains(['+', '-']) {
            return Self::parse_groups(text);
        }
        let end = text.find(['+', '-']).unwrap_or(text.len());
        let (head, mut rest) = text.split_at(end);
        let mut cut = Version::parse(head.trim())?.cut();
        while let Some(sign) = rest.chars().next() {
            let tail = &rest[sign.len_utf8()..];
            let end = tail.find(['+', '-']).unwrap_or(tail.len());
            let (name, after) = tail.split_at(end);
            let fusion = Fusion::parse(name.trim())?;
            cut = if sign == '+' {
                cut.fuse(fusion)
            } else {
                cut.unfuse(fusion)
            };
            rest = after;
        }
        Ok(cut)
    }
}

/// What a cut is called that nobody has a name for.
const OWN: &str = "own cut";

fn rope_boundary() -> Option<Boundary> {
    Boundary::between(OpKind::RopeQ, OpKind::RopeK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All fusions but the two that are a whole block or more, which come last.
    const PARTS: usize = Fusion::ALL.len() - 2;

    #[test]
    fn titles_are_what_people_call_the_plan() {
        let cases = [
            ("v1", "V1"),
            ("v1+qkv", "V1 + qkv"),
            ("v1+qkv+flash", "qkv + flash"),
            ("v1+qkv+flash+gate_up+silu_mul", "V2"),
            ("v2+swiglu+norm_residual", "V3"),
            ("v1+block", "V4"),
            ("v2+rope", "V2 + rope"),
            ("v2+o_residual+rope", "V2 + rope + o_residual"),
            ("v3+norm_qkv", "V3 + norm_qkv"),
            ("v2+swiglu", "V2 + swiglu"),
            ("v2-silu_mul", "qkv + flash + gate_up"),
            ("v1+flash", "V1 + flash"),
            ("five", "five kernels"),
        ];
        for (plan, title) in cases {
            assert_eq!(Cut::parse(plan).unwrap().title(), title, "{plan}");
        }
        // As `--rope-kernels 2` counts, and a cut of somebody's own.
        for (plan, title) in [("v1", "V1, rope ×2"), ("v2", "V2, rope ×2")] {
            let cut = Cut::parse(plan).unwrap().with_rope_split();
            assert_eq!(cut.title(), title);
        }
        let own = Cut::v1().joined(Boundary::between(OpKind::Norm1, OpKind::Q).unwrap());
        assert_eq!(own.title(), OWN);
        let full = |plan| Cut::parse(plan).unwrap().full_title();
        assert_eq!(full("v1+flash"), "V1 + flash (v3code)");
        assert_eq!([full("v3"), full("forward")], ["V3", "forward"]);
    }

    #[test]
    fn a_cut_on_the_wire_names_its_boundaries_and_one_that_is_none_is_refused() {
        let cut = Cut::v1().fuse(Fusion::NormResidual);
        let text = serde_json::to_string(&cut).unwrap();
        assert_eq!(text, r#"["rope_q+rope_k","res1+norm2","res2+norm1"]"#);
        assert_eq!(serde_json::to_string(&Cut::NONE).unwrap(), "[]");
        for wrong in [r#"["q+up"]"#, r#"["res2+norm1+q"]"#, "131071", r#""ends""#] {
            assert!(serde_json::from_str::<Cut>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn switching_a_part_off_switches_off_what_needs_it() {
        let v3 = Version::V3.cut();
        // swiglu off leaves gate_up and silu_mul: V2 with norm_residual.
        assert_eq!(
            v3.unfuse(Fusion::Swiglu),
            Version::V2.cut().fuse(Fusion::NormResidual)
        );
        // gate_up off takes swiglu with it; silu_mul stays.
        let off = v3.unfuse(Fusion::GateUp).fusions();
        assert!(off.contains(&Fusion::SiluMul) && !off.contains(&Fusion::Swiglu));
        // block off leaves every smaller fusion on: the five-kernel plan.
        assert_eq!(Version::V4.cut().unfuse(Fusion::Block), Version::Five.cut());
    }

    proptest! {
        #[test]
        fn fusing_then_unfusing_leaves_the_rest(set in proptest::collection::vec(0..PARTS, 0..6), one in 0..PARTS) {
            let fusion = Fusion::ALL[one];
            let others: Vec<Fusion> = set.into_iter().map(|i| Fusion::ALL[i])
                .filter(|f| *f != fusion && !f.implies(fusion)).collect();
            let base = Cut::of_fusions(&others);
            prop_assume!(!base.fusions().contains(&fusion));
            let back = base.fuse(fusion).unfuse(fusion);
            // What fusion implied may stay on (it was named by nobody, but is a fusion of its own).
            prop_assert!(back.contains(base));
            prop_assert!(!back.fusions().contains(&fusion));
        }

        #[test]
        fn a_cut_crosses_a_wire(bits in 0u32..(1 << 19)) {
            let text = serde_json::to_string(&Cut(bits)).unwrap();
            prop_assert_eq!(serde_json::from_str::<Cut>(&text).unwrap(), Cut(bits));
        }

        #[test]
        fn groups_round_trip(bits in 0u32..(1 << 18)) {
            let cut = Cut(bits);
            prop_assert_eq!(Cut::parse_groups(&cut.groups()).unwrap(), cut);
        }
    }
}
