//! What a GPU does at most: a copy and a sum that no cache holds, and products, of the
//! vendor's library where its backend has one, else of this program's own kernel. And what
//! it costs to begin: a launch behind another, a wait of all blocks for one another.

use serde::{Deserialize, Serialize};

use super::there::{PACK, between, launch, sweep, threads, timed};
use crate::Backend;
use crate::gpu::{
    Call, CompileUnit, Driver, Function, GemmCall, GpuError, GpuErrorKind, Memory, Parameter,
};
use crate::runner::Runner;
use plan::cost::Config;
use plan::fusion::Version;
use plan::model::random::Stream;
use plan::model::{Dtype, Model, Shape};
use plan::run::{BackendKind, Request, RunError, Unwatched};

/// What measurements of the roofs of a device gave, one after another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviceRates {
    /// The device in words.
    pub device: String,
    /// Bytes read and written per second by a copy.
    pub copy: Vec<f64>,
    /// Bytes read per second by a sum.
    #[serde(default)]
    pub read: Vec<f64>,
    /// FLOP/s of fp32 products; a multiply-accumulate is 2.
    pub fp32: Vec<f64>,
    /// FLOP/s of bf16 products.
    pub matrix16: Vec<f64>,
    /// Seconds from a launch that does nothing to the next.
    #[serde(default)]
    pub launch: Vec<f64>,
    /// Seconds of a barrier between as many blocks as the device has multiprocessors;
    /// empty where no compiler is here.
    #[serde(default)]
    pub barrier: Vec<f64>,
    /// Whose products they are, and what else is to be known of the figures.
    #[serde(default)]
    pub notes: Vec<String>,
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
/// A GPU that is not there, memory that is not free.
pub fn rates(kind: BackendKind) -> Result<DeviceRates, RunError> {
    let mut runner = Runner::all();
    let backend = runner.backend(kind)?;
    let mut found = DeviceRates {
        device: String::new(),
        copy: Vec::new(),
        read: Vec::new(),
        fp32: Vec::new(),
        matrix16: Vec::new(),
        launch: Vec::new(),
        barrier: Vec::new(),
        notes: kind.unproved().into_iter().collect(),
    };
    let driver = backend.driver(&Unwatched)?;
    found.device = driver.describe();
    let mut held = Vec::new();
    let measured = measured(driver, &mut found, &mut held);
    for memory in held {
        driver.free(memory);
    }
    if !measured? {
        [found.fp32, found.matrix16] = [
            own(backend, kind, Dtype::Fp32)?,
            own(backend, kind, Dtype::Bf16)?,
        ];
        found.notes.push(format!(
            "products are this program's own, {ROWS} × {HIDDEN} × {COLUMNS}: {} has no library here",
            kind.name()
        ));
    }
    Ok(found)
}

/// Rows, length of the sums and columns of the own product.
const ROWS: u64 = 2048;
const HIDDEN: u64 = 2048;
const COLUMNS: u64 = 8192;

/// FLOP/s of this program's own products: the last kernel of a forward, which is the
/// product with the vocabulary, in every forward that its trace is made of.
fn own(backend: &mut dyn Backend, kind: BackendKind, dtype: Dtype) -> Result<Vec<f64>, RunError> {
    let wrong = |e: &dyn std::fmt::Display| RunError::failed(e.to_string());
    let model = Model::new("roof", HIDDEN, 1, 16, 16, 256, COLUMNS).map_err(|e| wrong(&e))?;
    let config = Config::forward(model, Shape::prefill(1, ROWS), dtype, Version::V3.cut());
    let request = Request {
        backend: kind,
        runs: 1,
        check: false,
        trace: true,
        ..Request::new(config)
    };
    let report = backend.run(&request, &Unwatched)?.report;
    let spans = report.trace.map(|trace| trace.spans).unwrap_or_default();
    let last = spans.iter().max_by_key(|span| span.kernel);
    let took = last.map(|span| span.took.as_slice()).unwrap_or_default();
    if took.is_empty() {
        return Err(RunError::failed(format!(
            "no product was timed: {}",
            report.notes.join("; ")
        )));
    }
    let flops = 2.0 * (ROWS * HIDDEN * COLUMNS) as f64;
    Ok(took.iter().map(|us| flops / (1e-6 * us)).collect())
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
    between(driver, |driver| driver.library_gemm(&call).map(drop))
}

