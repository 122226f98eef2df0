//! One plan on one model, ready to run as often as one likes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::attend::ScratchPlan;
use super::compile::{Compiled, Step, compile};
use super::dims::Dims;
use super::errors::{defect, memory_refused};
use super::exec::{Angles, Bound, Running, Workers};
use super::memory::{Allocation, Buffer, Role, available_bytes, readable, total_bytes};
use super::packed::PackedModel;
use super::place::{Places, Wanted};
use super::pool::Pool;
use super::tap;
use crate::cost::Config;
use crate::fusion::{Plan, Version};
use crate::model::{Dtype, Graph, OpKind, Shape, TensorId, TensorKind};
use crate::run::{Observer, Phase, Progress, RunError};

/// The threads of this backend, shared by its sessions.
#[derive(Clone)]
pub struct Threads(Arc<Mutex<Pool>>);

impl Threads {
    /// `threads` threads, the caller's included; `None`: one per core.
    pub fn new(threads: Option<usize>) -> Self {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let pool = Pool::new(threads.unwrap_or_else(cores).clamp(1, MAX_THREADS));
        Self(Arc::new(Mutex::new(pool)))
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.lock().threads()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Pool> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// More threads than any machine has cores are not started.
const MAX_THREADS: usize = 1024;

/// A tensor that the plan put into memory, handed out after its kernel.
#[derive(Debug)]
pub struct Tapped<'a> {
    /// Its place in the graph.
    pub id: TensorId,
    /// The kernel that made it, counted from 0.
    pub launch: usize,
    /// Its values in the graph's order: `B × S × width`; scores and
    /// probabilities `B × H × S × T`.
    pub values: &'a [f32],
}

/// What one forward did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Kernels started, counted where they are started.
    pub launches: u64,
    /// From the first launch to the end of the last.
    pub time: Duration,
}

/// A compiled plan with its memory.
pub struct Session {
    weights: Arc<PackedModel>,
    threads: Threads,
    config: Config,
    graph: Graph,
    plan: Plan,
    dims: Dims,
    compiled: Compiled,
    buffers: Vec<Arc<Buffer>>,
    caches: Vec<Cache>,
    workers: Workers,
    angles: Angles,
    allocations: Vec<Allocation>,
    /// Tokens of each sequence from before this forward, then the new ones.
    past_tokens: Vec<u32>,
    tokens: Vec<u32>,
    launches: AtomicU64,
}

/// The keys or the values of a layer.
#[derive(Clone, Debug)]
struct Cache {
    layer: u32,
    keys: bool,
    buffer: Arc<Buffer>,
}

impl Session {
    /// Compiles `config`'s plan for `weights` and takes the memory that it
    /// needs.
    ///
    /// # Errors
    /// Another model or dtype than the weights', a shape that does not fit,
    /// or more memory than this machine has.
    pub fn new(
        weights: Arc<PackedModel>,
        threads: Threads,
        config: &Config,
    ) -> Result<Self, RunError> {
        if *weights.model() != config.model || weights.dtype() != config.dtype {
            return Err(defect("weights of another model or dtype were packed"));
        }
        let graph = Graph::of(&config.model, &config.shape)?;
        let plan = Plan::new(&graph, config.effective_cut(), config.keeps_kv());
        let Shape {
            batch,
            seq,
            context,
        } = config.shape;
        let sizes = [batch, seq, context - seq, context];
        let setup = Setup {
            weights: &weights,
            threads: threads.count(),
            graph: &graph,
            plan: &plan,
            cache: config.keeps_kv() || config.shape.has_past(),
            until: graph.nodes.len(),
        };
        let made = setup.make(sizes, &[])?;
        let mut allocations = weights.allocations();
        allocations.extend(made.allocations);
        let tokens = vec![0; made.dims.batch * made.dims.seq];
        let past_tokens = vec![0; made.dims.batch * made.dims.past];
        Ok(Self {
            angles: Angles::new(&made.dims, config.model.rope_theta),
            dims: made.dims,
            compiled: made.compiled,
            buffers: made.buffers,
            caches: made.caches,
            workers: made.workers,
            weights,
            threads,
            config: config.clone(),
            graph,
            plan,
            allocations,
            past_tokens,
            tokens,
            launches: AtomicU64::new(0),
        })
    }

