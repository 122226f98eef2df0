//! Planning and taking the memory of a ready plan.

use std::sync::Arc;

use super::attend::ScratchPlan;
use super::compile::compile;
use super::dims::Dims;
use super::errors::memory_refused;
use super::exec::Workers;
use super::memory::{Allocation, Buffer, Role, available_bytes, readable, total_bytes};
use super::packed::PackedModel;
use super::place::{Places, Wanted};
use super::simd::Isa;
use super::step::{Compiled, Step};
use plan::cost::Config;
use plan::fusion::{Plan, Version};
use plan::model::{Dtype, Graph, OpKind, Shape};
use plan::run::{RunError, Settings};

/// The keys or the values of a layer.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    layer: u32,
    keys: bool,
    buffer: Arc<Buffer>,
}

/// What a ready plan is made from.
pub(super) struct Setup<'a> {
    pub weights: &'a PackedModel,
    pub threads: usize,
    pub graph: &'a Graph,
    pub plan: &'a Plan,
    pub cache: bool,
    pub until: usize,
    /// How tiles are cut.
    pub settings: &'a Settings,
}

/// What it is made of.
pub(super) struct Made {
    pub dims: Dims,
    pub compiled: Compiled,
    pub buffers: Vec<Arc<Buffer>>,
    pub caches: Vec<Cache>,
    pub workers: Workers,
    pub allocations: Vec<Allocation>,
}

impl Setup<'_> {
    /// Plans the memory, asks whether it is there, and takes it. Caches that
    /// exist are used.
    pub fn make(&self, sizes: [u64; 4], existing: &[Cache]) -> Result<Made, RunError> {
        let (model, dtype) = (self.weights.model(), self.weights.dtype());
        let isa = self.weights.isa();
        let dims = Dims::new(model, dtype, isa, self.threads, sizes, self.settings)?;
        let places = Places::new(self.graph, self.plan, &dims, self.cache, self.until);
        // Refused here, sizes that follow fit their types.
        refuse_too_much(&places.allocations(dtype))?;
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
        let dtype = self.weights.dtype();
        let exists = |w: &&Wanted| w.cache.is_some_and(|key| find(existing, key).is_some());
        let new = wanted.iter().filter(|w| !exists(w));
        let mut all: Vec<Allocation> = new.map(|w| w.allocation(dtype)).collect();
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
        refuse_too_much(&all)?;
        Ok(all)
    }
}

/// Refuses what this machine has no room for, naming the largest part.
fn refuse_too_much(all: &[Allocation]) -> Result<(), RunError> {
    let needed = total_bytes(all);
    let limit = available_bytes().unwrap_or(isize::MAX as u64);
    if needed <= limit {
        return Ok(());
    }
    let largest = all.iter().min_by_key(|a| std::cmp::Reverse(a.bytes));
    // No batch and no plan makes weights smaller.
    let way_out = match largest.map(|l| l.role) {
        Some(Role::Weights) => "a smaller model, or bf16",
        _ => "a smaller batch or seq, bf16, or a plan that keeps it inside a kernel",
    };
    Err(RunError::missing(format!(
        "this plan needs {} of memory and {} are free; the largest part is {} with {}; choose {way_out}",
        readable(needed),
        readable(limit),
        largest.map_or("", |a| a.name.as_str()),
        readable(largest.map_or(0, |a| a.bytes)),
    )))
}

/// Whether this machine has the memory for `config` on `threads` threads:
/// weights (unless they are `packed` already), tokens, tensors. Asked before
/// any of it is made.
///
/// # Errors
/// A shape that does not fit the model, or too much, naming the largest part.
pub fn affordable(config: &Config, threads: usize, packed: bool) -> Result<(), RunError> {
    refuse_too_much(&needed(config, threads, packed)?)
}

/// What a run of `config` will hold at once, by name.
fn needed(config: &Config, threads: usize, packed: bool) -> Result<Vec<Allocation>, RunError> {
    let isa = Isa::detect();
    let Shape {
        batch,
        seq,
        context,
    } = config.shape;
    let graph = config.graph()?;
    let cache = config.keeps_kv() || config.shape.has_past();
    let plan = Plan::new(&graph, config.effective_cut(), config.keeps_kv());
    let sizes = [batch, seq, context - seq, context];
    let usual = Settings::default();
    let dims = Dims::new(&config.model, config.dtype, isa, threads, sizes, &usual)?;
    let places = Places::new(&graph, &plan, &dims, cache, graph.nodes.len());
    let mut all = places.allocations(config.dtype);
    if config.shape.has_past() {
        // The tokens from before go through it first, beside the caches of this plan.
        let filling = Filling::of(graph.layers);
        let dims = Dims::new(
            &config.model,
            config.dtype,
            isa,
            threads,
            [batch, context - seq, 0, context],
            &usual,
        )?;
        let places = Places::new(&filling.graph, &filling.plan, &dims, true, filling.until);
        let own = places.wanted.iter().filter(|w| w.cache.is_none());
        all.extend(own.map(|w| Allocation {
            name: format!("{} of the tokens from before", w.name()),
            ..w.allocation(config.dtype)
        }));
    }
    let mut entry = |name: &str, role, bytes| {
        all.push(Allocation {
            name: name.to_owned(),
            role,
            bytes,
        });
    };
    // The logits leave the run in fp32, beside what was computed.
    let values = batch.saturating_mul(seq).saturating_mul(config.model.vocab);
    entry("logits", Role::Activation, values.saturating_mul(4));
    let tokens = batch.saturating_mul(context).saturating_mul(4);
    entry("tokens", Role::Activation, tokens.saturating_mul(2));
    if !packed {
        let weights = PackedModel::bytes_needed(&config.model, config.dtype, isa);
        entry("weights", Role::Weights, weights.unwrap_or(u64::MAX));
    }
    Ok(all)
}

/// How the tokens from before are taken in: the blocks alone, one kernel for each.
pub(super) struct Filling {
    pub graph: Graph,
    pub plan: Plan,
    /// The first node that is left out.
    pub until: usize,
}

impl Filling {
    pub fn of(layers: u32) -> Self {
        let graph = Graph::of_layers(layers, false);
        let plan = Plan::new(&graph, Version::V4.cut(), true);
        let head = graph.nodes.iter().position(|n| n.op == OpKind::FinalNorm);
        let until = head.unwrap_or(graph.nodes.len());
        Self { graph, plan, until }
    }
}

impl Places {
    /// The buffers as allocations.
    fn allocations(&self, dtype: Dtype) -> Vec<Allocation> {
        self.wanted.iter().map(|w| w.allocation(dtype)).collect()
    }
}

fn bytes(elements: u128, each: u64) -> u64 {
    u64::try_from(elements.saturating_mul(u128::from(each))).unwrap_or(u64::MAX)
}

impl Wanted {
    fn allocation(&self, dtype: Dtype) -> Allocation {
        Allocation {
            name: self.name(),
            role: self.role,
            bytes: bytes(self.elements, dtype.bytes()),
        }
    }

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
