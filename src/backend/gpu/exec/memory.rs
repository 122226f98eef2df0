//! Who lives where. Weights are kept from request to request; caches belong to
//! a run, whose prefill fills what its decode reads; everything else belongs to
//! one program.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::thread;

use half::bf16;

use crate::gpu::driver::{Driver, GpuError, GpuErrorKind, Memory};
use crate::gpu::program::{BufferSpec, Contents, Program};
use crate::weights::{Weights, WeightsError};
use plan::model::{Dtype, Model, WeightId};
use plan::run::{Request, RunError, WeightsFrom};

/// Weights that are made at a time: each takes its size in host memory, fp32
/// and as the device takes it.
const AT_ONCE: usize = 8;

/// A weight as kernels want it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum WeightKey {
    /// As it is.
    Plain(WeightId),
    /// With a norm's gamma multiplied into its columns.
    TimesGamma(WeightId, WeightId),
}

impl WeightKey {
    fn of(contents: &Contents) -> Option<Self> {
        match contents {
            Contents::Weight(id) => Some(Self::Plain(*id)),
            Contents::WeightTimesGamma { weight, gamma } => Some(Self::TimesGamma(*weight, *gamma)),
            _ => None,
        }
    }
}

/// Weights on the device, for as long as requests ask for the same.
pub(super) struct Kept {
    from: WeightsFrom,
    wanted: Model,
    pub weights: Weights,
    held: HashMap<WeightKey, (Memory, u64)>,
}

impl Kept {
    /// Nothing on the device yet.
    pub fn new(request: &Request, weights: Weights) -> Self {
        Self {
            from: request.weights.clone(),
            wanted: request.config.model.clone(),
            weights,
            held: HashMap::new(),
        }
    }

    /// Whether these are the weights that `request` asks for.
    pub fn serves(&self, request: &Request) -> bool {
        self.from == request.weights
            && self.wanted == request.config.model
            && self.weights.dtype() == request.config.dtype
    }

    /// Gives all of it back.
    pub fn free(&mut self, driver: &mut impl Driver) {
        for (memory, _) in self.held.drain().map(|(_, held)| held) {
            driver.free(memory);
        }
    }

    /// Bytes of those that a program reads; others stay for plans that ran before it.
    pub fn bytes(&self, program: &Program) -> u64 {
        let contents = program.buffers.iter().map(|spec| &spec.contents);
        let keys: HashSet<WeightKey> = contents.filter_map(WeightKey::of).collect();
        let held = keys.iter().filter_map(|key| self.held.get(key));
        held.map(|(_, bytes)| bytes).sum()
    }

    /// Puts the weights of `programs` on the device, those that are not there
    /// yet. `told` hears how many of how many are there, and may stop it.
    ///
    /// # Errors
    /// Weights that cannot be read, no memory left, a stop.
    pub fn provide(
        &mut self,
        driver: &mut impl Driver,
        programs: &[&Program],
        mut told: impl FnMut(usize, usize) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        let mut wanted: Vec<(WeightKey, &BufferSpec)> = Vec::new();
        let mut keys = HashSet::new();
        for spec in programs.iter().flat_map(|p| &p.buffers) {
            if let Some(key) = WeightKey::of(&spec.contents)
                && keys.insert(key)
            {
                wanted.push((key, spec));
            }
        }
        let missing: Vec<_> = wanted
            .into_iter()
            .filter(|(key, _)| !self.held.contains_key(key))
            .collect();
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let mut done = 0;
        for part in missing.chunks(threads.min(AT_ONCE)) {
            told(done, missing.len())?;
            let weights = &self.weights;
            let made: Vec<Result<Vec<u8>, WeightsError>> = thread::scope(|scope| {
                let threads: Vec<_> = part
                    .iter()
                    .map(|(key, _)| scope.spawn(|| bytes_of(weights, *key)))
                    .collect();
                threads
                    .into_iter()
                    .map(|t| t.join().unwrap_or_else(|_| Ok(Vec::new())))
                    .collect()
            });
            for ((key, spec), bytes) in part.iter().zip(made) {
                let bytes = bytes.map_err(|e| RunError::bad_request(e.to_string()))?;
                if bytes.len() as u64 != spec.bytes {
                    return Err(RunError::failed(format!(
                        "{} has {} bytes and the program wants {}; this is a defect of this program",
                        spec.name,
                        bytes.len(),
                        spec.bytes
                    )));
                }
                let memory = self.room(driver, &keys, spec)?;
                self.held.insert(*key, (memory, spec.bytes));
                driver.upload(memory, 0, &bytes)?;
            }
            done += part.len();
        }
        Ok(())
    }

