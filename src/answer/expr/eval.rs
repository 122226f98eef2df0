//! Tree to value.

use super::Value;
use super::ast::{Arg, Call, Field, Function, Kind, Node, Operator, Subject, Symbol as Letter};
use super::check::GPU_FIELDS;
use super::error::ExprError;
use super::price::{Bare, cost, field, find};
use super::vocabulary;
use crate::answer::Env;
use crate::answer::records::{RUN_PATHS, report_value};
use crate::answer::setup::Setup;
use crate::cost::{self, Config, Gpu};
use crate::fusion::{Boundary, Cut, Version};
use crate::model::{BLOCK_OPS, Dtype, OpKind, Symbol};
use crate::units::{ArithmeticError, Dimension, Quantity};

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

    fn number(&self, node: &Node, setup: &Setup) -> Result<Quantity> {
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
                let peak = cost(setup, *plan, true, column)?.peak;
                match path {
                    Some(_) => Ok(Value::Text(peak.kernel)),
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
                quantity(Quantity::ratio(occupancy.fraction()))
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
                gpu_fact(self.gpu(gpu, column)?, path.unwrap_or_default(), column)
                    .map(Value::Quantity)
            }
            (Function::Run, [Arg::Plan(plan)]) => self
                .run(*plan, path.unwrap_or_default(), setup, column)
                .map(Value::Quantity),
            (Function::Recorded, _) => {
                let id = path.unwrap_or_default();
                let found = self.env.records.recorded(id).map(Value::Quantity);
                found.ok_or_else(|| ExprError {
                    column,
                    message: format!("no recorded figure has the id “{id}”"),
                })
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

    /// Functions of numbers alone.
    fn arithmetic_function(
        &self,
        function: Function,
        args: &[Arg],
        setup: &Setup,
        column: usize,
    ) -> Result<Quantity> {
        let mut values = Vec::with_capacity(args.len());
        let mut flag = false;
        for arg in args {
            match arg {
                Arg::Value(node) => values.push(self.number(node, setup)?),
                Arg::Flag(on) => flag = *on,
                _ => {}
            }
        }
        let element = setup.config.dtype.bytes();
        let wide = |n: u128| {
            i128::try_from(n * u128::from(element))
                .map(|n| Quantity::whole(n, Dimension::Bytes))
                .map_err(|_| arithmetic(ArithmeticError::TooLarge, column))
        };
        let sizes = |at: usize| -> Result<u128> {
            values
                .get(at)
                .map_or(Err(not_a_number(column)), |q| size(q, column))
                .map(u128::from)
        };
        match (function, values.as_slice()) {
            (Function::Sqrt, [x]) => x.root().map_err(|e| arithmetic(e, column)),
            (Function::Min | Function::Max, [x, y]) => {
                // A difference exists only within one dimension.
                x.minus(*y).map_err(|e| arithmetic(e, column))?;
                let first = (x.value() <= y.value()) == (function == Function::Min);
                Ok(if first { *x } else { *y })
            }
            (Function::Abs, [x]) => Ok(if x.value() < 0.0 { x.negated() } else { *x }),
            (Function::FloorInt, [x]) => Ok(x.rounded(f64::floor)),
            (Function::Ceil, [x]) => Ok(x.rounded(f64::ceil)),
            (Function::Round, [x]) => Ok(x.rounded(f64::round)),
            (Function::Log2 | Function::Ln | Function::Exp, [x]) => {
                let y = match function {
                    Function::Log2 => x.value().log2(),
                    Function::Ln => x.value().ln(),
                    _ => x.value().exp(),
                };
                if !x.dimension().is_plain() {
                    return Err(ExprError {
                        column,
                        message: format!("a plain number is expected, not {}", x.dimension()),
                    });
                }
                if !y.is_finite() || y.abs() > 1e30 {
                    return Err(ExprError {
                        column,
                        message: "this has no finite value here".to_owned(),
                    });
                }
                Ok(Quantity::ratio(y))
            }
            (Function::Tiled, [_, _, _, _]) => {
                let (m, n, k, t) = (sizes(0)?, sizes(1)?, sizes(2)?, sizes(3)?.max(1));
                wide(m * k * n.div_ceil(t) + k * n * m.div_ceil(t) + m * n)
            }
            (Function::Flash, [_, _, _]) => {
                let (s, d, br) = (sizes(0)?, sizes(1)?, sizes(2)?.max(1));
                let tiles = s.div_ceil(br);
                // Keys that a tile of queries visits: all, or those up to its own end.
                let visited = if flag {
                    let whole = s / br;
                    br * whole * (whole + 1) / 2 + (tiles - whole) * s
                } else {
                    tiles * s
                };
                wide(2 * s * d + 2 * d * visited)
            }
            (Function::Sram, [_, _, _]) => {
                let (br, bc, d) = (sizes(0)?, sizes(1)?, sizes(2)?);
                wide((br + 2 * bc) * d + br * bc + br * d)
            }
            (Function::Sector, [stride]) => {
                let share = Quantity::count(1)
                    .over(*stride)
                    .map_err(|e| arithmetic(e, column))?;
                Ok(Quantity::ratio(share.value().max(4.0 / 32.0)))
            }
            _ => Err(ExprError {
                column,
                message: "this call is not understood".to_owned(),
            }),
        }
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
        let found = self
            .env
            .records
            .report(&config)
            .and_then(|r| report_value(r, path));
        match (found, RUN_PATHS.iter().find(|(p, _)| *p == path)) {
            (Some(q), _) => Ok(q),
            (None, Some((_, dimension))) if self.dry => Ok(match dimension {
                Dimension::Ratio | Dimension::Time => Quantity::new(1.0, *dimension),
                d => Quantity::whole(1, *d),
            }),
            (None, _) => Err(ExprError {
                column,
                message: format!("no run of this plan says run.{path} yet: run it first"),
            }),
        }
    }

    fn gpu(&self, id: &str, column: usize) -> Result<&Gpu> {
        self.env.gpus.get(id).map_err(|e| ExprError {
            column,
            message: e.to_string(),
        })
    }

    fn whole(&self, node: &Node, setup: &Setup) -> Result<u64> {
        size(&self.number(node, setup)?, node.column)
    }
}

fn size(q: &Quantity, column: usize) -> Result<u64> {
    // 10^12 keeps every product of three sizes within 128 bits.
    q.exact()
        .and_then(|n| u64::try_from(n).ok())
        .filter(|n| *n <= 1_000_000_000_000)
        .ok_or_else(|| ExprError {
            column,
            message: "a whole number from 0 to 10^12 is expected here".to_owned(),
        })
}

fn not_a_number(column: usize) -> ExprError {
    ExprError {
        column,
        message: "a number is expected here, and this is a name".to_owned(),
    }
}

fn arithmetic(e: ArithmeticError, column: usize) -> ExprError {
    ExprError {
        column,
        message: e.to_string(),
    }
}

fn symbol(letter: Letter, setup: &Setup, column: usize) -> Result<Quantity> {
    let sizes = setup.config.sizes().map_err(|e| ExprError {
        column,
        message: e.to_string(),
    })?;
    let count = |s: Symbol| Quantity::count(sizes.get(s));
    Ok(match letter {
        Letter::Batch => count(Symbol::Batch),
        Letter::Seq => count(Symbol::Seq),
        Letter::Context => count(Symbol::Context),
        Letter::Hidden => count(Symbol::Hidden),
        Letter::Layers => count(Symbol::Layers),
        Letter::Heads => count(Symbol::Heads),
        Letter::KvHeads => Quantity::count(setup.config.model.kv_heads),
        Letter::HeadWidth => count(Symbol::HeadWidth),
        Letter::KvWidth => count(Symbol::KvWidth),
        Letter::Ffn => count(Symbol::Ffn),
        Letter::Vocab => count(Symbol::Vocab),
        Letter::Pairs => {
            let all = [Symbol::Batch, Symbol::Heads, Symbol::Pairs].map(count);
            let product = all[0].times(all[1]).and_then(|q| q.times(all[2]));
            return product.map_err(|e| arithmetic(e, column));
        }
        Letter::Element => Quantity::bytes(setup.config.dtype.bytes()),
    })
}

/// Bytes of V1 minus V1 with the wall between two neighbouring ops taken down.
fn price(a: OpKind, b: OpKind, setup: &Setup, column: usize) -> Result<Quantity> {
    let left = if a == OpKind::RopeQ && b != OpKind::RopeK {
        OpKind::RopeK
    } else {
        a
    };
    let wall = if (left, b) == (OpKind::Res2, OpKind::Norm1) {
        Some(Boundary::CROSS)
    } else {
        Boundary::between(left, b)
    };
    let Some(wall) = wall else {
        let order: Vec<&str> = BLOCK_OPS.iter().map(|op| op.name()).collect();
        let message = format!(
            "{} and {} are not neighbours, so no wall stands between them; the order is {}",
            a.name(),
            b.name(),
            order.join(" ")
        );
        return Err(ExprError { column, message });
    };
    let v1 = Version::V1.cut();
    let bytes = |cut| Ok(cost(setup, Some(cut), false, column)?.block.bytes());
    let (apart, joined): (u64, u64) = (bytes(v1)?, bytes(v1.joined(wall))?);
    Quantity::bytes(apart)
        .minus(Quantity::bytes(joined))
        .map_err(|e| arithmetic(e, column))
}

fn gpu_fact(gpu: &Gpu, key: &str, column: usize) -> Result<Quantity> {
    let peak = |dtype, product| gpu.peak_flops(dtype, product);
    let value = match key {
        "fp32" => peak(Dtype::Fp32, true),
        "bf16" => peak(Dtype::Bf16, true),
        "bandwidth" => Some(gpu.bandwidth()),
        "memory" => Some(gpu.memory_gb * 1e9),
        "l2" => Some(gpu.l2_mb * 1_048_576.0),
        "shared" => Some((gpu.shared_kb_per_cu * 1024) as f64),
        "registers" => Some(gpu.regs_per_cu as f64),
        "units" => Some(gpu.compute_units as f64),
        "warp" => Some(gpu.warp_size as f64),
        "threads" => Some(gpu.max_threads_per_cu as f64),
        _ => None,
    };
    let dimension = GPU_FIELDS.iter().find(|(k, _)| *k == key).map(|(_, d)| *d);
    match (value, dimension) {
        (Some(v), Some(d @ (Dimension::Count | Dimension::Bytes))) => {
            Ok(Quantity::whole(v.round() as i128, d))
        }
        (Some(v), Some(d)) => Ok(Quantity::new(v, d)),
        _ => Err(ExprError {
            column,
            message: format!("the database has no {key} of {}", gpu.name),
        }),
    }
}
