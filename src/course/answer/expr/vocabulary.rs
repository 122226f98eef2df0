//! The words of the language: names, what they take, and the nearest to a typo.

use super::ast::{Field, Function, Symbol};

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// Any expression.
    Value,
    /// `block(v1)`, `forward(v2)`, `kernel(v1, q)`, `group(v1, q k v)`, or a plan.
    Subject,
    /// A plan; may be left out.
    Plan,
    /// One op.
    Op,
    /// Ops with spaces between.
    Ops,
    /// A GPU of the database.
    Gpu,
    /// fp32 or bf16.
    Dtype,
    /// bytes, flops, intensity …
    Field,
    /// on or off.
    Flag,
    /// A bare word.
    Word,
    /// A quoted name and its number; as many as there are.
    Named,
}

/// How a function is written.
pub(super) struct Signature {
    pub name: &'static str,
    pub function: Function,
    pub slots: &'static [Slot],
    /// How it is written, for messages.
    pub usage: &'static str,
}

const fn sig(
    name: &'static str,
    function: Function,
    slots: &'static [Slot],
    usage: &'static str,
) -> Signature {
    Signature {
        name,
        function,
        slots,
        usage,
    }
}

use Slot::{Dtype, Field as FieldSlot, Flag, Gpu, Named, Op, Ops, Plan, Subject, Value, Word};

/// Every function. `block`, `forward`, `kernel`, `group` and `sum` are subjects
/// and stand in [`SUBJECTS`].
pub(super) const FUNCTIONS: &[Signature] = &[
    sig("sqrt", Function::Sqrt, &[Value], "sqrt(x)"),
    sig("min", Function::Min, &[Value, Value], "min(x, y)"),
    sig("max", Function::Max, &[Value, Value], "max(x, y)"),
    sig("abs", Function::Abs, &[Value], "abs(x)"),
    sig("given", Function::Given, &[Value], "given(x)"),
    sig("floor_int", Function::FloorInt, &[Value], "floor_int(x)"),
    sig("ceil", Function::Ceil, &[Value], "ceil(x)"),
    sig("round", Function::Round, &[Value], "round(x)"),
    sig("log2", Function::Log2, &[Value], "log2(x)"),
    sig("ln", Function::Ln, &[Value], "ln(x)"),
    sig("exp", Function::Exp, &[Value], "exp(x)"),
    sig("save", Function::Save, &[Subject, Subject], "save(v1, v2)"),
    sig("price", Function::Price, &[Op, Op], "price(qk, softmax)"),
    sig("peak", Function::Peak, &[Plan], "peak(v1)"),
    sig("floor", Function::Floor, &[Subject, Gpu], "floor(v1, h200)"),
    sig("ridge", Function::Ridge, &[Gpu, Dtype], "ridge(h200, fp32)"),
    sig("mem", Function::Mem, &[Subject, Gpu], "mem(v1, h200)"),
    sig(
        "bound",
        Function::Bound,
        &[Subject, Gpu],
        "bound(kernel(v1, q), h200)",
    ),
    sig(
        "slowest",
        Function::Slowest,
        &[Subject, Gpu],
        "slowest(block(v1), h200)",
    ),
    sig(
        "occ",
        Function::Occ,
        &[Gpu, Value, Value, Value],
        "occ(h200, 48, 192, 0)",
    ),
    sig(
        "most_registers",
        Function::MostRegisters,
        &[Gpu, Value],
        "most_registers(mi250x_gcd, 6)",
    ),
    sig("params", Function::Params, &[], "params.tied"),
    sig("kv", Function::Kv, &[], "kv"),
    sig(
        "tiled",
        Function::Tiled,
        &[Value, Value, Value, Value],
        "tiled(1024, 256, 256, 64)",
    ),
    sig(
        "flash",
        Function::Flash,
        &[Value, Value, Value, Flag],
        "flash(1024, 64, 64, off)",
    ),
    sig(
        "sram",
        Function::Sram,
        &[Value, Value, Value],
        "sram(64, 64, 64)",
    ),
    sig("sector", Function::Sector, &[Value], "sector(8)"),
    sig(
        "tiles",
        Function::Tiles,
        &[Value, Value, Value, Flag],
        "tiles(128, 32, 32, on)",
    ),
    sig("busy", Function::Busy, &[Gpu, Value], "busy(h200, 64)"),
    sig("ways", Function::Ways, &[Value], "ways(33)"),
    sig("bf16", Function::Bf16, &[Value], "bf16(x)"),
    sig("fp16", Function::Fp16, &[Value], "fp16(x)"),
    sig(
        "summed",
        Function::Summed,
        &[Dtype, Value, Value],
        "summed(bf16, 1, 1000)",
    ),
    sig(
        "crossing",
        Function::Crossing,
        &[Word, Value, Value],
        "crossing(batch, floor(v1, h200), 71 * 2.85 us)",
    ),
    sig(
        "ranked",
        Function::Ranked,
        &[Named],
        "ranked('qk|softmax', price(qk, softmax), 'o|res1', price(o, res1))",
    ),
    sig(
        "largest",
        Function::Largest,
        &[Named],
        "largest('launches', 71 * 2.85 us, 'kernels', floor(v1, h200))",
    ),
    sig(
        "smallest",
        Function::Smallest,
        &[Named],
        "smallest('v1', block(v1).bytes, 'v2', block(v2).bytes)",
    ),
    sig(
        "readers",
        Function::Readers,
        &[Plan, Word],
        "readers(v1, n1)",
    ),
    sig(
        "least",
        Function::Least,
        &[FieldSlot, Ops],
        "least(intensity, q softmax res1)",
    ),
    sig(
        "most",
        Function::Most,
        &[FieldSlot, Ops],
        "most(bytes, q softmax res1)",
    ),
    sig(
        "order",
        Function::Order,
        &[FieldSlot, Ops],
        "order(bytes, softmax mul qk)",
    ),
    sig("outside", Function::Outside, &[Plan], "outside"),
    sig("gpu", Function::Gpu, &[Gpu], "gpu(h200).bandwidth"),
    sig("run", Function::Run, &[Plan], "run.launches.counted"),
    sig(
        "micro",
        Function::Micro,
        &[Word, Value],
        "micro(stride, 8).sectors",
    ),
    sig(
        "microbenchmark",
        Function::Micro,
        &[Word, Value],
        "microbenchmark(stride, 8).sectors",
    ),
    sig("verdict", Function::Verdict, &[Word], "verdict(K-V1-12)"),
    sig("claims", Function::Claims, &[], "claims.wrong"),
    sig("recorded", Function::Recorded, &[], "recorded.h200_launch"),
    sig(
        "profile",
        Function::Profile,
        &[Subject, Gpu],
        "profile(v2, mi250x_gcd).wall",
    ),
    sig("mutant", Function::Mutant, &[], "mutant.scaled"),
    sig("twin", Function::Mutant, &[], "mutant.scaled"),
];

