//! The typed tree of an expression.

use crate::answer::setup::Setting;
use plan::fusion::Cut;
use plan::model::{Dtype, OpKind};
use plan::units::Quantity;

/// A node and the column (from 1) at which it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub column: usize,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Number(Quantity),
    /// `'memory'`: an option, or a word.
    Text(String),
    /// `'embed' 'lm_head'`: several options.
    Texts(Vec<String>),
    Symbol(Symbol),
    Negated(Box<Node>),
    /// The column is the operator's.
    Binary(Operator, Box<Node>, Box<Node>),
    Call(Box<Call>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Plus,
    Minus,
    Times,
    Over,
    Power,
}

/// The letters of the cost model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Batch,
    Seq,
    Context,
    Hidden,
    Layers,
    Heads,
    KvHeads,
    HeadWidth,
    KvWidth,
    Ffn,
    Vocab,
    Pairs,
    Element,
}

/// A function with its arguments, the settings that it changes, and what
/// follows its point.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub function: Function,
    pub args: Vec<Arg>,
    pub settings: Vec<Setting>,
    pub field: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Sqrt,
    Min,
    Max,
    Abs,
    /// A number that the page shows: what it is made of is nobody's step.
    Given,
    FloorInt,
    Ceil,
    Round,
    Log2,
    Ln,
    Exp,
    Measure,
    Save,
    Price,
    Peak,
    Floor,
    Ridge,
    Mem,
    Bound,
    Slowest,
    Occ,
    MostRegisters,
    Params,
    Kv,
    Tiled,
    Flash,
    Sram,
    Sector,
    Tiles,
    Busy,
    Ways,
    Bf16,
    Fp16,
    Summed,
    Crossing,
    Ranked,
    Largest,
    Smallest,
    Readers,
    Least,
    Most,
    Order,
    Outside,
    Gpu,
    Run,
    Micro,
    Recorded,
    Mutant,
    Profile,
    Verdict,
    Claims,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Arg {
    Value(Node),
    Subject(Subject),
    Plan(Option<Cut>),
    Op(OpKind),
    Ops(Vec<OpKind>),
    Gpu(String),
    Dtype(Dtype),
    Field(Field),
    Flag(bool),
    /// A word that only evaluation understands: a setting, a tensor.
    Word(String),
    /// A name with its number: `'qk|softmax', price(qk, softmax)`.
    Named(String, Node),
}

/// What is priced: a block, a forward, one kernel, or several.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Subject {
    pub column: usize,
    pub extent: Extent,
    /// `None`: the plan of the configuration.
    pub plan: Option<Cut>,
    pub settings: Vec<Setting>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    Block,
    Forward,
    /// The kernel of a block that holds this op.
    Kernel(OpKind),
    /// The kernels of a block that hold any of these ops.
    Group(Vec<OpKind>),
    /// A bare plan: the caller says whether that means a block or a forward.
    Plan,
}

/// What is asked of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Launches,
    Products,
    WeightProducts,
    Flops,
    GemmFlops,
    Bytes,
    ReadBytes,
    WeightBytes,
    WrittenBytes,
    Intensity,
    /// Grid-wide waits inside kernels.
    Barriers,
    /// Tensors that the ops make.
    Tensors,
    /// The ops by name.
    Ops,
    Name,
}
