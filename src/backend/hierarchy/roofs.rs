//! What a GPU does at most: a copy that no cache holds, and products of the vendor's
//! library.

use serde::{Deserialize, Serialize};

use super::there::timed;
use crate::gpu::{CompileUnit, Driver, GemmCall, GpuError, Memory, Parameter};
use crate::runner::Runner;
use plan::run::{BackendKind, RunError, Unwatched};

/// What measurements of the roofs of a device gave, one after another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviceRates {
    /// The device in words.
    pub device: String,
    /// Bytes read and written per second by a copy.
    pub copy: Vec<f64>,
    /// FLOP/s of fp32 products; a multiply-accumulate is 2.
    pub fp32: Vec<f64>,
    /// FLOP/s of bf16 products.
    pub matrix16: Vec<f64>,
}

/// Elements of 4 bytes of each side of the copy: 512 MiB, several times the caches.
const COPIED: u64 = 128 << 20;
/// Sides of the square products, and how often each is repeated.
const FP32: u64 = 4096;
const BF16: u64 = 8192;
const REPEATS: usize = 9;

fn unit() -> CompileUnit {
    CompileUnit::new("width", &["gym/width.cu"]).define("WIDTH", 4)
}

/// Measures them on the first GPU of a backend.
///
/// # Errors
/// A GPU or a library that is not there, memory that is not free.
pub fn rates(backend: BackendKind) -> Result<DeviceRates, RunError> {
    let mut runner = Runner::all();
    let driver = runner.backend(backend)?.driver(&Unwatched)?;
    let device = driver.describe();
    let mut held = Vec::new();
    let found = measured(driver, &mut held);
    for memory in held {
        driver.free(memory);
    }
    let [copy, fp32, matrix16] = found?;
    Ok(DeviceRates {
        device,
        copy,
        fp32,
        matrix16,
    })
}

fn measured(driver: &mut dyn Driver, held: &mut Vec<Memory>) -> Result<[Vec<f64>; 3], GpuError> {
    let mut at = Vec::new();
    for name in ["from", "to", "third"] {
        let memory = driver.alloc(name, 4 * COPIED)?;
        // 0.0115 in fp32 and in bf16: zeros would cost less power than values do.
        driver.fill(memory, 0x3c)?;
        at.push(driver.address(memory));
        held.push(memory);
    }
    let [from, to, third] = at[..] else {
        return Err(GpuError::failed("memory was not kept"));
    };
    let function = driver.load(&unit(), 0)?;
    let threads = COPIED / 4;
    let parameters = vec![
        Parameter::Long(from),
        Parameter::Long(to),
        Parameter::Word(threads as u32),
    ];
    let call = (threads.div_ceil(256) as u32, 256, parameters);
    let mut copy = Vec::new();
    for repeat in 0..=REPEATS {
        let us = timed(driver, function, &call)?;
        if repeat > 0 {
            copy.push(8.0 * COPIED as f64 / (us * 1e-6));
        }
    }
    let mut product = |side: u64, bf16: bool| -> Result<Vec<f64>, GpuError> {
        let call = GemmCall {
            bf16,
            a: from,
            w: to,
            c: third,
            m: side,
            n: side,
            k: side,
        };
        let mut rates = Vec::new();
        for repeat in 0..=REPEATS {
            let begin = driver.mark()?;
            driver.library_gemm(&call)?;
            let end = driver.mark()?;
            driver.synchronize()?;
            let Some((begin, end)) = begin.zip(end) else {
                return Err(GpuError::missing("the device has no clock"));
            };
            let us = driver.elapsed_us(begin, end)?;
            if repeat > 0 {
                rates.push(2.0 * (side as f64).powi(3) / (us * 1e-6));
            }
        }
        Ok(rates)
    };
    let fp32 = product(FP32, false)?;
    let matrix16 = product(BF16, true)?;
    Ok([copy, fp32, matrix16])
}
