//! Why this number: a modelled figure unfolded into the terms that made it.
//!
//! The terms are the values that [`price`](fn@super::price) summed, not a second
//! derivation.

use super::{Config, Cost, CostError, Direction, KernelCost, Priced};
use crate::fusion::{Boundary, Fusion};
use crate::model::{BLOCK_OPS, OpKind, Product, Sizes};
use crate::near::nearest;

mod floor;

pub use floor::why_floor;

/// The unit of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhyUnit {
    /// A plain count.
    Count,
    /// Floating-point operations.
    Flop,
    /// Bytes.
    Bytes,
    /// FLOP/B.
    FlopPerByte,
    /// Microseconds.
    Micros,
}

impl WhyUnit {
    /// As it is written behind a number; empty for a count.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Count => "",
            Self::Flop => "FLOP",
            Self::Bytes => "B",
            Self::FlopPerByte => "FLOP/B",
            Self::Micros => "µs",
        }
    }
}

/// How a figure comes of the terms below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// Their sum.
    Sum,
    /// The one term, so many times.
    Times(u64),
    /// The first over the second.
    Quotient,
    /// The larger of them.
    Larger,
}

/// A figure: exact, or a quotient.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Figure {
    /// An integer.
    Exact(u64),
    /// A quotient of integers.
    Real(f64),
}

/// A figure and the terms that it is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Why {
    /// What the figure is: `bytes of the block`, `q`, `read n1`.
    pub label: String,
    /// The value.
    pub value: Figure,
    /// Its unit.
    pub unit: WhyUnit,
    /// The formula in symbols, `B·S·D·4 B`; empty for a sum of the terms below.
    pub formula: String,
    /// The same with numbers, `1·128·256·4 B`.
    pub numbers: String,
    /// The reason, where there is more to say.
    pub note: String,
    /// What it is made of.
    pub terms: Vec<Why>,
    /// How it is made of them.
    pub made: Made,
}

impl Why {
    fn sum(label: impl Into<String>, value: u64, unit: WhyUnit, terms: Vec<Self>) -> Self {
        Self {
            label: label.into(),
            value: Figure::Exact(value),
            unit,
            formula: String::new(),
            numbers: String::new(),
            note: String::new(),
            terms,
            made: Made::Sum,
        }
    }

    /// A figure that occurs so many times.
    fn times(label: &str, value: Figure, times: u64, each: Self) -> Self {
        Self {
            value,
            made: Made::Times(times),
            ..Self::sum(format!("{label} × {times}"), 0, each.unit, vec![each])
        }
    }

