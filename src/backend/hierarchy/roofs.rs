//! What a GPU does at most: a copy that no cache holds, and products of the vendor's
//! library.

use serde::{Deserialize, Serialize};

use super::there::timed;
use crate::gpu::{CompileUnit, Driver, GemmCall, GpuError, Memory, Parameter};
use crate::runner::Runner;
use plan::model::random::Stream;
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
/// Values that are drawn; memory repeats them.
const VALUES: u64 = 4 << 20;
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

/// Three pieces of memory with values in them, as addresses.
pub(super) fn large(driver: &mut dyn Driver, held: &mut Vec<Memory>) -> Result<[u64; 3], GpuError> {
    // Values that differ: zeros, or one value, would cost a product less power.
    let draws = Stream::new(1, "operands of a roof");
    let words = (0..VALUES).map(|i| draws.centred(i));
    // The upper half of an fp32 is the bf16 of it, so that both read sane values.
    let bytes: Vec<u8> = words
        .flat_map(|value| ((value.to_bits() >> 16) as u16).to_le_bytes())
        .collect();
    let mut take = |name: &str| -> Result<u64, GpuError> {
        let memory = driver.alloc(name, 4 * COPIED)?;
        held.push(memory);
        for part in 0..4 * COPIED / bytes.len() as u64 {
            driver.upload(memory, part * bytes.len() as u64, &bytes)?;
        }
        Ok(driver.address(memory))
    };
    Ok([take("from")?, take("to")?, take("third")?])
}

/// Microseconds of one square product of the library.
pub(super) fn product(
    driver: &mut dyn Driver,
    [a, w, c]: [u64; 3],
    side: u64,
    bf16: bool,
) -> Result<f64, GpuError> {
    let call = GemmCall {
        bf16,
        a,
        w,
        c,
        m: side,
        n: side,
        k: side,
    };
    let begin = driver.mark()?;
    driver.library_gemm(&call)?;
    let end = driver.mark()?;
    driver.synchronize()?;
    match begin.zip(end) {
        Some((begin, end)) => driver.elapsed_us(begin, end),
        None => Err(GpuError::missing("the device has no clock")),
    }
}

fn measured(driver: &mut dyn Driver, held: &mut Vec<Memory>) -> Result<[Vec<f64>; 3], GpuError> {
    let at = large(driver, held)?;
    let function = driver.load(&unit(), 0)?;
    let threads = COPIED / 4;
    let [from, _, to] = at.map(Parameter::Long);
    let parameters = vec![from, to, Parameter::Word(threads as u32)];
    let call = (threads.div_ceil(256) as u32, 256, parameters);
    let mut copy = Vec::new();
    for _ in 0..=REPEATS {
        copy.push(8.0 * COPIED as f64 / (1e-6 * timed(driver, function, &call)?));
    }
    let mut products = |side: u64, bf16: bool| -> Result<Vec<f64>, GpuError> {
        let flops = 2.0 * (side as f64).powi(3);
        let rates = (0..=REPEATS).map(|_| Ok(flops / (1e-6 * product(driver, at, side, bf16)?)));
        rates.collect()
    };
    let mut all = [copy, products(FP32, false)?, products(BF16, true)?];
    // The first of each warms up.
    for rates in &mut all {
        rates.remove(0);
    }
    Ok(all)
}
