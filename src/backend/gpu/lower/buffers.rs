//! The memory between launches: activations, weights, caches, what a kernel hands
//! from one phase to the next, and where a check finds a tensor.

use super::super::catalogue::Lacks;
use super::super::program::{Arg, BufferId, BufferSpec, Contents, Written};
use super::Lowering;
use plan::model::{Symbol, TensorId, TensorKind, WeightId, WeightKind};

impl Lowering<'_> {
    /// The buffer of this name, made where it is not there yet. A second asking
    /// may need more bytes.
    pub fn buffer(&mut self, name: &str, bytes: u64, contents: Contents) -> BufferId {
        if let Some(id) = self.by_name.get(name).copied() {
            if let Some(spec) = self.buffers.get_mut(id.0 as usize) {
                spec.bytes = spec.bytes.max(bytes);
            }
            return id;
        }
        let id = BufferId(self.buffers.len() as u32);
        self.buffers.push(BufferSpec {
            name: name.to_owned(),
            bytes,
            contents,
        });
        self.by_name.insert(name.to_owned(), id);
        id
    }

    /// The buffer of an activation; keys and values of a block have their own
    /// where a cache is kept.
    pub fn activation(&mut self, kind: TensorKind, layer: Option<u32>) -> BufferId {
        let model = self.model();
        let shape = self.shape();
        let elem = self.elem();
        let width = self.width(kind);
        match kind {
            TensorKind::Ids => self.buffer("ids", shape.batch * shape.seq * 4, Contents::Ids),
            TensorKind::Kr | TensorKind::V | TensorKind::PastK | TensorKind::PastV
                if self.keeps_cache() =>
            {
                let layer = layer.unwrap_or(0);
                let bytes = shape.batch * self.setup.cap * model.kv_width() * elem;
                if matches!(kind, TensorKind::Kr | TensorKind::PastK) {
                    let name = format!("keys of block {layer}");
                    self.buffer(&name, bytes, Contents::CacheK(layer))
                } else {
                    let name = format!("values of block {layer}");
                    self.buffer(&name, bytes, Contents::CacheV(layer))
                }
            }
            kind => {
                let rows = self.tensor_rows(kind);
                self.buffer(kind.name(), rows * width * elem, Contents::Activation)
            }
        }
    }

    /// The buffer of a tensor of the graph.
    pub fn tensor(&mut self, id: TensorId) -> BufferId {
        let tensor = self.setup.graph.tensor_at(id);
        self.activation(tensor.kind, tensor.layer)
    }

    /// The buffer of a weight; a tied head is the embedding.
    pub fn weight(&mut self, kind: WeightKind, layer: Option<u32>) -> BufferId {
        let id = self.weight_id(kind, layer);
        let (out, input) = id.shape(self.model());
        let name = match id.layer {
            Some(layer) => format!("{} of block {layer}", id.kind.name()),
            None => id.kind.name().to_owned(),
        };
        let bytes = out * input * self.elem();
        self.buffer(&name, bytes, Contents::Weight(id))
    }

    /// The buffer of a weight with a norm's gamma multiplied in.
    pub fn weight_times_gamma(
        &mut self,
        kind: WeightKind,
        gamma: WeightKind,
        layer: Option<u32>,
    ) -> BufferId {
        let weight = self.weight_id(kind, layer);
        let gamma = self.weight_id(gamma, layer);
        let (out, input) = weight.shape(self.model());
        let name = match layer {
            Some(layer) => format!(
                "{}·{} of block {layer}",
                weight.kind.name(),
                gamma.kind.name()
            ),
            None => format!("{}·{}", weight.kind.name(), gamma.kind.name()),
        };
        let bytes = out * input * self.elem();
        self.buffer(&name, bytes, Contents::WeightTimesGamma { weight, gamma })
    }

    fn weight_id(&self, kind: WeightKind, layer: Option<u32>) -> WeightId {
        match kind {
            WeightKind::LmHead if self.model().tied => WeightId::outside(WeightKind::Embedding),
            kind => WeightId { kind, layer },
        }
    }

    /// Memory in which a kernel hands something from one phase to the next.
    pub fn scratch(&mut self, name: &str, bytes: u64) -> BufferId {
        self.buffer(name, bytes, Contents::Scratch)
    }

    /// Counters that are zero before and after every launch.
    pub fn zeroed(&mut self, name: &str, bytes: u64) -> BufferId {
        self.buffer(name, bytes, Contents::Zeroed)
    }

    // ---- row sums of a fused norm ----------------------------------------------

    /// The `ssq` argument of a kernel that makes `tensor` in `slots` column
    /// tiles: null where no later kernel needs the sums.
    pub fn row_sums_out(&mut self, tensor: TensorId, slots: u32) -> Arg {
        if !self.row_sums.contains_key(&tensor) {
            return Arg::Null;
        }
        let bytes = self.rows() * u64::from(slots) * 4;
        let name = format!(
            "sums of squares of {}",
            self.setup.graph.tensor_at(tensor).name()
        );
        let id = self.scratch(&name, bytes);
        self.row_sums.insert(tensor, Some((id, slots)));
        Arg::Buffer(id)
    }

    /// The `ssq` and `slots` arguments of a kernel whose first op is the norm
    /// of `tensor`.
    ///
    /// # Errors
    /// A tensor whose maker has no sums to give.
    pub fn row_sums_in(&mut self, tensor: TensorId) -> Result<[Arg; 2], Lacks> {
        match self.row_sums.get(&tensor) {
            Some(Some((id, slots))) => Ok([Arg::Buffer(*id), Arg::I32(*slots as i32)]),
            _ => Err(Lacks::new("a fused norm after a kernel without row sums")),
        }
    }

    // ---- where tensors are ---------------------------------------------------

    /// Elements of a row.
    pub fn width(&self, kind: TensorKind) -> u64 {
        let model = self.model();
        match kind.row() {
            None => 1,
            Some(Symbol::KvWidth) => model.kv_width(),
            Some(Symbol::Context) => self.shape().context,
            Some(Symbol::Ffn) => model.ffn,
            Some(Symbol::Vocab) => model.vocab,
            Some(_) => model.hidden,
        }
    }

    /// Rows of a tensor of this kind.
    fn tensor_rows(&self, kind: TensorKind) -> u64 {
        let shape = self.shape();
        match kind {
            TensorKind::Sc | TensorKind::Pr => shape.batch * self.model().heads * shape.seq,
            TensorKind::PastK | TensorKind::PastV => shape.batch * self.past(),
            _ => shape.batch * shape.seq,
        }
    }

    /// Where a check finds a tensor.
    pub(super) fn written(&mut self, id: TensorId) -> Written {
        let kind = self.setup.graph.tensor_at(id).kind;
        let rows = self.tensor_rows(kind);
        let (seq, cap, past) = match kind {
            TensorKind::Kr | TensorKind::V => (self.shape().seq, self.cap(), self.past()),
            TensorKind::PastK | TensorKind::PastV => (self.past(), self.cap(), 0),
            _ => (rows.max(1), rows.max(1), 0),
        };
        Written {
            tensor: id,
            buffer: self.tensor(id),
            rows,
            width: self.width(kind),
            seq,
            cap,
            past,
        }
    }

    /// The past, which a prefill wrote.
    pub(super) fn given(&mut self) -> Vec<Written> {
        let past: Vec<TensorId> = (0..self.setup.graph.tensors.len() as u32)
            .map(TensorId)
            .filter(|id| {
                let kind = self.setup.graph.tensor_at(*id).kind;
                matches!(kind, TensorKind::PastK | TensorKind::PastV)
            })
            .collect();
        past.into_iter().map(|id| self.written(id)).collect()
    }
}
