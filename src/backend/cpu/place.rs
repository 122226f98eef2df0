//! Which tensors are memory, and in which buffer each lives.

use std::collections::HashMap;

use super::dims::Dims;
use super::memory::Role;
use super::step::{Operand, passes_of};
use plan::fusion::Plan;
use plan::model::{Graph, Place, TensorId, TensorKind};

/// A tensor's rows in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Home {
    buffer: usize,
    /// Rows of one sequence.
    rows: usize,
    /// The row of the first new token.
    first: usize,
}

/// A buffer to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Elements; `u128` so that no shape overflows before it is refused.
    pub elements: u128,
    pub role: Role,
    /// The tensors that live there, one after another.
    pub holds: Vec<&'static str>,
    /// The layer's cache that it is: `(layer, is it the keys')`.
    pub cache: Option<(u32, bool)>,
}

/// The memory of one plan.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    homes: HashMap<TensorId, (Home, usize)>,
    pub wanted: Vec<Wanted>,
}

impl Places {
    /// Deals out memory to the tensors that kernels of `plan` before op
    /// `until` hand to each other. A buffer is used again once its tensor has
    /// been read for the last time. With `cache`, keys and values live in one
    /// buffer per layer that has room for all positions.
    pub fn new(graph: &Graph, plan: &Plan, dims: &Dims, cache: bool, until: usize) -> Self {
        let mut places = Self::default();
        let mut free: HashMap<(Role, u128), Vec<usize>> = HashMap::new();
        let spans = spans(graph, plan, until);
        let passes = spans.iter().map(|s| s.last + 1).max().unwrap_or(0);
        for pass in 0..passes {
            for span in spans.iter().filter(|s| s.made == pass) {
                let kind = graph.tensor_at(span.id).kind;
                let columns = dims.columns(kind);
                let cached = cache && matches!(kind, TensorKind::Kr | TensorKind::V);
                let rows = if cached { dims.capacity } else { dims.seq };
                let elements = dims.batch as u128 * rows as u128 * columns as u128;
                let role = match (cached, span.written) {
                    (true, _) => Role::Cache,
                    (false, true) => Role::Activation,
                    (false, false) => Role::Scratch,
                };
                let reused = (!cached)
                    .then(|| free.get_mut(&(role, elements)).and_then(Vec::pop))
                    .flatten();
                let buffer = reused.unwrap_or(places.wanted.len());
                if reused.is_none() {
                    places.wanted.push(Wanted {
                        elements,
                        role,
                        holds: Vec::new(),
                        cache: cached
                            .then(|| graph.tensor_at(span.id).layer)
                            .flatten()
                            .map(|layer| (layer, kind == TensorKind::Kr)),
                    });
                }
                if let Some(wanted) = places.wanted.get_mut(buffer) {
                    let name = graph.tensor_at(span.id).name();
                    if !wanted.holds.contains(&name) {
                        wanted.holds.push(name);
                    }
                }
                let first = if cached { dims.past } else { 0 };
                let home = Home {
                    buffer,
                    rows,
                    first,
                };
                places.homes.insert(span.id, (home, columns));
            }
            for span in spans.iter().filter(|s| s.last == pass && !s.kept) {
                if let Some((home, _)) = places.homes.get(&span.id)
                    && let Some(wanted) = places.wanted.get(home.buffer)
                    && wanted.cache.is_none()
                {
                    let key = (wanted.role, wanted.elements);
                    free.entry(key).or_default().push(home.buffer);
                }
            }
        }
        places
    }

    /// Where `id` is in memory; `None` if it never leaves its tile.
    pub fn operand(&self, id: TensorId) -> Option<Operand> {
        self.homes.get(&id).map(|(home, columns)| Operand::Memory {
            buffer: home.buffer,
            columns: *columns,
            rows: home.rows,
            first: home.first,
        })
    }
}

/// A tensor in memory: from the pass that makes it to the last that reads it.
struct Span {
    id: TensorId,
    made: usize,
    last: usize,
    /// Whether the plan writes it; otherwise it only crosses passes.
    written: bool,
    /// Whether it outlives the forward.
    kept: bool,
}

/// The tensors in memory, in the order in which they are made.
fn spans(graph: &Graph, plan: &Plan, until: usize) -> Vec<Span> {
    let mut made: HashMap<TensorId, (usize, bool)> = HashMap::new();
    let mut last: HashMap<TensorId, usize> = HashMap::new();
    let mut order = Vec::new();
    let mut pass = 0;
    for kernel in plan.kernels.iter().filter(|k| k.ops.start < until) {
        for ops in passes_of(graph, kernel) {
            for node in graph.nodes.get(ops).unwrap_or_default() {
                for id in &node.reads {
                    last.insert(*id, pass);
                }
                made.insert(node.writes, (pass, kernel.writes.contains(&node.writes)));
                order.push(node.writes);
            }
            pass += 1;
        }
    }
    order
        .into_iter()
        .filter_map(|id| {
            let (made, written) = *made.get(&id)?;
            let read = last.get(&id).copied().unwrap_or(made);
            let kind = graph.tensor_at(id).kind;
            let crosses = read > made;
            (written || crosses).then_some(Span {
                id,
                made,
                last: read.max(made),
                written,
                kept: kind.place() == Place::Output,
            })
        })
        .collect()
}
