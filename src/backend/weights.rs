//! The numbers of a model's weights: drawn from a seed, or read from a folder
//! that Hugging Face's `transformers` saved.
//!
//! Every backend and the reference ask here, so all of them compute with the
//! same values. For bf16 those are rounded here, once.

mod checkpoint;
mod safetensors;
mod seeded;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use half::bf16;

use checkpoint::Checkpoint;
use plan::model::{Dtype, Model, WeightId, WeightKind};

plan::sentence! {
    /// Weights that cannot be had: one sentence that names file and tensor.
    WeightsError
}

/// Where a model's weights come from. Cheap to keep: nothing is in memory
/// until a tensor is asked for.
#[derive(Debug)]
pub struct Weights {
    model: Model,
    dtype: Dtype,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Seeded(u64),
    Checkpoint(Checkpoint),
}

impl Weights {
    /// Weights drawn from `seed`: the same on every machine and in any order
    /// of asking. They keep activations near one, so that a defect shows.
    ///
    /// # Errors
    /// A model whose sizes do not fit together.
    pub fn seeded(model: &Model, seed: u64, dtype: Dtype) -> Result<Self, WeightsError> {
        model
            .check()
            .map_err(|e| WeightsError::new(e.to_string()))?;
        Ok(Self {
            model: model.clone(),
            dtype,
            source: Source::Seeded(seed),
        })
    }

    /// The weights of a folder with `config.json` and `model.safetensors`, or
    /// several files with `model.safetensors.index.json`; F32, F16 or BF16.
    /// Files are mapped, not read.
    ///
    /// # Errors
    /// One sentence that names the file, and the tensor where one is missing,
    /// damaged or of another shape than `config.json` says.
    pub fn open(folder: &Path, dtype: Dtype) -> Result<Self, WeightsError> {
        let (model, checkpoint) = Checkpoint::open(folder)?;
        Ok(Self {
            model,
            dtype,
            source: Source::Checkpoint(checkpoint),
        })
    }

    /// The model that these are the weights of.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The element type that the values are rounded to.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// The folder that they are read from; `None` where they are seeded.
    pub fn folder(&self) -> Option<PathBuf> {
        match &self.source {
            Source::Seeded(_) => None,
            Source::Checkpoint(c) => Some(c.folder().to_owned()),
        }
    }

    /// All values of one weight, row-major in the shape `(out, in)` of
    /// [`WeightId::shape`], rounded to the element type. A tied head is the
    /// embedding. Borrowed where the file holds them as they are.
    ///
    /// # Errors
    /// A layer that the model does not have, or a file that has changed.
    pub fn tensor(&self, id: WeightId) -> Result<Cow<'_, [f32]>, WeightsError> {
        let id = self.stored(id)?;
        let values = match &self.source {
            Source::Seeded(seed) => {
                let values = seeded::tensor(&self.model, *seed, id, self.dtype)?;
                return Ok(Cow::Owned(values));
            }
            Source::Checkpoint(c) => c.tensor(&self.model, id)?,
        };
        Ok(match self.dtype {
            Dtype::Fp32 => values,
            Dtype::Bf16 => {
                let mut values = values.into_owned();
                for v in &mut values {
                    *v = bf16::from_f32(*v).to_f32();
                }
                Cow::Owned(values)
            }
        })
    }

    /// Some rows of one weight, one after another; `None` for a row that it does not
    /// have. Seeded ones are made alone: a table of embeddings is long.
    ///
    /// # Errors
    /// As [`Self::tensor`].
    pub fn rows(
        &self,
        id: WeightId,
        rows: impl IntoIterator<Item = u64>,
    ) -> Result<Vec<Option<Vec<f32>>>, WeightsError> {
        let (out, input) = id.shape(&self.model);
        let stored = self.stored(id)?;
        let width = usize::try_from(input).unwrap_or(usize::MAX);
        let rows = rows.into_iter().map(|row| (row < out).then_some(row));
        let Source::Seeded(seed) = &self.source else {
            let values = self.tensor(id)?;
            let row = |row: u64| {
                let from = usize::try_from(row).ok()?.checked_mul(width)?;
                Some(values.get(from..from.checked_add(width)?)?.to_vec())
            };
            return Ok(rows.map(|at| at.and_then(row)).collect());
        };
        elements(&self.model, stored)?;
        let drawn = seeded::Drawn::new(&self.model, *seed, stored, self.dtype);
        let row = |row: u64| {
            let mut values = vec![0.0; width];
            drawn.fill(row * input, &mut values);
            values
        };
        Ok(rows.map(|at| at.map(row)).collect())
    }

    /// The weight that holds the values of `id`.
    fn stored(&self, id: WeightId) -> Result<WeightId, WeightsError> {
        let in_block = WeightKind::BLOCK.contains(&id.kind);
        let fits = match id.layer {
            Some(layer) => in_block && u64::from(layer) < self.model.layers,
            None => !in_block,
        };
        if !fits {
            return Err(WeightsError::new(format!(
                "model {} has no weight {}; it has {} blocks, counted from 0",
                self.model.name,
                id.hugging_face_name(),
                self.model.layers
            )));
        }
        Ok(match id.kind {
            WeightKind::LmHead if self.model.tied => WeightId::outside(WeightKind::Embedding),
            _ => id,
        })
    }
}

/// How many elements a weight has.
fn elements(model: &Model, id: WeightId) -> Result<usize, WeightsError> {
    let (out, input) = id.shape(model);
    out.checked_mul(input)
        .and_then(|n| usize::try_from(n).ok())
        .filter(|n| n.checked_mul(size_of::<f32>()).is_some_and(|b| b <= isize::MAX as usize))
        .ok_or_else(|| {
            WeightsError::new(format!(
                "weight {} of model {} has {out}×{input} elements, more than this machine can address; choose smaller sizes",
                id.hugging_face_name(),
                model.name
            ))
        })
}

#[cfg(test)]
mod tests;