    /// The forward's ops and tensors.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The plan that it runs.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Everything that is held while it runs.
    pub fn allocations(&self) -> &[Allocation] {
        &self.allocations
    }

    /// Rows of a tile.
    pub fn tile_rows(&self) -> usize {
        self.dims.tile
    }

    /// Sets the tokens, `batch × context`, and fills the cache with those from
    /// before the forward: neither counted nor timed.
    ///
    /// # Errors
    /// Too few tokens, one outside the vocabulary, or stopped.
    pub fn start(&mut self, tokens: &[u32], observer: &dyn Observer) -> Result<(), RunError> {
        let (batch, past, context) = (self.dims.batch, self.dims.past, self.dims.context());
        if tokens.len() != batch * context {
            return Err(RunError::bad_request(format!(
                "{} tokens were given; batch {batch} and context {context} need {}",
                tokens.len(),
                batch * context
            )));
        }
        let vocab = self.dims.vocab;
        if let Some((at, token)) = tokens
            .iter()
            .enumerate()
            .find(|(_, t)| **t as usize >= vocab)
        {
            return Err(RunError::bad_request(format!(
                "token {token} at position {} of sequence {} is outside the vocabulary of {vocab}",
                at % context,
                at / context
            )));
        }
        self.past_tokens.clear();
        self.tokens.clear();
        for sequence in tokens.chunks_exact(context) {
            let (before, new) = sequence.split_at(past);
            self.past_tokens.extend_from_slice(before);
            self.tokens.extend_from_slice(new);
        }
        if past > 0 {
            self.fill(observer)?;
        }
        Ok(())
    }

    /// Runs the blocks over the tokens from before, one kernel per block, into
    /// this session's caches.
    fn fill(&self, observer: &dyn Observer) -> Result<(), RunError> {
        let graph = Graph::of_layers(self.graph.layers, false);
        let plan = Plan::new(&graph, Version::V4.cut(), true);
        let until = graph
            .nodes
            .iter()
            .position(|n| n.op == OpKind::FinalNorm)
            .unwrap_or(graph.nodes.len());
        let Shape { batch, context, .. } = self.config.shape;
        let past = self.dims.past as u64;
        let setup = Setup {
            weights: &self.weights,
            threads: self.threads.count(),
            graph: &graph,
            plan: &plan,
            cache: true,
            until,
        };
        let made = setup.make([batch, past, 0, context], &self.caches)?;
        let angles = Angles::new(&made.dims, self.config.model.rope_theta);
        let launches = AtomicU64::new(0);
        let mut pool = self.threads.lock();
        let mut running = Running {
            bound: Bound {
                dims: &made.dims,
                buffers: &made.buffers,
                weights: &self.weights,
                tokens: &self.past_tokens,
                angles: &angles,
            },
            workers: &made.workers,
            pool: &mut pool,
            observer,
            launches: &launches,
        };
        let total = made.compiled.launches.len() as u32;
        for (done, launch) in made.compiled.launches.iter().enumerate() {
            observer.progress(Progress {
                phase: Phase::Prefill,
                done: done as u32,
                total,
            });
            running.launch(&made.compiled, launch)?;
        }
        Ok(())
    }

    /// One forward.
    ///
    /// # Errors
    /// Stopped, or a defect.
    pub fn forward(&self, observer: &dyn Observer) -> Result<Ran, RunError> {
        self.run(observer, |_, _, _| {})
    }

