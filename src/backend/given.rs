//! What a request brings: weights and tokens, from files or from seeds.

use super::tokens::Tokens;
use super::weights::Weights;
use plan::model::{Dtype, Model};
use plan::run::{Request, RunError, WeightsFrom};

/// The weights that a request names, of the model that it names.
pub(crate) fn open_weights(
    from: &WeightsFrom,
    model: &Model,
    dtype: Dtype,
) -> Result<Weights, RunError> {
    let refused = |e: crate::weights::WeightsError| RunError::bad_request(e.to_string());
    match from {
        WeightsFrom::Seed(seed) => Weights::seeded(model, *seed, dtype).map_err(refused),
        WeightsFrom::Folder(folder) => {
            let weights = Weights::open(folder, dtype).map_err(refused)?;
            let sizes = |m: &Model| [m.hidden, m.layers, m.heads, m.kv_heads, m.ffn, m.vocab];
            if sizes(weights.model()) == sizes(model) {
                Ok(weights)
            } else {
                Err(RunError::bad_request(format!(
                    "the weights in {} are of another model than {}; leave --model out to take the folder's own",
                    folder.display(),
                    model.name
                )))
            }
        }
    }
}

/// The tokens of a request: given, or drawn from its seed.
pub(crate) fn tokens(request: &Request, model: &Model) -> Result<Tokens, RunError> {
    let shape = request.config.shape;
    let tokens = match &request.tokens {
        Some(rows) => {
            Tokens::new(rows, model.vocab).map_err(|e| RunError::bad_request(e.to_string()))?
        }
        None => Tokens::seeded(
            request.seed,
            usize::try_from(shape.batch).unwrap_or(usize::MAX),
            usize::try_from(shape.context).unwrap_or(usize::MAX),
            model.vocab,
        ),
    };
    let given = [tokens.batch() as u64, tokens.context() as u64];
    if given != [shape.batch, shape.context] {
        return Err(RunError::bad_request(format!(
            "the tokens are {} sequences of {}, and the shape is batch {} with context {}; leave out --batch and --seq to take them from the tokens",
            given[0], given[1], shape.batch, shape.context
        )));
    }
    Ok(tokens)
}

/// The model of a folder with Hugging Face weights.
///
/// # Errors
/// As [`Weights::open`].
pub fn model_of_folder(folder: &std::path::Path) -> Result<Model, RunError> {
    Weights::open(folder, Dtype::Fp32)
        .map(|w| w.model().clone())
        .map_err(|e| RunError::bad_request(e.to_string()))
}

/// Token rows from a file with a JSON list of lists, checked by the run.
///
/// # Errors
/// A file that cannot be read or holds no such list.
pub fn tokens_of_file(path: &std::path::Path, vocab: u64) -> Result<Vec<Vec<u64>>, RunError> {
    let tokens = Tokens::load(path, vocab).map_err(|e| RunError::bad_request(e.to_string()))?;
    Ok((0..tokens.batch())
        .map(|b| tokens.sequence(b).iter().map(|id| u64::from(*id)).collect())
        .collect())
}
