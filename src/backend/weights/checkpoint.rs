//! A folder saved by Hugging Face's `transformers`: `config.json`, and the
//! weights in one safetensors file or in several with an index.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use super::WeightsError;
use super::safetensors::SafeTensors;
use plan::model::{Model, WeightId, WeightKind, parse_hf_config};

const CONFIG: &str = "config.json";
const SINGLE: &str = "model.safetensors";
const INDEX: &str = "model.safetensors.index.json";

/// An opened folder, every tensor of the model found and checked.
#[derive(Debug)]
pub(super) struct Checkpoint {
    folder: PathBuf,
    files: Vec<SafeTensors>,
    /// Which file holds a tensor.
    place: HashMap<String, usize>,
}

impl Checkpoint {
    /// Opens a folder: reads its configuration, maps its files, and checks
    /// that every weight of the model is there with its shape.
    pub(super) fn open(folder: &Path) -> Result<(Model, Self), WeightsError> {
        let path = folder.join(CONFIG);
        let text = read(&path)?;
        let mut model = parse_hf_config(&path.display().to_string(), &text)
            .map_err(|e| WeightsError::new(e.to_string()))?;
        if let Some(name) = folder.file_name() {
            model.name = name.to_string_lossy().into_owned();
        }

        let index = folder.join(INDEX);
        let (files, place) = if index.is_file() {
            open_sharded(folder, &index)?
        } else {
            let file = SafeTensors::open(&single(folder)?)?;
            let place = file.names().map(|n| (n.to_owned(), 0)).collect();
            (vec![file], place)
        };
        let checkpoint = Self {
            folder: folder.to_owned(),
            files,
            place,
        };
        for id in WeightId::all(&model) {
            let (name, file) = checkpoint.find(id)?;
            file.check(&name, &stored_shape(&model, id))?;
        }
        checkpoint.refuse_biases()?;
        Ok((model, checkpoint))
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn tensor(
        &self,
        model: &Model,
        id: WeightId,
    ) -> Result<Cow<'_, [f32]>, WeightsError> {
        let (name, file) = self.find(id)?;
        file.tensor(&name, &stored_shape(model, id))
    }

    fn find(&self, id: WeightId) -> Result<(String, &SafeTensors), WeightsError> {
        let name = id.hugging_face_name();
        match self.place.get(&name).and_then(|i| self.files.get(*i)) {
            Some(file) => Ok((name, file)),
            None => Err(WeightsError::new(format!(
                "{}: no file holds the tensor {name}, which {CONFIG} asks for",
                self.folder.display()
            ))),
        }
    }

    /// A bias in the files would be left out of the forward without a word.
    fn refuse_biases(&self) -> Result<(), WeightsError> {
        let mut biases: Vec<&str> = self
            .place
            .keys()
            .map(String::as_str)
            .filter(|n| n.starts_with("model.") && n.ends_with(".bias"))
            .collect();
        biases.sort_unstable();
        match biases.first() {
            None => Ok(()),
            Some(name) => Err(WeightsError::new(format!(
                "{}: tensor {name}: this forward is Llama's, which has no biases; it cannot run these weights",
                self.folder.display()
            ))),
        }
    }
}

/// The shape that Hugging Face stores: a norm's weight has one dimension.
fn stored_shape(model: &Model, id: WeightId) -> Vec<u64> {
    let (out, input) = id.shape(model);
    match id.kind {
        WeightKind::Norm1 | WeightKind::Norm2 | WeightKind::FinalNorm => vec![input],
        _ => vec![out, input],
    }
}

fn read(path: &Path) -> Result<String, WeightsError> {
    std::fs::read_to_string(path)
        .map_err(|e| WeightsError::new(format!("cannot read {}: {e}", path.display())))
}

fn single(folder: &Path) -> Result<PathBuf, WeightsError> {
    let path = folder.join(SINGLE);
    if path.is_file() {
        return Ok(path);
    }
    let hint = if folder.join("pytorch_model.bin").is_file() {
        "; it has pytorch_model.bin: save the model again with safe_serialization=True"
    } else {
        ""
    };
    Err(WeightsError::new(format!(
        "{}: neither {SINGLE} nor {INDEX} is there{hint}",
        folder.display()
    )))
}

#[derive(serde::Deserialize)]
struct Index {
    weight_map: BTreeMap<String, String>,
}

type Files = (Vec<SafeTensors>, HashMap<String, usize>);

fn open_sharded(folder: &Path, index: &Path) -> Result<Files, WeightsError> {
    let at = index.display();
    let map = serde_json::from_str::<Index>(&read(index)?)
        .map_err(|e| WeightsError::new(format!("{at}: cannot be read: {e}")))?
        .weight_map;
    let mut files: Vec<SafeTensors> = Vec::new();
    let mut opened: HashMap<String, usize> = HashMap::new();
    let mut place = HashMap::new();
    for (tensor, file) in map {
        let number = match opened.get(&file) {
            Some(number) => *number,
            None => {
                // A name alone: an index must not reach outside its folder.
                if Path::new(&file).file_name() != Some(file.as_ref()) {
                    return Err(WeightsError::new(format!(
                        "{at}: tensor {tensor}: “{file}” is not the name of a file in this folder"
                    )));
                }
                files.push(SafeTensors::open(&folder.join(&file))?);
                opened.insert(file, files.len() - 1);
                files.len() - 1
            }
        };
        place.insert(tensor, number);
    }
    Ok((files, place))
}