    /// Memory for one weight; where there is none, weights that this run does
    /// not want go.
    fn room(
        &mut self,
        driver: &mut impl Driver,
        wanted: &HashSet<WeightKey>,
        spec: &BufferSpec,
    ) -> Result<Memory, GpuError> {
        match driver.alloc(&spec.name, spec.bytes) {
            Err(e) if e.kind == GpuErrorKind::OutOfMemory => {
                let idle = |key: &WeightKey| !wanted.contains(key);
                let gone: Vec<_> = self.held.extract_if(|key, _| idle(key)).collect();
                if gone.is_empty() {
                    return Err(e);
                }
                for (_, (memory, _)) in gone {
                    driver.free(memory);
                }
                driver.alloc(&spec.name, spec.bytes)
            }
            other => other,
        }
    }

    fn find(&self, key: WeightKey) -> Option<Memory> {
        self.held.get(&key).map(|(memory, _)| *memory)
    }
}

/// A weight's bytes as the device takes them.
fn bytes_of(weights: &Weights, key: WeightKey) -> Result<Vec<u8>, WeightsError> {
    let values = match key {
        WeightKey::Plain(id) => weights.tensor(id)?,
        WeightKey::TimesGamma(weight, gamma) => {
            let gamma = weights.tensor(gamma)?;
            let mut values = weights.tensor(weight)?.into_owned();
            for row in values.chunks_mut(gamma.len().max(1)) {
                for (w, g) in row.iter_mut().zip(gamma.iter()) {
                    *w *= g;
                }
            }
            Cow::Owned(values)
        }
    };
    Ok(to_bytes(&values, weights.dtype()))
}

/// Values in a device's element type, little-endian.
pub(super) fn to_bytes(values: &[f32], dtype: Dtype) -> Vec<u8> {
    let mut bytes = vec![0; values.len() * dtype.bytes() as usize];
    match dtype {
        Dtype::Fp32 => {
            for (bytes, value) in bytes.chunks_exact_mut(4).zip(values) {
                bytes.copy_from_slice(&value.to_le_bytes());
            }
        }
        Dtype::Bf16 => {
            for (bytes, value) in bytes.chunks_exact_mut(2).zip(values) {
                bytes.copy_from_slice(&bf16::from_f32(*value).to_le_bytes());
            }
        }
    }
    bytes
}

/// Memory of one run, given back at its end whatever happens.
#[derive(Default)]
pub(super) struct RunMemory {
    caches: HashMap<(bool, u32), Memory>,
    held: Vec<Memory>,
    /// What the forward needs, for the report.
    pub listed: Vec<(String, u64)>,
}

impl RunMemory {
    /// Gives everything back.
    pub fn free(&mut self, driver: &mut impl Driver) {
        for memory in self.held.drain(..) {
            driver.free(memory);
        }
        self.caches.clear();
    }

    /// Memory of this run.
    pub fn alloc(
        &mut self,
        driver: &mut impl Driver,
        name: &str,
        bytes: u64,
    ) -> Result<Memory, GpuError> {
        let memory = self.beside(driver, name, bytes)?;
        self.listed.push((name.to_owned(), bytes));
        Ok(memory)
    }

    /// Memory of what watches a forward, such as counters: given back with the rest, and
    /// not listed, since the forward itself does without.
    pub fn beside(
        &mut self,
        driver: &mut impl Driver,
        name: &str,
        bytes: u64,
    ) -> Result<Memory, GpuError> {
        let memory = driver.alloc(name, bytes.max(1))?;
        self.held.push(memory);
        Ok(memory)
    }

    /// The memory of every buffer of a program, by number. Caches are those of
    /// the run; their contents are poisoned when they are made.
    ///
    /// # Errors
    /// No memory left; a weight that was not provided.
    pub fn place(
        &mut self,
        driver: &mut impl Driver,
        kept: &Kept,
        program: &Program,
    ) -> Result<Vec<Memory>, GpuError> {
        let mut places = Vec::with_capacity(program.buffers.len());
        for spec in &program.buffers {
            let cache = match spec.contents {
                Contents::CacheK(layer) => Some((false, layer)),
                Contents::CacheV(layer) => Some((true, layer)),
                _ => None,
            };
            let memory = if let Some(key) = WeightKey::of(&spec.contents) {
                kept.find(key).ok_or_else(|| {
                    GpuError::failed(format!("{} is not on the device", spec.name))
                })?
            } else if let Some(memory) = cache.and_then(|key| self.caches.get(&key)) {
                *memory
            } else {
                let memory = self.alloc(driver, &spec.name, spec.bytes)?;
                if let Some(key) = cache {
                    self.caches.insert(key, memory);
                    driver.fill(memory, POISON)?;
                }
                memory
            };
            places.push(memory);
        }
        Ok(places)
    }
}

/// A byte that makes a not-a-number of every element type, and a very negative
/// integer.
pub(super) const POISON: u8 = 0xFF;