    fn noted(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// The figure and all its terms in reading order, each with its depth.
    pub fn flatten(&self) -> Vec<(usize, &Self)> {
        fn walk<'w>(why: &'w Why, depth: usize, out: &mut Vec<(usize, &'w Why)>) {
            out.push((depth, why));
            for term in &why.terms {
                walk(term, depth + 1, out);
            }
        }
        let mut out = Vec::new();
        walk(self, 0, &mut out);
        out
    }
}

const FIELDS: [&str; 9] = [
    "launches",
    "flops",
    "gemm_flops",
    "bytes",
    "read_bytes",
    "weight_bytes",
    "written_bytes",
    "activation_bytes",
    "intensity",
];

/// Unfolds the figure of a key: `block.bytes`, `forward.flops`,
/// `kernel.softmax.bytes` (the block's kernel of that name, or that holds the op), `peak`,
/// `held`, `kv`, `params.tied`.
///
/// # Errors
/// A key that names no figure, with the keys that do.
pub fn why(cost: &Cost, key: &str) -> Result<Why, CostError> {
    let parts: Vec<&str> = key.split('.').collect();
    let found = match parts.as_slice() {
        ["block", field] => of_priced(&cost.sizes, &cost.block, "the block", field),
        ["forward", field] => of_priced(&cost.sizes, &cost.forward, "the forward", field),
        ["kernel", op, field] => {
            let of = |op: &str| {
                kernel_holding(&cost.block, op).or_else(|| kernel_holding(&cost.forward, op))
            };
            let kernel = of(op).or_else(|| of(inside(cost, op)?));
            of_kernel(
                &cost.sizes,
                kernel.ok_or_else(|| no_kernel(cost, op))?,
                field,
            )
        }
        ["peak"] => Some(of_peak(cost)),
        ["held"] => Some(of_held(cost)),
        ["kv"] => Some(of_cache(cost)),
        ["params", which @ ("tied" | "untied")] => Some(of_parameters(cost, *which == "untied")),
        _ => None,
    };
    found.ok_or_else(|| {
        CostError::new(format!(
            "“{key}” names no figure; keys are block.FIELD, forward.FIELD, kernel.OP.FIELD, peak, held, kv, params.tied, params.untied, with FIELD one of {}",
            FIELDS.join(", ")
        ))
    })
}

/// Unfolds a figure of kernels that were picked: of one into its tensors or ops, of
/// several into kernels.
pub fn why_priced(sizes: &Sizes, priced: &Priced, field: &str) -> Option<Why> {
    let one = match priced.kernels.as_slice() {
        [kernel] => of_kernel(sizes, kernel, field),
        _ => None,
    };
    one.or_else(|| of_priced(sizes, priced, "them", field))
}

fn kernel_holding<'p>(priced: &'p Priced, op: &str) -> Option<&'p KernelCost> {
    let wanted = OpKind::parse(op);
    let holds = |k: &KernelCost, wanted: OpKind| {
        k.flop_terms.iter().any(|t| t.op == wanted) || k.ops.contains(&wanted.name())
    };
    let named = |k: &&KernelCost| {
        k.name == op || k.ops.contains(&op) || wanted.is_some_and(|wanted| holds(k, wanted))
    };
    priced.kernels.iter().find(named)
}

/// The first op that a fusion joins, where it is on: its kernel holds that.
fn inside(cost: &Cost, name: &str) -> Option<&'static str> {
    let joined = Fusion::parse(name).ok()?.boundaries();
    let cut = cost.config.effective_cut();
    let first = Boundary::of_block().find(|boundary| joined.is_joined(*boundary))?;
    cut.contains(joined).then_some(first.sides()?.0.name())
}

