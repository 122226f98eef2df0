//! Functions of numbers alone: roots and roundings, bytes of tiled products.

use super::ast::{Arg, Function};
use super::error::ExprError;
use super::eval::{Evaluator, arithmetic, not_a_number, size};
use crate::answer::setup::Setup;
use plan::model::Dtype;
use plan::units::{ArithmeticError, Dimension, Quantity};

/// Longest sum that is made term by term.
const MOST_ROWS: u128 = 1 << 20;

impl Evaluator<'_> {
    /// Functions of numbers alone.
    pub(super) fn arithmetic_function(
        &self,
        function: Function,
        args: &[Arg],
        setup: &Setup,
        column: usize,
    ) -> Result<Quantity, ExprError> {
        let mut values = Vec::with_capacity(args.len());
        let (mut flag, mut dtype) = (false, setup.config.dtype);
        for arg in args {
            match arg {
                Arg::Value(node) => values.push(self.number(node, setup)?),
                Arg::Flag(on) => flag = *on,
                Arg::Dtype(named) => dtype = *named,
                _ => {}
            }
        }
        let element = setup.config.dtype.bytes();
        let wide = |n: u128| {
            i128::try_from(n * u128::from(element))
                .map(|n| Quantity::whole(n, Dimension::Bytes))
                .map_err(|_| arithmetic(ArithmeticError::TooLarge, column))
        };
        let sizes = |at: usize| -> Result<u128, ExprError> {
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
            (Function::Given, [x]) => Ok(*x),
            (Function::FloorInt, [x]) => Ok(x.rounded(f64::floor)),
            (Function::Ceil, [x]) => Ok(x.rounded(f64::ceil)),
            (Function::Round, [x]) => Ok(x.rounded(f64::round)),
            (Function::Log2 | Function::Ln | Function::Exp, [x]) => {
                let x = plain(x, column)?;
                let y = match function {
                    Function::Log2 => x.log2(),
                    Function::Ln => x.ln(),
                    _ => x.exp(),
                };
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
            (Function::Tiles, [_, _, _]) => {
                let (s, br, bc) = (sizes(0)?, sizes(1)?.max(1), sizes(2)?.max(1));
                let (rows, columns) = (s.div_ceil(br), s.div_ceil(bc));
                let visited = if flag {
                    // Tiles of keys that begin at or before the last query of the row.
                    (0..rows.min(MOST_ROWS))
                        .map(|row| (s.min((row + 1) * br)).div_ceil(bc))
                        .sum()
                } else {
                    rows * columns
                };
                u64::try_from(visited)
                    .ok()
                    .filter(|_| rows <= MOST_ROWS)
                    .map(Quantity::count)
                    .ok_or_else(|| arithmetic(ArithmeticError::TooLarge, column))
            }
            (Function::Ways, [_]) => {
                // Lanes of a warp that ask one of 32 banks for different words.
                let stride = sizes(0)?;
                Ok(Quantity::count(match stride {
                    0 => 1,
                    n => 1 << n.trailing_zeros().min(5),
                }))
            }
            (Function::Bf16 | Function::Fp16, [x]) => {
                let plain = plain(x, column)?;
                let rounded = match function {
                    Function::Bf16 => f64::from(half::bf16::from_f64(plain)),
                    _ => f64::from(half::f16::from_f64(plain)),
                };
                match rounded.is_finite() {
                    true => Ok(Quantity::ratio(rounded)),
                    false => Err(ExprError {
                        column,
                        message: format!("{plain} is beyond the largest number of this type"),
                    }),
                }
            }
            (Function::Summed, [x, _]) => {
                let (x, n) = (plain(x, column)?, sizes(1)?);
                if n > MOST_ROWS {
                    return Err(arithmetic(ArithmeticError::TooLarge, column));
                }
                let rounded = |y: f64| match dtype {
                    Dtype::Bf16 => f64::from(half::bf16::from_f64(y)),
                    Dtype::Fp32 => f64::from(y as f32),
                };
                let x = rounded(x);
                Ok(Quantity::ratio((0..n).fold(0.0, |sum, _| rounded(sum + x))))
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
}

/// A number without a unit.
fn plain(q: &Quantity, column: usize) -> Result<f64, ExprError> {
    if q.dimension().is_plain() {
        return Ok(q.value());
    }
    Err(ExprError {
        column,
        message: format!("a plain number is expected, not {}", q.dimension()),
    })
}
