//! Arithmetic in either precision, so that a reference is written once.

use std::ops::{Add, Div, Mul, Neg, Sub};

pub(super) trait Real:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    const ZERO: Self;
    const ONE: Self;
    const LOWEST: Self;
    fn of(value: f32) -> Self;
    fn whole(value: usize) -> Self;
    fn exp(self) -> Self;
    fn root(self) -> Self;

    fn larger(self, other: Self) -> Self {
        if other > self { other } else { self }
    }
}

macro_rules! real {
    ($type:ty) => {
        impl Real for $type {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const LOWEST: Self = <$type>::NEG_INFINITY;

            fn of(value: f32) -> Self {
                <$type>::from(value)
            }

            fn whole(value: usize) -> Self {
                value as $type
            }

            fn exp(self) -> Self {
                <$type>::exp(self)
            }

            fn root(self) -> Self {
                self.sqrt()
            }
        }
    };
}

real!(f32);
real!(f64);
