//! How a value comes about: the expression with numbers, and of everything that it asks
//! of the cost model the terms that were summed.

mod crossing;
mod fits;

use super::Expr;
use super::ast::{Arg, Call, Extent, Field, Function, Kind, Node, Operator, Subject};
use super::eval::Evaluator;
use super::lookup::gpu_fact;
use super::price::{Bare, Found, find};
use super::vocabulary;
use crate::answer::Env;
use plan::cost::{self, Gpu, Roof, Why, why_priced};
use plan::model::Symbol;
use plan::units::{self, Quantity, Unit};

/// A step: what it says, and the values that it gives away.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// `bytes of res1: read x B·S·D·4 B = 1·128·256·4 B = 131,072 B, …`.
    pub text: String,
    /// The values in it that another question may ask for.
    pub values: Vec<Quantity>,
}

/// Most steps of one answer.
const MOST: usize = 8;
/// Most terms that are shown with their formulas.
const UNFOLDED: usize = 6;

impl Expr {
    /// The steps from letters to the value; none for a word that is only known.
    pub fn derive(&self, env: &Env<'_>) -> Vec<Step> {
        let derivation = Derivation {
            eval: Evaluator { env, dry: false },
        };
        let mut steps = Vec::new();
        let computed = matches!(self.root.kind, Kind::Binary(..) | Kind::Negated(_));
        let arithmetic =
            matches!(&self.root.kind, Kind::Call(call) if named(call.function).is_some());
        if (computed || arithmetic)
            && let Some((numbers, _)) = derivation.numbers(&self.root)
        {
            // Between blanks it is written so that it is no dot between words.
            let letters = self.source.replace(" * ", " ⋅ ").replace('*', "·");
            let letters = letters.replace('-', "−");
            let bare = |text: &str| text.replace(' ', "").replace('⋅', "·");
            let same = bare(&letters) == bare(&numbers);
            let text = match asks(&self.root) {
                // The course's own formulas are no letters of the model: what they ask
                // for is named below.
                true => numbers,
                false => format!("{letters} = {numbers}"),
            };
            if !same {
                let values = derivation.leaves(&self.root);
                steps.push(Step { text, values });
            }
        }
        derivation.calls(&self.root, &mut steps);
        steps.truncate(MOST);
        steps
    }
}

/// Whether a node asks the cost model, a data sheet or a record for something.
fn asks(node: &Node) -> bool {
    match &node.kind {
        Kind::Binary(_, left, right) => asks(left) || asks(right),
        Kind::Negated(inner) => asks(inner),
        Kind::Call(call) => {
            let within = |arg: &Arg| matches!(arg, Arg::Value(inner) if asks(inner));
            named(call.function).is_none() || call.args.iter().any(within)
        }
        _ => false,
    }
}

struct Derivation<'e> {
    eval: Evaluator<'e>,
}

/// How tightly what was printed holds together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tight {
    Sum,
    Product,
    Power,
    Whole,
}

/// A function of numbers, by its name.
const fn named(function: Function) -> Option<&'static str> {
    Some(match function {
        Function::Sqrt => "sqrt",
        Function::Min => "min",
        Function::Max => "max",
        Function::Abs => "abs",
        Function::FloorInt => "floor",
        Function::Ceil => "ceil",
        Function::Round => "round",
        Function::Log2 => "log2",
        Function::Ln => "ln",
        Function::Exp => "exp",
        _ => return None,
    })
}

/// A quantity in full where it is whole: `393,216 B`.
fn spelled(q: &Quantity) -> String {
    let base = Unit::base(q.dimension());
    match q.exact() {
        Some(n) if q.dimension().is_plain() => units::group_thousands(n),
        Some(_) => units::format_in(q, base, None).unwrap_or_else(|_| units::format(q)),
        None => units::format(q),
    }
}

