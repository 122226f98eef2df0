//! Functions of numbers alone: roots and roundings, bytes of tiled products.

use super::ast::{Arg, Function};
use super::error::ExprError;
use super::eval::{Evaluator, arithmetic, not_a_number, size};
use crate::answer::setup::Setup;
use crate::units::{ArithmeticError, Dimension, Quantity};

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
}
