//! One plan on one model, ready to run as often as one likes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::bound::{Angles, Bound};
use super::dims::Dims;
use super::errors::defect;
use super::exec::{Running, Workers};
use super::memory::{Allocation, Buffer};
use super::packed::PackedModel;
use super::pool::Pool;
use super::setup::{Cache, Filling, Setup};
use super::step::Compiled;
use super::tap;
use plan::cost::Planned;
use plan::model::{Shape, TensorId, TensorKind};
use plan::run::{Observer, Phase, Progress, RunError, Settings};

/// The threads of this backend, shared by its ready plans.
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

    /// Runs `work(chunk, worker)` for every chunk, as the forwards do.
    pub(super) fn run(
        &self,
        chunks: usize,
        work: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<(), RunError> {
        self.lock()
            .run(chunks, work)
            .map_err(|_| defect("a thread of the pool ended"))
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
pub struct ReadyPlan {
    weights: Arc<PackedModel>,
    threads: Threads,
    planned: Planned,
    pub(super) dims: Dims,
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

impl ReadyPlan {
    /// Compiles a plan for `weights` and takes the memory that it
    /// needs.
    ///
    /// # Errors
    /// Another model or dtype than the weights', a shape that does not fit,
    /// or more memory than this machine has.
    pub fn new(
        weights: Arc<PackedModel>,
        threads: Threads,
        planned: Planned,
    ) -> Result<Self, RunError> {
        Self::cut_as(weights, threads, planned, &Settings::default())
    }

    /// The same with tiles that are cut as `settings` say.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn cut_as(
        weights: Arc<PackedModel>,
        threads: Threads,
        planned: Planned,
        settings: &Settings,
    ) -> Result<Self, RunError> {
        let config = &planned.cost.config;
        if *weights.model() != config.model || weights.dtype() != config.dtype {
            return Err(defect("weights of another model or dtype were packed"));
        }
        let Shape {
            batch,
            seq,
            context,
        } = config.shape;
        let sizes = [batch, seq, context - seq, context];
        let setup = Setup {
            weights: &weights,
            threads: threads.count(),
            graph: &planned.graph,
            plan: &planned.plan,
            cache: config.keeps_kv() || config.shape.has_past(),
            until: planned.graph.nodes.len(),
            settings,
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
            planned,
            allocations,
            past_tokens,
            tokens,
            launches: AtomicU64::new(0),
        })
    }

    /// What it runs, with its price.
    pub fn planned(&self) -> &Planned {
        &self.planned
    }

    /// Everything that is held while it runs.
    pub fn allocations(&self) -> &[Allocation] {
        &self.allocations
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
    /// this plan's caches.
    fn fill(&self, observer: &dyn Observer) -> Result<(), RunError> {
        let Filling { graph, plan, until } = Filling::of(self.planned.graph.layers);
        let Shape { batch, context, .. } = self.planned.cost.config.shape;
        let past = self.dims.past as u64;
        let setup = Setup {
            weights: &self.weights,
            threads: self.threads.count(),
            graph: &graph,
            plan: &plan,
            cache: true,
            until,
            settings: &Settings::default(),
        };
        let made = setup.make([batch, past, 0, context], &self.caches)?;
        let angles = Angles::new(&made.dims, self.planned.cost.config.model.rope_theta);
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
            observer.progress(Progress::new(Phase::Prefill, done as u32, total));
            running.launch(&made.compiled, launch)?;
        }
        Ok(())
    }

    /// One forward.
    ///
    /// # Errors
    /// Stopped, or a defect.
    pub fn forward(&self, observer: &dyn Observer) -> Result<Ran, RunError> {
        self.run(observer, |_, _| {})
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
        self.run(observer, |index, bound| {
            let Some(launch) = self.compiled.launches.get(index) else {
                return;
            };
            for (id, operand) in &launch.writes {
                let kind = self.planned.graph.tensor_at(*id).kind;
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
        mut after: impl FnMut(usize, &Bound<'_>),
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
            running.launch(&self.compiled, launch)?;
            after(index, &running.bound);
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
            .find(|(id, _)| self.planned.graph.tensor_at(*id).kind == TensorKind::Logits)
            .map(|(_, operand)| tap::read(&self.bound(), *operand, TensorKind::Logits))
            .unwrap_or_default()
    }
}
