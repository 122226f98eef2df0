//! A model's weights, packed once, kept as long as it is used.

use std::borrow::Cow;
use std::sync::Arc;

use super::errors::{defect, memory_refused};
use super::memory::{Allocation, Role, available_bytes, readable};
use super::panels::{Panels, Store};
use super::simd::Isa;
use plan::model::{Dtype, Model, WeightId, WeightKind};
use plan::run::RunError;

/// Where the embedding's rows are.
#[derive(Debug)]
enum Embedding {
    /// In the head, which is tied to it.
    Head,
    /// In a table of its own, `V × D`.
    Own(Store),
}

/// All weights of one model in one element type. Norms are kept in fp32.
#[derive(Debug)]
pub struct PackedModel {
    model: Model,
    dtype: Dtype,
    isa: Isa,
    embedding: Embedding,
    /// By layer, in the order of [`WeightKind::BLOCK`].
    layers: Vec<[Packed; WeightKind::BLOCK.len()]>,
    final_norm: Arc<Vec<f32>>,
    head: Arc<Panels>,
}

/// One weight.
#[derive(Clone, Debug)]
enum Packed {
    Matrix(Arc<Panels>),
    Gamma(Arc<Vec<f32>>),
}

impl PackedModel {
    /// Asks `load` for every weight, row-major `(out, in)`, once and in order,
    /// and packs it.
    ///
    /// # Errors
    /// What `load` answers, a weight of another size than the model says, or
    /// memory that is not to be had.
    pub fn pack<'w>(
        model: &Model,
        dtype: Dtype,
        isa: Isa,
        mut load: impl FnMut(WeightId) -> Result<Cow<'w, [f32]>, RunError>,
    ) -> Result<Self, RunError> {
        model
            .check()
            .map_err(|e| RunError::bad_request(e.to_string()))?;
        let needed = Self::bytes_needed(model, dtype, isa).unwrap_or(u64::MAX);
        let limit = available_bytes().unwrap_or(isize::MAX as u64);
        if needed > limit {
            return Err(RunError::missing(format!(
                "the weights of {} take {} of memory and {} are free; choose a smaller model{}",
                model.name,
                readable(needed),
                readable(limit),
                if dtype == Dtype::Fp32 { " or bf16" } else { "" }
            )));
        }
        let mut one = |id: WeightId| pack_one(model, dtype, isa, id, &load(id)?);
        let mut layers = Vec::new();
        for layer in 0..u32::try_from(model.layers).unwrap_or(u32::MAX) {
            let mut packed = Vec::with_capacity(WeightKind::BLOCK.len());
            for kind in WeightKind::BLOCK {
                packed.push(one(WeightId::of_layer(kind, layer))?);
            }
            let packed = packed
                .try_into()
                .map_err(|_| defect("a block has more weights than its list"))?;
            layers.push(packed);
        }
        let final_norm = one(WeightId::outside(WeightKind::FinalNorm))?.gamma()?;
        let source = if model.tied {
            WeightKind::Embedding
        } else {
            WeightKind::LmHead
        };
        let head = one(WeightId::outside(source))?.matrix()?;
        let embedding = if model.tied {
            Embedding::Head
        } else {
            let values = load(WeightId::outside(WeightKind::Embedding))?;
            Embedding::Own(table(model, dtype, &values)?)
        };
        Ok(Self {
            model: model.clone(),
            dtype,
            isa,
            embedding,
            layers,
            final_norm,
            head,
        })
    }

    /// The model that these are the weights of.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Element type of the matrices.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// The instruction set that they are packed for.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// What packing took.
    pub fn allocations(&self) -> Vec<Allocation> {
        let entry = |name: String, bytes| Allocation {
            name,
            role: Role::Weights,
            bytes,
        };
        let mut all = Vec::new();
        for (layer, packed) in self.layers.iter().enumerate() {
            let bytes = packed.iter().map(Packed::bytes).sum();
            all.push(entry(format!("weights of block {layer}"), bytes));
        }
        all.push(entry("gamma".to_owned(), self.final_norm.len() as u64 * 4));
        all.push(entry("Whead".to_owned(), self.head.bytes()));
        if let Embedding::Own(store) = &self.embedding {
            all.push(entry("E".to_owned(), store.bytes()));
        }
        all
    }

    /// Bytes that packing `model` will take, more than addressable as `None`.
    pub fn bytes_needed(model: &Model, dtype: Dtype, isa: Isa) -> Option<u64> {
        let mut bytes: u64 = 0;
        for id in WeightId::all(model) {
            let (out, input) = id.shape(model);
            let held = if is_gamma(id.kind) {
                input.checked_mul(4)?
            } else if id.kind == WeightKind::Embedding && !model.tied {
                out.checked_mul(input)?.checked_mul(dtype.bytes())?
            } else {
                let len = Panels::packed_len(
                    isa,
                    usize::try_from(out).ok()?,
                    usize::try_from(input).ok()?,
                )?;
                (len as u64).checked_mul(dtype.bytes())?
            };
            bytes = bytes.checked_add(held)?;
        }
        Some(bytes)
    }

    /// The matrix of a product.
    pub(super) fn matrix(&self, id: WeightId) -> Result<Arc<Panels>, RunError> {
        match id.kind {
            WeightKind::LmHead => Ok(Arc::clone(&self.head)),
            _ => self.of_block(id)?.matrix(),
        }
    }

    /// The factors of a norm.
    pub(super) fn gamma(&self, id: WeightId) -> Result<Arc<Vec<f32>>, RunError> {
        match id.kind {
            WeightKind::FinalNorm => Ok(Arc::clone(&self.final_norm)),
            _ => self.of_block(id)?.gamma(),
        }
    }

    /// The embedding of `token`; zeros for a token outside the vocabulary.
    pub(super) fn embed(&self, token: u32, out: &mut [f32]) {
        let token = token as usize;
        match &self.embedding {
            Embedding::Head => self.head.output_row(token, out),
            Embedding::Own(store) => {
                store.strided(token.saturating_mul(out.len()), 1, out);
            }
        }
    }

    fn of_block(&self, id: WeightId) -> Result<&Packed, RunError> {
        let place = WeightKind::BLOCK.iter().position(|kind| *kind == id.kind);
        id.layer
            .and_then(|layer| self.layers.get(layer as usize))
            .and_then(|packed| packed.get(place?))
            .ok_or_else(|| defect(format!("no weight {} was packed", id.hugging_face_name())))
    }
}

