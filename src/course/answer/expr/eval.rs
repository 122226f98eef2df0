//! Tree to value.

use super::Value;
use super::ast::{Arg, Call, Field, Function, Kind, Node, Operator, Subject};
use super::error::ExprError;
use super::lookup::{gpu_fact, gpu_word, limit, most_registers, price, readers, symbol};
use super::price::{Bare, cost, field, find};
use super::profiled::profiled;
use super::vocabulary;
use crate::answer::Env;
use crate::answer::records::{RUN_PATHS, micro_dry, report_value, time_value};
use crate::answer::setup::Setup;
use plan::cost::{self, Config, Gpu};
use plan::fusion::{Cut, Version};
use plan::model::OpKind;
use plan::units::{ArithmeticError, Dimension, Quantity};

type Result<T> = std::result::Result<T, ExprError>;

pub(super) struct Evaluator<'a> {
    pub env: &'a Env<'a>,
    /// Runs that were not made count as 1 of their dimension: types are checked
    /// without a machine.
    pub dry: bool,
}

impl Evaluator<'_> {
    pub fn value(&self, node: &Node, setup: &Setup) -> Result<Value> {
        match &node.kind {
            Kind::Text(text) => Ok(Value::Text(text.clone())),
            Kind::Texts(texts) => Ok(Value::List(texts.clone())),
            Kind::Call(call) => self.call(call, setup, node.column),
            _ => self.number(node, setup).map(Value::Quantity),
        }
    }

    pub(super) fn number(&self, node: &Node, setup: &Setup) -> Result<Quantity> {
        let column = node.column;
        match &node.kind {
            Kind::Number(q) => Ok(*q),
            Kind::Symbol(letter) => symbol(*letter, setup, column),
            Kind::Negated(inner) => self.number(inner, setup).map(Quantity::negated),
            Kind::Binary(operator, left, right) => {
                let (a, b) = (self.number(left, setup)?, self.number(right, setup)?);
                let result = match operator {
                    Operator::Plus => a.plus(b),
                    Operator::Minus => a.minus(b),
                    Operator::Times => a.times(b),
                    Operator::Over => a.over(b),
                    Operator::Power => a.power(b),
                };
                result.map_err(|e| arithmetic(e, column))
            }
            Kind::Text(_) | Kind::Texts(_) => Err(not_a_number(column)),
            Kind::Call(call) => match self.call(call, setup, column)? {
                Value::Quantity(q) => Ok(q),
                _ => Err(not_a_number(column)),
            },
        }
    }

    fn call(&self, call: &Call, outer: &Setup, column: usize) -> Result<Value> {
        let setup = &outer.with(&call.settings);
        let fault = |e: cost::CostError| ExprError {
            column,
            message: e.to_string(),
        };
        let quantity = |q: Quantity| Ok(Value::Quantity(q));
        let path = call.field.as_deref();
        match (call.function, call.args.as_slice()) {
            (Function::Measure, [Arg::Subject(subject)]) => {
                self.measure(subject, path, setup, column)
            }
            (Function::Save, [Arg::Subject(a), Arg::Subject(b)]) => {
                let bytes = |s| field(&find(setup, s, Bare::Block)?, Field::Bytes, column);
                let left = bytes(b)?
                    .over(bytes(a)?)
                    .map_err(|e| arithmetic(e, column))?;
                let saved = Quantity::count(1)
                    .minus(left)
                    .map_err(|e| arithmetic(e, column))?;
                quantity(saved.with_dimension(Dimension::Ratio))
            }
            (Function::Price, [Arg::Op(a), Arg::Op(b)]) => {
                price(*a, *b, setup, column).map(Value::Quantity)
            }
            (Function::Peak, [Arg::Plan(plan)]) => {
                let peak = &cost(setup, *plan, true, column)?.peak;
                match path {
                    Some(_) => Ok(Value::Text(peak.kernel.clone())),
                    None => quantity(Quantity::bytes(peak.bytes)),
                }
            }
            (Function::Floor, [Arg::Subject(subject), Arg::Gpu(gpu)]) => {
                let found = find(setup, subject, Bare::Forward)?;
                let dtype = found.setup.config.dtype;
                let seconds = cost::floor_seconds(&found.priced, self.gpu(gpu, column)?, dtype)
                    .map_err(fault)?;
                quantity(Quantity::seconds(seconds))
            }
            (Function::Ridge, [Arg::Gpu(gpu), Arg::Dtype(dtype)]) => {
                let ridge = cost::ridge(self.gpu(gpu, column)?, *dtype).map_err(fault)?;
                quantity(Quantity::new(ridge, Dimension::FlopPerByte))
            }
            (Function::Mem, [Arg::Subject(subject), Arg::Gpu(gpu)]) => {
                let found = find(setup, subject, Bare::Block)?;
                let (gpu, dtype) = (self.gpu(gpu, column)?, found.setup.config.dtype);
                let mut below = 0;
                for kernel in &found.priced.kernels {
                    let bound = cost::bound(kernel, gpu, dtype).map_err(fault)?;
                    below += u64::from(bound == cost::Bound::Memory);
                }
                quantity(Quantity::count(below))
            }
            (Function::Bound, [Arg::Subject(subject), Arg::Gpu(gpu)]) => {
                let found = find(setup, subject, Bare::Block)?;
                let [kernel] = found.priced.kernels.as_slice() else {
                    return Err(ExprError {
                        column,
                        message: format!(
                            "a bound belongs to one kernel and here are {}: write bound(kernel(v1, q), h200), or mem(v1, h200) for their number",
                            found.priced.launches()
                        ),
                    });
                };
                let bound = cost::bound(kernel, self.gpu(gpu, column)?, found.setup.config.dtype)
                    .map_err(fault)?;
                Ok(Value::Text(bound.name().to_owned()))
            }
            (Function::Slowest, [Arg::Subject(subject), Arg::Gpu(gpu)]) => {
                let found = find(setup, subject, Bare::Block)?;
                let (gpu, dtype) = (self.gpu(gpu, column)?, found.setup.config.dtype);
                let mut slowest = (f64::NEG_INFINITY, "");
                for kernel in &found.priced.kernels {
                    let floor = cost::kernel_floor_seconds(kernel, gpu, dtype).map_err(fault)?;
                    if floor > slowest.0 {
                        slowest = (floor, &kernel.name);
                    }
                }
                Ok(Value::Text(slowest.1.to_owned()))
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
                let whole = |n| self.whole(n, setup);
                let (registers, threads, shared) =
                    (whole(registers)?, whole(threads)?, whole(shared)?);
                let occupancy = cost::occupancy(self.gpu(gpu, column)?, registers, threads, shared)
                    .map_err(fault)?;
                match path {
                    Some("blocks") => quantity(Quantity::count(occupancy.blocks)),
                    Some("warps") => quantity(Quantity::count(occupancy.warps)),
                    Some(_) => Ok(Value::Text(limit(occupancy.limit).to_owned())),
                    None => quantity(Quantity::ratio(occupancy.fraction())),
                }
            }
            (Function::MostRegisters, [Arg::Gpu(gpu), Arg::Value(warps)]) => {
                let warps = self.whole(warps, setup)?;
                most_registers(self.gpu(gpu, column)?, warps, column)
                    .map(|n| Value::Quantity(Quantity::count(n)))
            }
            (Function::Busy, [Arg::Gpu(gpu), Arg::Value(blocks)]) => {
                let units = self.gpu(gpu, column)?.compute_units.max(1);
                let blocks = self.whole(blocks, setup)?.max(1);
                let rounds = blocks.div_ceil(units);
                quantity(Quantity::ratio(blocks as f64 / (rounds * units) as f64))
            }
            (Function::Crossing, [Arg::Word(name), Arg::Value(left), Arg::Value(right)]) => {
                self.crossing(name, left, right, setup, column)
            }
            (Function::Ranked | Function::Largest | Function::Smallest, named) => {
                self.ranked(call.function, named, setup, column)
            }
            (Function::Readers, [Arg::Plan(plan), Arg::Word(tensor)]) => {
                readers(tensor, *plan, setup, column).map(Value::Quantity)
            }
            (Function::Params, _) => {
                let model = &setup.config.model;
                let count = match path {
                    Some("tied") if !setup.slips.untied => model.parameters_tied(),
                    Some(_) => model.parameters_untied(),
                    None => model.parameters(),
                };
                let count = count.map_err(|e| ExprError {
                    column,
                    message: e.to_string(),
                })?;
                quantity(Quantity::count(count))
            }
            (Function::Kv, _) => quantity(Quantity::bytes(
                cost(setup, None, true, column)?.kv_cache_bytes,
            )),
            (
                Function::Least | Function::Most | Function::Order,
                [Arg::Field(f), Arg::Ops(ops)],
            ) => self.rank(call.function, *f, ops, setup, column),
            (Function::Outside, _) => {
                let outside = [OpKind::Embed, OpKind::FinalNorm, OpKind::LmHead];
                Ok(Value::List(
                    outside.iter().map(|op| op.name().to_owned()).collect(),
                ))
            }
            (Function::Gpu, [Arg::Gpu(gpu)]) => {
                let (gpu, path) = (self.gpu(gpu, column)?, path.unwrap_or_default());
                match gpu_word(gpu, path) {
                    Some(word) => Ok(Value::Text(word.to_owned())),
                    None => gpu_fact(gpu, path, column).map(Value::Quantity),
                }
            }
            (Function::Profile, [Arg::Subject(subject), Arg::Gpu(gpu)]) => profiled(
                setup,
                subject,
                self.gpu(gpu, column)?,
                path.unwrap_or_default(),
                column,
            ),
            (Function::Run, [Arg::Plan(plan)]) => self
                .run(*plan, path.unwrap_or_default(), setup, column)
                .map(Value::Quantity),
            (Function::Micro, [Arg::Word(kernel), Arg::Value(value)]) => {
                let (value, field) = (self.whole(value, setup)?, path.unwrap_or_default());
                let found = self.env.records.micro(kernel, value, field);
                let dry = self.dry.then(|| micro_dry(field)).flatten();
                match found.or(dry) {
                    Some(q) => quantity(q),
                    None => Err(ExprError {
                        column,
                        message: format!(
                            "the microbenchmark {kernel} has not been run at {value} yet: tinyllama-tutor micro {kernel}"
                        ),
                    }),
                }
            }
            (Function::Verdict, [Arg::Word(id)]) => {
                let word = self.env.records.verdict(id).map(Value::Text);
                word.map_err(|message| ExprError { column, message })
            }
            (Function::Claims, _) => {
                let word = path.unwrap_or_default();
                let count = self.env.records.claims(word);
                let count = count.map_err(|message| ExprError { column, message })?;
                quantity(Quantity::count(count))
            }
            (Function::Recorded, _) => {
                let id = path.unwrap_or_default();
                let found = self.env.records.recorded(id).map(Value::Quantity);
                found.ok_or_else(|| ExprError {
                    column,
                    message: format!("no recorded figure has the id “{id}”"),
                })
            }
            (Function::Mutant, _) => {
                let name = path.unwrap_or_default();
                match self.env.records.mutant(name) {
                    Ok(value) if value.fract() == 0.0 && value.abs() < 1e15 => {
                        quantity(Quantity::whole(value as i128, Dimension::Count))
                    }
                    // What a kernel wrote is no share: it must not print in per cent.
                    Ok(value) => quantity(Quantity::new(value, Dimension::Count)),
                    Err(_) if self.dry => quantity(Quantity::new(1.0, Dimension::Count)),
                    Err(message) => Err(ExprError { column, message }),
                }
            }
            (function, args) => self
                .arithmetic_function(function, args, setup, column)
                .map(Value::Quantity),
        }
    }

    fn measure(
        &self,
        subject: &Subject,
        name: Option<&str>,
        setup: &Setup,
        column: usize,
    ) -> Result<Value> {
        let asked = name.and_then(vocabulary::field).unwrap_or(Field::Bytes);
        let found = find(setup, subject, Bare::Block)?;
        if asked == Field::Ops {
            let ops = found.priced.kernels.iter().flat_map(|k| &k.ops);
            return Ok(Value::List(ops.map(|op| (*op).to_owned()).collect()));
        }
        if asked == Field::Name {
            let mut names = found.priced.kernels.into_iter().map(|k| k.name);
            return Ok(match (names.next(), names.next()) {
                (Some(one), None) => Value::Text(one),
                (first, second) => {
                    Value::List(first.into_iter().chain(second).chain(names).collect())
                }
            });
        }
        field(&found, asked, column).map(Value::Quantity)
    }

    /// V1's kernels of these ops, by one of their fields.
    fn rank(
        &self,
        function: Function,
        asked: Field,
        ops: &[OpKind],
        setup: &Setup,
        column: usize,
    ) -> Result<Value> {
        let mut ranked = Vec::with_capacity(ops.len());
        for op in ops.iter().filter(|op| **op != OpKind::RopeK) {
            let extent = super::ast::Extent::Kernel(*op);
            let plan = Some(Version::V1.cut());
            let subject = Subject {
                column,
                extent,
                plan,
                settings: Vec::new(),
            };
            let value = field(&find(setup, &subject, Bare::Block)?, asked, column)?;
            let name = if *op == OpKind::RopeQ {
                "rope"
            } else {
                op.name()
            };
            ranked.push((value.value(), name));
        }
        // Stable: of equals the first named stays first.
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let names = ranked.iter().map(|(_, n)| (*n).to_owned());
        Ok(match function {
            Function::Order => Value::List(names.collect()),
            Function::Most => Value::Text(names.take(1).collect()),
            _ => Value::Text(names.rev().take(1).collect()),
        })
    }

    fn run(&self, plan: Option<Cut>, path: &str, setup: &Setup, column: usize) -> Result<Quantity> {
        let mut config: Config = setup.config.clone();
        config.cut = plan.unwrap_or(config.cut);
        let records = self.env.records;
        let found = match path.starts_with("time.") {
            true => records.time(&config).and_then(|t| time_value(&t, path)),
            false => records.report(&config).and_then(|r| report_value(r, path)),
        };
        // What the plan says needs no run. What was counted does: only lint,
        // which runs nothing, takes the plan's count for it.
        let planned = path == "launches.planned" || self.dry && path == "launches.counted";
        if found.is_none() && planned {
            return Ok(Quantity::count(
                cost(setup, plan, true, column)?.forward.launches(),
            ));
        }
        match (found, RUN_PATHS.iter().find(|(p, _)| *p == path)) {
            (Some(q), _) => Ok(q),
            (None, Some((_, dimension))) if self.dry => Ok(one(*dimension)),
            (None, _) => Err(ExprError {
                column,
                message: "no run of this plan has this figure yet: run it first".to_owned(),
            }),
        }
    }

    fn gpu(&self, id: &str, column: usize) -> Result<&Gpu> {
        self.env
            .gpus
            .get(self.env.setup.named(id))
            .map_err(|e| ExprError {
                column,
                message: e.to_string(),
            })
    }

    pub(super) fn whole(&self, node: &Node, setup: &Setup) -> Result<u64> {
        size(&self.number(node, setup)?, node.column)
    }
}

/// What stands for a figure that nobody measured yet, while types are checked.
fn one(dimension: Dimension) -> Quantity {
    match dimension {
        Dimension::Ratio | Dimension::Time => Quantity::new(1.0, dimension),
        d => Quantity::whole(1, d),
    }
}

pub(super) fn size(q: &Quantity, column: usize) -> Result<u64> {
    // 10^12 keeps every product of three sizes within 128 bits.
    q.exact()
        .and_then(|n| u64::try_from(n).ok())
        .filter(|n| *n <= 1_000_000_000_000)
        .ok_or_else(|| ExprError {
            column,
            message: "a whole number from 0 to 10^12 is expected here".to_owned(),
        })
}

pub(super) fn not_a_number(column: usize) -> ExprError {
    ExprError {
        column,
        message: "a number is expected here, and this is a name".to_owned(),
    }
}

pub(super) fn arithmetic(e: ArithmeticError, column: usize) -> ExprError {
    ExprError {
        column,
        message: e.to_string(),
    }
}
