//! An opcode taken apart: `ld.global.v4.f32` is `ld` with its modifiers.

/// A type as an instruction names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Unsigned(u32),
    Signed(u32),
    Bits(u32),
    Float(u32),
    Bf16,
    Bf16x2,
    F16x2,
    Pred,
}

impl Type {
    fn read(text: &str) -> Option<Type> {
        let bits = |digits: &str| match digits {
            "8" => Some(8),
            "16" => Some(16),
            "32" => Some(32),
            "64" => Some(64),
            _ => None,
        };
        match text {
            "pred" => Some(Type::Pred),
            "bf16" => Some(Type::Bf16),
            "bf16x2" => Some(Type::Bf16x2),
            "f16x2" => Some(Type::F16x2),
            _ => {
                let digits = text.get(1..)?;
                match text.get(..1)? {
                    "u" => bits(digits).map(Type::Unsigned),
                    "s" => bits(digits).map(Type::Signed),
                    "b" => bits(digits).map(Type::Bits),
                    "f" => bits(digits).map(Type::Float),
                    _ => None,
                }
            }
        }
    }

    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Type::Unsigned(bits) | Type::Signed(bits) | Type::Bits(bits) | Type::Float(bits) => {
                bits
            }
            Type::Bf16 => 16,
            Type::Bf16x2 | Type::F16x2 => 32,
            Type::Pred => 1,
        }
    }

    pub fn signed(self) -> bool {
        matches!(self, Type::Signed(_))
    }

    pub fn wide(self) -> bool {
        self.bits() == 64
    }
}

/// An opcode.
#[derive(Clone, Debug)]
pub(super) struct Code<'t> {
    pub root: &'t str,
    pub mods: Vec<&'t str>,
    types: Vec<Type>,
}

impl<'t> Code<'t> {
    pub fn new(name: &'t str) -> Code<'t> {
        let mut parts = name.split('.').flat_map(|part| part.split("::").take(1));
        let root = parts.next().unwrap_or_default();
        let mods: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        let types = mods.iter().filter_map(|part| Type::read(part)).collect();
        Code { root, mods, types }
    }

    pub fn has(&self, modifier: &str) -> bool {
        self.mods.contains(&modifier)
    }

    /// The one type, or the last: that of the sources.
    pub fn last_type(&self) -> Option<Type> {
        self.types.last().copied()
    }

    /// The first type: that of the destination.
    pub fn first_type(&self) -> Option<Type> {
        self.types.first().copied()
    }

    /// Elements per lane: `.v2`, `.v4`.
    pub fn vector(&self) -> u32 {
        if self.has("v4") {
            4
        } else if self.has("v2") {
            2
        } else {
            1
        }
    }
}