/// Words of before, still read, and the field's own that lint names.
pub(crate) const OLD: [(&str, &str); 1] = [("twin", "mutant")];

/// Names that say what is priced.
pub(super) const SUBJECTS: [&str; 5] = ["block", "forward", "kernel", "group", "sum"];

const SYMBOLS: [(&str, Symbol); 14] = [
    ("B", Symbol::Batch),
    ("S", Symbol::Seq),
    ("T", Symbol::Context),
    ("D", Symbol::Hidden),
    ("L", Symbol::Layers),
    ("H", Symbol::Heads),
    ("K", Symbol::KvHeads),
    ("d", Symbol::HeadWidth),
    ("Dkv", Symbol::KvWidth),
    ("I", Symbol::Ffn),
    ("V", Symbol::Vocab),
    ("P", Symbol::Pairs),
    ("a", Symbol::Element),
    ("w", Symbol::Element),
];

const FIELDS: [(&str, Field); 14] = [
    ("launches", Field::Launches),
    ("products", Field::Products),
    ("weight_products", Field::WeightProducts),
    ("flops", Field::Flops),
    ("gemm_flops", Field::GemmFlops),
    ("bytes", Field::Bytes),
    ("read_bytes", Field::ReadBytes),
    ("weight_bytes", Field::WeightBytes),
    ("written_bytes", Field::WrittenBytes),
    ("intensity", Field::Intensity),
    ("barriers", Field::Barriers),
    ("tensors", Field::Tensors),
    ("ops", Field::Ops),
    ("name", Field::Name),
];

pub(super) fn function(name: &str) -> Option<&'static Signature> {
    FUNCTIONS.iter().find(|s| s.name == name)
}

pub(super) fn usage(function: Function) -> &'static str {
    FUNCTIONS
        .iter()
        .find(|s| s.function == function)
        .map_or("", |s| s.usage)
}

pub(super) fn symbol(name: &str) -> Option<Symbol> {
    SYMBOLS.iter().find(|(n, _)| *n == name).map(|(_, s)| *s)
}

pub(super) fn field(name: &str) -> Option<Field> {
    FIELDS.iter().find(|(n, _)| *n == name).map(|(_, f)| *f)
}

pub(super) fn field_names() -> impl Iterator<Item = &'static str> {
    FIELDS.iter().map(|(n, _)| *n)
}

/// Every name that may begin an expression.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let functions = FUNCTIONS.iter().map(|s| s.name);
    SUBJECTS
        .into_iter()
        .chain(functions)
        .chain(SYMBOLS.iter().map(|(n, _)| *n))
}

/// “did you mean …?” where something is near, the whole list where it is short,
/// nothing otherwise.
pub(crate) fn suggest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    match plan::nearest(word, known.iter().copied()) {
        Some(k) => format!("; did you mean {k}?"),
        None => format!("; known are {}", known.join(" ")),
    }
}