/// Everything that single launches tell; whether the backend has a library of products.
fn measured(
    driver: &mut dyn Driver,
    found: &mut DeviceRates,
    held: &mut Vec<Memory>,
) -> Result<bool, GpuError> {
    let at = large(driver, held)?;
    let [from, to, third] = at.map(Parameter::Long);
    let width = driver.load(&unit(), 0)?;
    let parts = COPIED / 4;
    let copy = (
        parts.div_ceil(256) as u32,
        256,
        vec![from, third, Parameter::Word(parts as u32)],
    );
    let bytes = 4.0 * COPIED as f64;
    found.copy = again(|| Ok(2.0 * bytes / (1e-6 * timed(driver, width, &copy)?)))?;
    let sums = driver.load(&sweep(), 0)?;
    let units = driver.target().sms;
    let packs = 4 * COPIED / u64::from(units) / PACK;
    let sum = (
        units,
        threads(driver, sums),
        vec![from, to, Parameter::Word(packs as u32), Parameter::Word(1)],
    );
    let bytes = (packs * PACK * u64::from(units)) as f64;
    found.read = again(|| Ok(bytes / (1e-6 * timed(driver, sums, &sum)?)))?;
    let nothing = (1, 256, vec![from, third, Parameter::Word(0)]);
    found.launch = again(|| Ok(1e-6 * more(driver, |d| launch(d, width, &nothing))?))?;
    // Phases are counted from zero.
    if let Some(counter) = held.last() {
        driver.fill(*counter, 0)?;
    }
    found.barrier = match driver.load_source("waits", &waits()) {
        Ok(function) => barrier(driver, function, third, units)?,
        Err(why) => {
            found
                .notes
                .push(format!("what a barrier costs is not measured: {why}"));
            Vec::new()
        }
    };
    let mut products = |side: u64, bf16: bool| -> Result<Vec<f64>, GpuError> {
        let flops = 2.0 * (side as f64).powi(3);
        again(|| Ok(flops / (1e-6 * product(driver, at, side, bf16)?)))
    };
    match products(FP32, false) {
        Ok(rates) => found.fp32 = rates,
        // The backend has no library, or it is not installed.
        Err(why) if why.kind == GpuErrorKind::Missing => return Ok(false),
        Err(why) => return Err(why),
    }
    found.matrix16 = products(BF16, true)?;
    Ok(true)
}

/// Samples of a figure, behind one that warms up.
fn again(mut sample: impl FnMut() -> Result<f64, GpuError>) -> Result<Vec<f64>, GpuError> {
    sample()?;
    (0..REPEATS).map(|_| sample()).collect()
}

/// Launches between two marks, and in the longer of two rows of them.
const FEW: usize = 64;
const MANY: usize = 576;

/// Microseconds of one more launch: many less few, so that what the marks cost is in
/// neither.
fn more(
    driver: &mut dyn Driver,
    mut launch: impl FnMut(&mut dyn Driver) -> Result<(), GpuError>,
) -> Result<f64, GpuError> {
    let mut row = |launches: usize| -> Result<f64, GpuError> {
        between(driver, |driver| {
            (0..launches).try_for_each(|_| launch(driver))
        })
    };
    let (few, many) = (row(FEW)?, row(MANY)?);
    Ok((many - few) / (MANY - FEW) as f64)
}

/// A kernel of nothing but barriers between its blocks.
fn waits() -> String {
    let prefix = CompileUnit::new("waits", &["prefix/grid.cu"]);
    let kernel = "KERNEL void waits(u32 *counter, u32 times) {\n    \
                  for (u32 i = 0; i < times; i++) grid_barrier(counter);\n}\n";
    format!("{}{kernel}", prefix.source().unwrap_or_default())
}

/// Barriers of the shorter and the longer launch.
const WAITS: [u32; 2] = [64, 576];

/// Seconds of one more barrier.
fn barrier(
    driver: &mut dyn Driver,
    function: Function,
    counter: Parameter,
    blocks: u32,
) -> Result<Vec<f64>, GpuError> {
    let mut took = |waits: u32| {
        between(driver, |driver| {
            driver.launch(&Call {
                function,
                grid: [blocks, 1, 1],
                threads: 256,
                shared: 0,
                cooperative: true,
                overlap: false,
                parameters: &[counter, Parameter::Word(waits)],
            })
        })
    };
    again(|| {
        let [few, many] = [took(WAITS[0])?, took(WAITS[1])?];
        Ok(1e-6 * (many - few) / f64::from(WAITS[1] - WAITS[0]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::simt::Simt;
    use simt::Options;

    /// The barriers' kernel on the SIMT machine, where a compiler is here: every block
    /// passes every barrier, and the counter ends where the phases say.
    #[test]
    fn the_kernel_of_barriers_waits_as_often_as_it_is_told() {
        let unit = CompileUnit::new("waits", &["prefix/grid.cu"]);
        let Ok(compiler) = crate::gpu::compile::for_the_machine() else {
            eprintln!("skipped: there is no compiler");
            return;
        };
        use crate::gpu::compile::Form;
        let options = compiler.options(&unit, "sm_80", Form::Assembly);
        let built = compiler.build(&waits(), &options, Form::Assembly).unwrap();
        let text = String::from_utf8(built.image).unwrap();
        let mut simt = Simt::new(Options::default());
        let driver: &mut dyn Driver = &mut simt;
        let function = driver.load_assembly("waits", &text, 0).unwrap();
        let counter = driver.alloc("counter", 4).unwrap();
        driver.fill(counter, 0).unwrap();
        let at = Parameter::Long(driver.address(counter));
        driver
            .launch(&Call {
                function,
                grid: [3, 1, 1],
                threads: 64,
                shared: 0,
                cooperative: true,
                overlap: false,
                parameters: &[at, Parameter::Word(5)],
            })
            .unwrap();
        let mut word = [0; 4];
        driver.download(counter, 0, &mut word).unwrap();
        // Each barrier adds 2^31: five of them, modulo 2^32.
        assert_eq!(u32::from_le_bytes(word), 0x8000_0000);
    }
}