    /// One forward; `each` is told every kernel's number, name and time.
    ///
    /// # Errors
    /// Stopped, or a defect.
    pub fn forward_by_kernel(
        &self,
        observer: &dyn Observer,
        mut each: impl FnMut(usize, &str, Duration),
    ) -> Result<Ran, RunError> {
        self.run(observer, |index, time, _| {
            if let Some(launch) = self.compiled.launches.get(index) {
                each(index, &launch.name, time);
            }
        })
    }

    /// One forward; `tap` is handed every tensor that the plan puts into
    /// memory, right after the kernel that made it.
    ///
    /// # Errors
    /// Stopped, or a defect.
    pub fn forward_tapped(
        &self,
        observer: &dyn Observer,
        mut tap: impl FnMut(Tapped<'_>),
    ) -> Result<Ran, RunError> {
        self.run(observer, |index, _, bound| {
            let Some(launch) = self.compiled.launches.get(index) else {
                return;
            };
            for (id, operand) in &launch.writes {
                let kind = self.graph.tensor_at(*id).kind;
                let values = tap::read(bound, *operand, kind);
                tap(Tapped {
                    id: *id,
                    launch: index,
                    values: &values,
                });
            }
        })
    }

    fn run(
        &self,
        observer: &dyn Observer,
        mut after: impl FnMut(usize, Duration, &Bound<'_>),
    ) -> Result<Ran, RunError> {
        let mut pool = self.threads.lock();
        let mut running = Running {
            bound: self.bound(),
            workers: &self.workers,
            pool: &mut pool,
            observer,
            launches: &self.launches,
        };
        let before = self.launches.load(Ordering::Relaxed);
        let start = Instant::now();
        for (index, launch) in self.compiled.launches.iter().enumerate() {
            let time = running.launch(&self.compiled, launch)?;
            after(index, time, &running.bound);
        }
        Ok(Ran {
            launches: self.launches.load(Ordering::Relaxed) - before,
            time: start.elapsed(),
        })
    }

    fn bound(&self) -> Bound<'_> {
        Bound {
            dims: &self.dims,
            buffers: &self.buffers,
            weights: &self.weights,
            tokens: &self.tokens,
            angles: &self.angles,
        }
    }

    /// The logits of the last forward, batch × seq × vocab.
    pub fn logits(&self) -> Vec<f32> {
        self.compiled
            .launches
            .iter()
            .flat_map(|l| &l.writes)
            .find(|(id, _)| self.graph.tensor_at(*id).kind == TensorKind::Logits)
            .map(|(_, operand)| tap::read(&self.bound(), *operand, TensorKind::Logits))
            .unwrap_or_default()
    }
}

/// What a session is made from.
struct Setup<'a> {
    weights: &'a PackedModel,
    threads: usize,
    graph: &'a Graph,
    plan: &'a Plan,
    cache: bool,
    until: usize,
}

/// What it is made of.
struct Made {
    dims: Dims,
    compiled: Compiled,
    buffers: Vec<Arc<Buffer>>,
    caches: Vec<Cache>,
    workers: Workers,
    allocations: Vec<Allocation>,
}

