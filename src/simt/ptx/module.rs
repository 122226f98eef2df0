use super::Statement;

/// Width class of a register; the type is said by each instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RegKind {
    Pred,
    /// 16 bits, kept in the low half of a 32-bit lane.
    B16,
    B32,
    B64,
}

/// A register of one function, scopes and names resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct RegId(pub u32);

/// State space of a variable or an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Global,
    Shared,
    Local,
    Param,
    Const,
    Generic,
}

/// `.shared .align 4 .b8 scratch[128]`
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub name: String,
    pub space: Space,
    pub align: u64,
    /// Bytes; 0 for `.extern .shared x[]`, whose size the launch gives.
    pub size: u64,
    pub unsized_: bool,
    pub init: Vec<u8>,
    pub line: u32,
}

/// One parameter of an entry or a function.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub name: String,
    pub align: u32,
    pub size: u32,
}

/// Index into [`Module::places`].
pub(crate) type PlaceId = u32;

/// A line of CUDA source, and the line into which it was inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub file: u32,
    pub line: u32,
    pub inlined_at: Option<PlaceId>,
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub name: String,
    pub entry: bool,
    pub params: Vec<Param>,
    pub returns: Vec<Param>,
    pub registers: Vec<RegKind>,
    /// Shared, local and call-parameter variables declared inside.
    pub variables: Vec<Variable>,
    pub body: Vec<Statement>,
    /// How many labels `body` uses.
    pub labels: u32,
    /// `.maxntid` product, if the kernel states one.
    pub max_threads: Option<u32>,
    pub line: u32,
}

/// A whole PTX text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Module {
    pub variables: Vec<Variable>,
    pub functions: Vec<Function>,
    /// File numbers of `.loc` and the names they stand for.
    pub files: Vec<(u32, String)>,
    /// Place 0 is "no line known".
    pub places: Vec<Place>,
}
