//! Numbers with units, as people type and read them.
//!
//! Four things live here, and nothing else knows about spellings or prefixes:
//!
//! - [`Quantity`]: a value in base units (B, FLOP, s) with its [`Dimension`],
//!   and the exact integer beside the float wherever there is one, so that
//!   219,268,788,224 FLOP stays that number.
//! - [`read`] and [`read_as`]: what somebody typed (`219.27 GFLOP`, `12.6 MB`,
//!   `94.1%`, `2*4*512*2048^2`, `16/17`) becomes a [`Typed`] quantity that
//!   remembers how precisely it was typed. What cannot be read is a
//!   [`ReadError`]: column, what was expected, an example.
//! - [`format`](fn@format), [`format_in`], [`Column`]: the unit that a person
//!   would pick, one unit and fixed decimals down a column.
//! - [`figure`]: the same for figures side by side: savings, ratios, one unit down a
//!   column, and where a number comes from.
//!
//! # Decisions
//! - MB is 10⁶ B and MiB is 2²⁰ B. `KB` is read as kB. `mb` and `Mb` are
//!   refused: they may be bits.
//! - `FLOPs` and `FLOP` are counts, `FLOP/s` is a rate. `FLOPS` (and `flops`)
//!   is written for both, so it is read as what the question asks for; with no
//!   question, `FLOPS` is a rate and `flops` a count.
//! - A comma separates groups of three digits and nothing else: `12,6` is
//!   refused rather than guessed at. So do an apostrophe and a space.
//! - Numbers may be words (`seventeen`, `two thirds`) and hold functions of one
//!   number (`sqrt`, `ln`, `exp`). `log` is refused: it is read either way.
//! - One unit at the end belongs to the whole: `1/3 MB` is a third of an MB.

mod arith;
mod asked;
mod column;
mod dimension;
pub mod figure;
mod format;
mod number;
mod read;
mod spelling;
mod typed;
mod unit;
mod words;

pub use arith::{ArithmeticError, Quantity};
pub use asked::{Asked, read_as};
pub use column::Column;
pub use dimension::{Dimension, Powers};
pub use format::{Spec, compact, format, format_in, group_thousands, significant, spell};
pub use number::{Number, lex_number};
pub use read::{read, unsigned};
pub use spelling::lex_symbol;
pub use typed::{ReadError, Typed};
pub use unit::{Unit, UnitError};
pub use words::is_number_word;