/// What is wrong with a name that no kernel has, and the names that there are.
fn no_kernel(cost: &Cost, name: &str) -> CostError {
    let mut names: Vec<&str> = Vec::new();
    let kernels = cost.forward.kernels.iter();
    for name in kernels.map(|kernel| kernel.name.as_str()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let what = match Fusion::parse(name) {
        Ok(_) => {
            format!("“{name}” is a fusion that this plan does not have; --fuse {name} adds it")
        }
        Err(_) => {
            let ops = BLOCK_OPS.iter().map(|op| op.name());
            let near = nearest(name, ops.chain(names.iter().copied()));
            let near = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
            format!("no kernel of this plan holds an op “{name}”{near}")
        }
    };
    let end = if what.ends_with('?') { "" } else { "." };
    let names = names.join(", ");
    CostError::new(format!("{what}{end} Kernels of this plan: {names}"))
}

/// Kernels, each with how many there are like it.
fn alike(priced: &Priced) -> Vec<(&KernelCost, u64)> {
    let mut alike: Vec<(&KernelCost, u64)> = Vec::new();
    for kernel in &priced.kernels {
        let same = |k: &KernelCost| k.name == kernel.name && k.bytes() == kernel.bytes();
        match alike.iter_mut().find(|(k, _)| same(k)) {
            Some((_, times)) => *times += 1,
            None => alike.push((kernel, 1)),
        }
    }
    alike
}

fn of_priced(sizes: &Sizes, priced: &Priced, what: &str, field: &str) -> Option<Why> {
    let (value, unit) = match field {
        "launches" => (priced.launches(), WhyUnit::Count),
        "flops" => (priced.flops, WhyUnit::Flop),
        "gemm_flops" => (priced.gemm_flops, WhyUnit::Flop),
        "bytes" => (priced.bytes(), WhyUnit::Bytes),
        "read_bytes" => (priced.read_bytes, WhyUnit::Bytes),
        "weight_bytes" => (priced.weight_bytes, WhyUnit::Bytes),
        "written_bytes" => (priced.written_bytes, WhyUnit::Bytes),
        "activation_bytes" => (priced.read_bytes + priced.written_bytes, WhyUnit::Bytes),
        "intensity" => return Some(quotient(sizes, priced, what)),
        _ => return None,
    };
    let mut terms: Vec<Why> = Vec::new();
    for (kernel, times) in alike(priced) {
        let mut term = if field == "launches" {
            Why::sum(kernel.name.clone(), 1, WhyUnit::Count, Vec::new())
        } else {
            of_kernel(sizes, kernel, field)?
        };
        term.label.clone_from(&kernel.name);
        if times > 1 {
            let each = term;
            let Figure::Exact(one) = each.value else {
                return None;
            };
            term = Why::times(&kernel.name, Figure::Exact(one * times), times, each);
        }
        if term.value != Figure::Exact(0) {
            terms.push(term);
        }
    }
    let label = format!("{} of {what}", field.replace('_', " "));
    Some(Why::sum(label, value, unit, terms))
}

fn quotient(sizes: &Sizes, priced: &Priced, what: &str) -> Why {
    let mut why = Why::sum(
        format!("intensity of {what}"),
        0,
        WhyUnit::FlopPerByte,
        ["flops", "bytes"]
            .iter()
            .filter_map(|f| of_priced(sizes, priced, what, f))
            .collect(),
    );
    why.value = Figure::Real(priced.intensity());
    why.made = Made::Quotient;
    why.formula = "FLOPs / bytes".to_owned();
    why.numbers = format!("{} / {}", priced.flops, priced.bytes());
    why
}

fn of_kernel(sizes: &Sizes, kernel: &KernelCost, field: &str) -> Option<Why> {
    let label = format!("{} of {}", field.replace('_', " "), kernel.name);
    let moved = |wanted: &[Direction]| -> Vec<Why> {
        kernel
            .moved
            .iter()
            .filter(|m| wanted.contains(&m.direction))
            .map(|m| {
                let verb = match m.direction {
                    Read => "read",
                    Weight => "weight",
                    Write => "write",
                };
                Why {
                    formula: format!("{}·{} B", m.elements, m.element_bytes),
                    numbers: format!("{}·{} B", m.elements.with_numbers(sizes), m.element_bytes),
                    ..Why::sum(
                        format!("{verb} {}", m.name),
                        m.bytes,
                        WhyUnit::Bytes,
                        vec![],
                    )
                }
            })
            .collect()
    };
    let flops = |all: bool| -> Vec<Why> {
        kernel
            .flop_terms
            .iter()
            .filter(|t| all || t.op.is_product())
            .map(|t| product(sizes, t.op.name(), t.product, t.flops).noted(t.note))
            .collect()
    };
    use Direction::{Read, Weight, Write};
    let (value, unit, terms) = match field {
        "flops" => (kernel.flops, WhyUnit::Flop, flops(true)),
        "gemm_flops" => (kernel.gemm_flops, WhyUnit::Flop, flops(false)),
        "bytes" => (
            kernel.bytes(),
            WhyUnit::Bytes,
            moved(&[Read, Weight, Write]),
        ),
        "read_bytes" => (kernel.read_bytes, WhyUnit::Bytes, moved(&[Read])),
        "weight_bytes" => (kernel.weight_bytes, WhyUnit::Bytes, moved(&[Weight])),
        "written_bytes" => (kernel.written_bytes, WhyUnit::Bytes, moved(&[Write])),
        "activation_bytes" => {
            let both = kernel.read_bytes + kernel.written_bytes;
            (both, WhyUnit::Bytes, moved(&[Read, Write]))
        }
        "intensity" => {
            let mut why = Why::sum(
                label,
                0,
                WhyUnit::FlopPerByte,
                ["flops", "bytes"]
                    .iter()
                    .filter_map(|f| of_kernel(sizes, kernel, f))
                    .collect(),
            );
            why.value = Figure::Real(kernel.intensity());
            why.made = Made::Quotient;
            why.formula = "FLOPs / bytes".to_owned();
            why.numbers = format!("{} / {}", kernel.flops, kernel.bytes());
            return Some(why);
        }
        _ => return None,
    };
    Some(Why::sum(label, value, unit, terms))
}

fn product(sizes: &Sizes, label: &str, product: Product, value: u64) -> Why {
    Why {
        formula: product.to_string(),
        numbers: product.with_numbers(sizes),
        ..Why::sum(label, value, WhyUnit::Flop, Vec::new())
    }
}

fn of_peak(cost: &Cost) -> Why {
    let bytes = cost.config.dtype.bytes();
    let terms = cost
        .peak
        .live
        .iter()
        .map(|live| {
            let elements = live.tensor.kind.elements();
            Why {
                formula: format!("{elements}·{bytes} B"),
                numbers: format!("{}·{bytes} B", elements.with_numbers(&cost.sizes)),
                ..Why::sum(live.tensor.name(), live.bytes, WhyUnit::Bytes, Vec::new())
            }
        })
        .collect();
    Why::sum(
        "peak of live activations",
        cost.peak.bytes,
        WhyUnit::Bytes,
        terms,
    )
    .noted(format!("while {} runs", cost.peak.kernel))
}

/// What a forward holds: weights once, the cache where it is kept, the peak of activations.
fn of_held(cost: &Cost) -> Why {
    let config = &cost.config;
    let (parameters, bytes) = (
        of_parameters(cost, !config.model.tied),
        config.dtype.bytes(),
    );
    let Figure::Exact(count) = parameters.value else {
        return of_peak(cost);
    };
    let weights = Why {
        formula: format!("parameters·{bytes} B"),
        numbers: format!("{count}·{bytes} B"),
        ..Why::sum("weights", count * bytes, WhyUnit::Bytes, Vec::new())
    };
    let mut terms = vec![weights];
    terms.extend(config.keeps_kv().then(|| of_cache(cost)));
    terms.push(of_peak(cost));
    Why::sum("bytes held", cost.held(), WhyUnit::Bytes, terms)
}

fn of_cache(cost: &Cost) -> Why {
    let Config {
        model,
        shape,
        dtype,
        ..
    } = &cost.config;
    Why {
        formula: format!("2·L·B·T·Dkv·{} B", dtype.bytes()),
        numbers: format!(
            "2·{}·{}·{}·{}·{} B",
            model.layers,
            shape.batch,
            shape.context,
            model.kv_width(),
            dtype.bytes()
        ),
        ..Why::sum("KV cache", cost.kv_cache_bytes, WhyUnit::Bytes, Vec::new())
    }
    .noted("keys and values of every layer and visible token")
}

fn of_parameters(cost: &Cost, untied: bool) -> Why {
    let m = &cost.config.model;
    let (d, kv, i) = (m.hidden, m.kv_width(), m.ffn);
    let term = |label: &str, formula: &str, numbers: String, value: u64| Why {
        formula: formula.to_owned(),
        numbers,
        ..Why::sum(label, value, WhyUnit::Count, Vec::new())
    };
    let layers = m.layers;
    let mut terms = vec![
        term(
            "q and o",
            "L·2D²",
            format!("{layers}·2·{d}²"),
            layers * 2 * d * d,
        ),
        term(
            "k and v",
            "L·2D·Dkv",
            format!("{layers}·2·{d}·{kv}"),
            layers * 2 * d * kv,
        ),
        term(
            "gate, up, down",
            "L·3D·I",
            format!("{layers}·3·{d}·{i}"),
            layers * 3 * d * i,
        ),
        term(
            "norms",
            "L·2D + D",
            format!("{layers}·2·{d} + {d}"),
            layers * 2 * d + d,
        ),
        term("embedding", "V·D", format!("{}·{d}", m.vocab), m.vocab * d),
    ];
    if untied {
        terms.push(term("head", "V·D", format!("{}·{d}", m.vocab), m.vocab * d));
    }
    let (tied_total, untied_total) = cost.parameters;
    Why::sum(
        if untied {
            "parameters, head of its own"
        } else {
            "parameters, head tied to the embedding"
        },
        if untied { untied_total } else { tied_total },
        WhyUnit::Count,
        terms,
    )
}

#[cfg(test)]
mod tests;