impl Setup<'_> {
    /// Plans the memory, asks whether it is there, and takes it. Caches that
    /// exist are used.
    fn make(&self, sizes: [u64; 4], existing: &[Cache]) -> Result<Made, RunError> {
        let (model, dtype) = (self.weights.model(), self.weights.dtype());
        let dims = Dims::new(model, dtype, self.weights.isa(), self.threads, sizes)?;
        let places = Places::new(self.graph, self.plan, &dims, self.cache, self.until);
        let compiled = compile(
            self.weights,
            self.graph,
            self.plan,
            &places,
            &dims,
            self.until,
        )?;
        let whole = compiled
            .passes
            .iter()
            .flat_map(|p| &p.steps)
            .any(|s| matches!(s, Step::Attend(a) if a.softmax && a.values.is_none()));
        let scratch = ScratchPlan::new(&dims, whole);
        let per_worker = Workers::elements(compiled.arena, scratch, self.threads);
        let allocations = self.allocations(&places.wanted, &dims, per_worker, existing)?;
        let mut caches = existing.to_vec();
        let mut buffers = Vec::with_capacity(places.wanted.len());
        for wanted in &places.wanted {
            buffers.push(take(wanted, dtype, &mut caches)?);
        }
        let len = per_worker.unwrap_or(0);
        let memory = Buffer::zeros(Dtype::Fp32, len)
            .ok_or_else(|| memory_refused("row tiles", len as u64 * 4))?;
        Ok(Made {
            workers: Workers::new(memory, compiled.arena, scratch),
            dims,
            compiled,
            buffers,
            caches,
            allocations,
        })
    }

    /// The list of what will be taken, refused if it is too much.
    fn allocations(
        &self,
        wanted: &[Wanted],
        dims: &Dims,
        per_worker: Option<usize>,
        existing: &[Cache],
    ) -> Result<Vec<Allocation>, RunError> {
        let bytes = |elements: u128, each: u64| {
            u64::try_from(elements.saturating_mul(u128::from(each))).unwrap_or(u64::MAX)
        };
        let mut all: Vec<Allocation> = wanted
            .iter()
            .filter(|w| w.cache.is_none_or(|key| find(existing, key).is_none()))
            .map(|w| Allocation {
                name: w.name(),
                role: w.role,
                bytes: bytes(w.elements, self.weights.dtype().bytes()),
            })
            .collect();
        all.push(Allocation {
            name: format!("tiles of {} rows × {} threads", dims.tile, self.threads),
            role: Role::Tile,
            bytes: per_worker.map_or(u64::MAX, |n| bytes(n as u128, 4)),
        });
        all.push(Allocation {
            name: "cos, sin".to_owned(),
            role: Role::Table,
            bytes: bytes(dims.seq as u128 * dims.width as u128, 4),
        });
        let needed = total_bytes(&all);
        let limit = available_bytes().unwrap_or(isize::MAX as u64);
        if needed > limit {
            let largest = all.iter().max_by_key(|a| a.bytes);
            return Err(RunError::missing(format!(
                "this plan needs {} of memory and {} are free; the largest part is {} with {}; choose a smaller batch or seq, bf16, or a plan that keeps it inside a kernel",
                readable(needed),
                readable(limit),
                largest.map_or("", |a| a.name.as_str()),
                readable(largest.map_or(0, |a| a.bytes)),
            )));
        }
        Ok(all)
    }
}

impl Wanted {
    fn name(&self) -> String {
        let holds = self.holds.join(", ");
        match self.cache {
            Some((layer, _)) => format!("block {layer}: {holds}"),
            None => holds,
        }
    }
}

fn find(caches: &[Cache], (layer, keys): (u32, bool)) -> Option<&Cache> {
    caches.iter().find(|c| (c.layer, c.keys) == (layer, keys))
}

/// The buffer of `wanted`: its cache where that exists, else a new one.
fn take(wanted: &Wanted, dtype: Dtype, caches: &mut Vec<Cache>) -> Result<Arc<Buffer>, RunError> {
    if let Some(cache) = wanted.cache.and_then(|key| find(caches, key)) {
        return Ok(Arc::clone(&cache.buffer));
    }
    let refused = || {
        let elements = u64::try_from(wanted.elements).unwrap_or(u64::MAX);
        memory_refused(&wanted.name(), elements.saturating_mul(dtype.bytes()))
    };
    let len = usize::try_from(wanted.elements).map_err(|_| refused())?;
    let buffer = Arc::new(Buffer::zeros(dtype, len).ok_or_else(refused)?);
    if let Some((layer, keys)) = wanted.cache {
        caches.push(Cache {
            layer,
            keys,
            buffer: Arc::clone(&buffer),
        });
    }
    Ok(buffer)
}