impl Derivation<'_> {
    /// A node with numbers in place of letters and of what the model is asked.
    fn numbers(&self, node: &Node) -> Option<(String, Tight)> {
        let setup = &self.eval.env.setup;
        match &node.kind {
            Kind::Binary(operator, left, right) => {
                let (sign, tight, behind) = match operator {
                    Operator::Plus => (" + ", Tight::Sum, Tight::Sum),
                    Operator::Minus => (" − ", Tight::Sum, Tight::Product),
                    Operator::Times => ("·", Tight::Product, Tight::Product),
                    Operator::Over => (" / ", Tight::Product, Tight::Power),
                    Operator::Power => ("^", Tight::Power, Tight::Whole),
                };
                let within = |node, least| {
                    let (text, tight) = self.numbers(node)?;
                    Some(match tight < least {
                        true => format!("({text})"),
                        false => text,
                    })
                };
                let (left, right) = (within(left, tight)?, within(right, behind)?);
                Some((format!("{left}{sign}{right}"), tight))
            }
            Kind::Negated(inner) => Some((format!("−{}", self.numbers(inner)?.0), Tight::Sum)),
            // As it was written: whether it is a share, only its text knows.
            Kind::Number(q) if q.dimension().is_plain() && q.exact().is_none() => {
                Some((q.value().to_string(), Tight::Whole))
            }
            Kind::Call(call) if named(call.function).is_some() => {
                let args = call.args.iter().map(|arg| match arg {
                    Arg::Value(node) => self.numbers(node).map(|(text, _)| text),
                    _ => None,
                });
                let args: Vec<String> = args.collect::<Option<_>>()?;
                let name = named(call.function)?;
                Some((format!("{name}({})", args.join(", ")), Tight::Whole))
            }
            _ => {
                let value = self.eval.number(node, setup).ok()?;
                Some((spelled(&value), Tight::Whole))
            }
        }
    }

    /// The values of what the model is asked in a node.
    fn leaves(&self, node: &Node) -> Vec<Quantity> {
        match &node.kind {
            Kind::Binary(_, left, right) => {
                let mut all = self.leaves(left);
                all.extend(self.leaves(right));
                all
            }
            Kind::Negated(inner) => self.leaves(inner),
            Kind::Call(_) => self
                .eval
                .number(node, &self.eval.env.setup)
                .into_iter()
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The steps of every call in a node, in reading order, each once.
    fn calls(&self, node: &Node, steps: &mut Vec<Step>) {
        match &node.kind {
            Kind::Binary(_, left, right) => {
                self.calls(left, steps);
                self.calls(right, steps);
            }
            Kind::Negated(inner) => self.calls(inner, steps),
            // The page shows it: nothing is derived.
            Kind::Call(call) if call.function == Function::Given => {}
            Kind::Call(call) if call.function == Function::Crossing => {
                self.crossed(call, steps);
            }
            Kind::Call(call) => {
                for step in self.call(call) {
                    if !steps.contains(&step) {
                        steps.push(step);
                    }
                }
                for arg in &call.args {
                    if let Arg::Value(inner) = arg {
                        self.calls(inner, steps);
                    }
                }
            }
            _ => {}
        }
    }

    fn call(&self, call: &Call) -> Vec<Step> {
        let setup = &self.eval.env.setup.with(&call.settings);
        let path = call.field.as_deref();
        match (call.function, call.args.as_slice()) {
            (Function::Measure, [Arg::Subject(subject)]) => {
                let asked = path.and_then(vocabulary::field).unwrap_or(Field::Bytes);
                let found = find(setup, subject, Bare::Block).ok();
                found.map_or_else(Vec::new, |found| measured(&found, subject, asked))
            }
            (Function::Save, [Arg::Subject(a), Arg::Subject(b)]) => {
                let of = |subject| Some((find(setup, subject, Bare::Block).ok()?, subject));
                let both: Vec<(Found, &Subject)> = [b, a].into_iter().filter_map(of).collect();
                let [(less, _), (all, _)] = both.as_slice() else {
                    return Vec::new();
                };
                let (less, all) = (less.priced.bytes(), all.priced.bytes());
                let bytes = |n: u64| spelled(&Quantity::bytes(n));
                let mut steps = vec![Step {
                    text: format!("saved: 1 − {} / {}", bytes(less), bytes(all)),
                    values: vec![Quantity::bytes(less), Quantity::bytes(all)],
                }];
                let parts = both.iter();
                steps.extend(parts.flat_map(|(f, s)| measured(f, s, Field::Bytes)));
                steps
            }
            (Function::Floor, [Arg::Subject(subject), Arg::Gpu(gpu)]) => {
                let found = find(setup, subject, Bare::Forward).ok();
                found.map_or_else(Vec::new, |found| self.limits(&found, gpu))
            }
            (Function::Bound, [Arg::Subject(subject), Arg::Gpu(gpu)]) => {
                let found = find(setup, subject, Bare::Block).ok();
                found.map_or_else(Vec::new, |found| self.limits(&found, gpu))
            }
            (Function::Ridge, [Arg::Gpu(gpu), Arg::Dtype(dtype)]) => {
                let sheet = self.sheet(gpu);
                let roof = sheet.and_then(|gpu| Roof::of(gpu, *dtype, true).ok());
                let text = roof.map(|roof| {
                    let (peak, bandwidth) = rates(&roof);
                    format!("peak {peak} over bandwidth {bandwidth}")
                });
                text.into_iter().map(step).collect()
            }
            (Function::Ranked | Function::Largest | Function::Smallest, args) => {
                let values = args.iter().filter_map(|arg| match arg {
                    Arg::Named(name, node) => {
                        let value = self.eval.number(node, setup).ok()?;
                        Some((format!("{name}: {}", spelled(&value)), value))
                    }
                    _ => None,
                });
                let (texts, values): (Vec<String>, Vec<Quantity>) = values.unzip();
                match texts.is_empty() {
                    true => Vec::new(),
                    false => vec![Step {
                        text: texts.join("; "),
                        values,
                    }],
                }
            }
            (Function::Gpu, [Arg::Gpu(gpu)]) => {
                let fact = path.unwrap_or_default();
                let text = self.sheet(gpu).and_then(|sheet| {
                    let value = gpu_fact(sheet, fact, 0).ok()?;
                    let fact = fact.replace('_', " ");
                    Some(format!("{fact} of {}: {}", sheet.short, spelled(&value)))
                });
                text.into_iter().map(step).collect()
            }
            (Function::Peak, [Arg::Plan(plan)]) => {
                let mut config = setup.config.clone();
                config.cut = plan.unwrap_or(config.cut);
                let why = cost::price(&config)
                    .ok()
                    .and_then(|c| cost::why(&c, "peak").ok());
                why.as_ref().map_or_else(Vec::new, |why| {
                    let text = format!("live {}: {}", why.note, terms(why));
                    vec![unfolded(text, why)]
                })
            }
            (
                Function::Occ,
                [
                    Arg::Gpu(gpu),
                    Arg::Value(registers),
                    Arg::Value(threads),
                    Arg::Value(shared),
                ],
            ) => {
                let fits = self.occupancy(gpu, [registers, threads, shared], setup);
                fits.into_iter().collect()
            }
            (Function::MostRegisters, [Arg::Gpu(gpu), Arg::Value(warps)]) => {
                self.registers(gpu, warps, setup).into_iter().collect()
            }
            (Function::Price, [Arg::Op(a), Arg::Op(b)]) => {
                self.wall(*a, *b, setup).into_iter().collect()
            }
            (Function::Kv, _) => {
                let why = cost::price(&setup.config)
                    .ok()
                    .and_then(|c| cost::why(&c, "kv").ok());
                let text = why.map(|why| format!("{} = {}", why.formula, why.numbers));
                text.into_iter().map(step).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The data sheet of an id, or the one that the setup names.
    fn sheet(&self, id: &str) -> Option<&Gpu> {
        let id = self.eval.env.setup.named(id);
        self.eval.env.gpus.get(id).ok()
    }

    /// The two times of each kernel of a floor, the longer of which counts.
    fn limits(&self, found: &Found, gpu: &str) -> Vec<Step> {
        let dtype = found.setup.config.dtype;
        let [kernel] = found.priced.kernels.as_slice() else {
            return Vec::new();
        };
        let of = |gpu| Roof::of(gpu, dtype, kernel.has_product()).ok();
        let Some(roof) = self.sheet(gpu).and_then(of) else {
            return Vec::new();
        };
        let (peak, bandwidth) = rates(&roof);
        let seconds = |s: f64| units::format(&Quantity::seconds(s));
        let text = format!(
            "{} at {peak} take {}; {} at {bandwidth} take {}; the longer counts",
            spelled(&Quantity::flop(kernel.flops)),
            seconds(kernel.flops as f64 / roof.flops_per_second),
            spelled(&Quantity::bytes(kernel.bytes())),
            seconds(kernel.bytes() as f64 / roof.bytes_per_second),
        );
        vec![Step {
            text,
            values: vec![
                Quantity::flop(kernel.flops),
                Quantity::bytes(kernel.bytes()),
            ],
        }]
    }
}

/// Peak and bandwidth: `23.95 TFLOP/s`, `1.638 TB/s`.
fn rates(roof: &Roof) -> (String, String) {
    let rate = |value: f64, unit: &str| {
        let (scale, prefix) = match value {
            v if v >= 1e12 => (1e12, "T"),
            _ => (1e9, "G"),
        };
        format!("{} {prefix}{unit}", units::significant(value / scale, 4))
    };
    (
        rate(roof.flops_per_second, "FLOP/s"),
        rate(roof.bytes_per_second, "B/s"),
    )
}

fn step(text: String) -> Step {
    Step {
        text,
        values: Vec::new(),
    }
}

/// What is summed in a figure of a subject.
fn measured(found: &Found, subject: &Subject, asked: Field) -> Vec<Step> {
    let fields: &[&str] = match asked {
        Field::Launches => &["launches"],
        Field::Flops => &["flops"],
        Field::GemmFlops => &["gemm_flops"],
        Field::Bytes => &["bytes"],
        Field::ReadBytes => &["read_bytes"],
        Field::WeightBytes => &["weight_bytes"],
        Field::WrittenBytes => &["written_bytes"],
        Field::Intensity => &["flops", "bytes"],
        _ => &[],
    };
    let Ok(sizes) = found.setup.config.sizes() else {
        return Vec::new();
    };
    let what = match (&subject.extent, found.priced.kernels.as_slice()) {
        (_, [kernel]) => kernel.name.clone(),
        (Extent::Forward, _) => "the forward".to_owned(),
        (Extent::Group(_), _) => "these kernels".to_owned(),
        _ => "the block".to_owned(),
    };
    let plan = subject
        .plan
        .map_or_else(String::new, |cut| format!(" in {}", cut.title()));
    let steps = fields.iter().filter_map(|field| {
        let why = why_priced(&sizes, &found.priced, field)?;
        let mut text = format!(
            "{} of {what}{plan}: {}",
            field.replace('_', " "),
            terms(&why)
        );
        let pairs = Symbol::Pairs.letter();
        if text.contains(pairs) {
            let n = units::group_thousands(i128::from(sizes.get(Symbol::Pairs)));
            let seen = match found.setup.config.conventions.exact_causal {
                true => " that it sees",
                false => "",
            };
            text += &format!("; {pairs}: a query and a key{seen}, {n} in each head");
        }
        Some(unfolded(text, &why))
    });
    steps.collect()
}

fn unfolded(text: String, why: &Why) -> Step {
    let of = |why: &Why| match (why.value, why.unit) {
        (cost::Figure::Exact(n), cost::WhyUnit::Bytes) => Some(Quantity::bytes(n)),
        (cost::Figure::Exact(n), cost::WhyUnit::Flop) => Some(Quantity::flop(n)),
        (cost::Figure::Exact(n), cost::WhyUnit::Count) => Some(Quantity::count(n)),
        _ => None,
    };
    Step {
        text,
        values: std::iter::once(why)
            .chain(&why.terms)
            .filter_map(of)
            .collect(),
    }
}

/// The terms of a figure and their sum: with their formulas where they have one, else by
/// their names.
fn terms(why: &Why) -> String {
    let figure = |why: &Why| match why.value {
        cost::Figure::Exact(n) => units::group_thousands(i128::from(n)),
        cost::Figure::Real(v) => units::significant(v, 4),
    };
    let all: Vec<String> = why
        .terms
        .iter()
        .map(
            |term| match term.formula.is_empty() || why.terms.len() > UNFOLDED {
                // Two numbers do not stand behind each other.
                true if term.label.contains('×') => {
                    format!("{} ({})", term.label, figure(term))
                }
                true => format!("{} {}", term.label, figure(term)),
                false => format!(
                    "{} {} = {} = {}",
                    term.label,
                    term.formula,
                    term.numbers,
                    figure(term)
                ),
            },
        )
        .collect();
    let unfolded = all.len() <= UNFOLDED;
    let formulas = unfolded && why.terms.iter().any(|term| !term.formula.is_empty());
    let unit = match why.unit.name() {
        "" => String::new(),
        unit => format!(" {unit}"),
    };
    match (all.len(), formulas) {
        (0, _) => format!("{}{unit}", figure(why)),
        (1, true) => format!("{}{unit}", all.concat()),
        (_, true) => format!("{}; together {}{unit}", all.join("; "), figure(why)),
        (_, false) => format!("{} = {}{unit}", all.join(" + "), figure(why)),
    }
}

#[cfg(test)]
mod tests;