impl Packed {
    fn bytes(&self) -> u64 {
        match self {
            Self::Matrix(panels) => panels.bytes(),
            Self::Gamma(values) => values.len() as u64 * 4,
        }
    }

    fn matrix(&self) -> Result<Arc<Panels>, RunError> {
        match self {
            Self::Matrix(panels) => Ok(Arc::clone(panels)),
            Self::Gamma(_) => Err(defect("a norm was asked for as a matrix")),
        }
    }

    fn gamma(&self) -> Result<Arc<Vec<f32>>, RunError> {
        match self {
            Self::Gamma(values) => Ok(Arc::clone(values)),
            Self::Matrix(_) => Err(defect("a matrix was asked for as a norm")),
        }
    }
}

fn is_gamma(kind: WeightKind) -> bool {
    matches!(
        kind,
        WeightKind::Norm1 | WeightKind::Norm2 | WeightKind::FinalNorm
    )
}

/// `(out, in)` of a weight, checked against what was loaded.
fn extents(model: &Model, id: WeightId, values: &[f32]) -> Result<(usize, usize), RunError> {
    let (out, input) = id.shape(model);
    usize::try_from(out)
        .ok()
        .zip(usize::try_from(input).ok())
        .filter(|(out, input)| out.checked_mul(*input) == Some(values.len()))
        .ok_or_else(|| {
            RunError::bad_request(format!(
                "weight {} has {} elements; model {} needs {out}×{input}",
                id.hugging_face_name(),
                values.len(),
                model.name
            ))
        })
}

fn pack_one(
    model: &Model,
    dtype: Dtype,
    isa: Isa,
    id: WeightId,
    values: &[f32],
) -> Result<Packed, RunError> {
    let (out, input) = extents(model, id, values)?;
    if is_gamma(id.kind) {
        return Ok(Packed::Gamma(Arc::new(values.to_vec())));
    }
    Panels::pack(isa, dtype, values, out, input)
        .map(|panels| Packed::Matrix(Arc::new(panels)))
        .ok_or_else(|| memory_refused(&id.hugging_face_name(), values.len() as u64 * dtype.bytes()))
}

fn table(model: &Model, dtype: Dtype, values: &[f32]) -> Result<Store, RunError> {
    let id = WeightId::outside(WeightKind::Embedding);
    extents(model, id, values)?;
    let mut store = Store::zeros(dtype, values.len()).map_err(|_| {
        memory_refused(&id.hugging_face_name(), values.len() as u64 * dtype.bytes())
    })?;
    for (at, x) in values.iter().enumerate() {
        store.set(at, *x);
    }
    Ok(store)
}
