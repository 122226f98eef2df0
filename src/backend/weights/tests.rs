use std::fs;
use std::path::Path;

use super::*;

/// A tiny tied model of one layer: D 4, H 2, K 1, I 6, V 5.
fn tiny() -> Model {
    Model::new("tiny", 4, 1, 2, 1, 6, 5).unwrap()
}

const CONFIG: &str = r#"{"model_type":"llama","hidden_size":4,"num_hidden_layers":1,
    "num_attention_heads":2,"num_key_value_heads":1,"intermediate_size":6,
    "vocab_size":5,"tie_word_embeddings":true,"rms_norm_eps":1e-5}"#;

/// Bytes of a safetensors file of F32 tensors, each filled with its number.
fn safetensors(tensors: &[(String, Vec<u64>)]) -> Vec<u8> {
    let mut header = serde_json::Map::new();
    let mut data: Vec<u8> = Vec::new();
    for (number, (name, shape)) in tensors.iter().enumerate() {
        let begin = data.len();
        for _ in 0..shape.iter().product::<u64>() {
            data.extend((number as f32).to_le_bytes());
        }
        header.insert(
            name.clone(),
            serde_json::json!({"dtype": "F32", "shape": shape, "data_offsets": [begin, data.len()]}),
        );
    }
    let header = serde_json::to_vec(&header).unwrap();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header);
    file.extend(data);
    file
}

/// Names and stored shapes of every weight of `tiny`.
fn listed() -> Vec<(String, Vec<u64>)> {
    let model = tiny();
    WeightId::all(&model)
        .into_iter()
        .map(|id| {
            let (out, input) = id.shape(&model);
            let shape = if id.hugging_face_name().contains("norm") {
                vec![input]
            } else {
                vec![out, input]
            };
            (id.hugging_face_name(), shape)
        })
        .collect()
}

fn folder(config: &str, tensors: &[(String, Vec<u64>)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("config.json"), config).unwrap();
    fs::write(
        folder.path().join("model.safetensors"),
        safetensors(tensors),
    )
    .unwrap();
    folder
}

fn refused(folder: &Path) -> String {
    Weights::open(folder, Dtype::Fp32).unwrap_err().to_string()
}

#[test]
fn a_folder_gives_each_weight_its_own_values() {
    let at = folder(CONFIG, &listed());
    let weights = Weights::open(at.path(), Dtype::Fp32).unwrap();
    assert_eq!(weights.model().ffn, 6);
    for (number, id) in WeightId::all(weights.model()).into_iter().enumerate() {
        let values = weights.tensor(id).unwrap();
        assert!(values.iter().all(|v| *v == number as f32), "{id:?}");
    }
}

#[test]
fn a_tied_head_is_the_embedding() {
    let weights = Weights::seeded(&tiny(), 1, Dtype::Fp32).unwrap();
    let of = |kind| weights.tensor(WeightId::outside(kind)).unwrap();
    assert_eq!(of(WeightKind::LmHead), of(WeightKind::Embedding));
    let mut untied = tiny();
    untied.tied = false;
    let weights = Weights::seeded(&untied, 1, Dtype::Fp32).unwrap();
    let of = |kind| weights.tensor(WeightId::outside(kind)).unwrap();
    assert_ne!(of(WeightKind::LmHead), of(WeightKind::Embedding));
}

#[test]
fn bf16_weights_are_rounded_and_fp32_are_not() {
    let id = WeightId::of_layer(WeightKind::Q, 0);
    let exact = Weights::seeded(&tiny(), 5, Dtype::Fp32).unwrap();
    let rounded = Weights::seeded(&tiny(), 5, Dtype::Bf16).unwrap();
    let (exact, rounded) = (exact.tensor(id).unwrap(), rounded.tensor(id).unwrap());
    assert_ne!(exact, rounded);
    for (a, b) in exact.iter().zip(rounded.iter()) {
        // Eight significant bits: the low 16 of the f32 are zero, and the
        // value moved by at most half a unit, 2⁻⁸ of itself.
        assert_eq!(b.to_bits() & 0xFFFF, 0);
        assert!((a - b).abs() <= a.abs() / 256.0);
    }
}

#[test]
fn weights_that_the_model_has_not_are_refused() {
    let weights = Weights::seeded(&tiny(), 1, Dtype::Fp32).unwrap();
    for id in [
        WeightId::of_layer(WeightKind::Q, 1),
        WeightId::outside(WeightKind::Q),
        WeightId::of_layer(WeightKind::LmHead, 0),
    ] {
        let e = weights.tensor(id).unwrap_err().to_string();
        assert!(e.starts_with("model tiny has no weight"), "{e}");
    }
}

#[test]
fn absurd_seeded_sizes_are_an_error() {
    let huge = Model::new("huge", 1 << 40, 1, 8, 8, 1 << 40, 10).unwrap();
    let weights = Weights::seeded(&huge, 0, Dtype::Fp32).unwrap();
    let e = weights
        .tensor(WeightId::of_layer(WeightKind::Gate, 0))
        .unwrap_err()
        .to_string();
    assert!(e.contains("more than this machine can address"), "{e}");
}

#[test]
fn what_a_folder_lacks_is_named() {
    let empty = tempfile::tempdir().unwrap();
    assert!(refused(empty.path()).contains("config.json"));

    fs::write(empty.path().join("config.json"), CONFIG).unwrap();
    let e = refused(empty.path());
    assert!(e.contains("neither model.safetensors nor"), "{e}");

    fs::write(empty.path().join("pytorch_model.bin"), "").unwrap();
    let e = refused(empty.path());
    assert!(e.contains("safe_serialization=True"), "{e}");

    let mut some = listed();
    some.retain(|(name, _)| !name.contains("up_proj"));
    let e = refused(folder(CONFIG, &some).path());
    assert!(
        e.contains("no file holds the tensor model.layers.0.mlp.up_proj.weight"),
        "{e}"
    );

    let untied = CONFIG.replace("true", "false");
    let e = refused(folder(&untied, &listed()).path());
    assert!(e.contains("no file holds the tensor lm_head.weight"), "{e}");
}

#[test]
fn shapes_and_features_that_do_not_fit_are_named() {
    let mut wrong = listed();
    for (name, shape) in &mut wrong {
        if name.contains("k_proj") {
            *shape = vec![4, 4];
        }
    }
    let e = refused(folder(CONFIG, &wrong).path());
    assert!(
        e.ends_with("k_proj.weight: its shape is 4×4, and config.json asks for 2×4"),
        "{e}"
    );

    let mut biased = listed();
    biased.push(("model.layers.0.self_attn.q_proj.bias".to_owned(), vec![4]));
    let e = refused(folder(CONFIG, &biased).path());
    assert!(e.contains("q_proj.bias") && e.contains("no biases"), "{e}");

    let scaled = CONFIG.replace(
        "\"vocab_size\"",
        "\"rope_scaling\":{\"rope_type\":\"linear\",\"factor\":2.0},\"vocab_size\"",
    );
    let e = refused(folder(&scaled, &listed()).path());
    assert!(e.contains("linear"), "{e}");
}

#[test]
fn an_index_leads_to_its_files_and_nowhere_else() {
    let at = tempfile::tempdir().unwrap();
    fs::write(at.path().join("config.json"), CONFIG).unwrap();
    let all = listed();
    let (first, second) = all.split_at(4);
    fs::write(at.path().join("a.safetensors"), safetensors(first)).unwrap();
    fs::write(at.path().join("b.safetensors"), safetensors(second)).unwrap();
    let write_index = |place: &dyn Fn(usize) -> &'static str| {
        let map: serde_json::Map<_, _> = all
            .iter()
            .enumerate()
            .map(|(i, (name, _))| (name.clone(), place(i).into()))
            .collect();
        fs::write(
            at.path().join("model.safetensors.index.json"),
            serde_json::json!({ "weight_map": map }).to_string(),
        )
        .unwrap();
    };
    write_index(&|i| {
        if i < 4 {
            "a.safetensors"
        } else {
            "b.safetensors"
        }
    });
    let weights = Weights::open(at.path(), Dtype::Fp32).unwrap();
    let gamma = weights
        .tensor(WeightId::outside(WeightKind::FinalNorm))
        .unwrap();
    // The last of `second`, which holds listed()[4..]: number 10 − 4.
    assert_eq!(gamma.as_ref(), [6.0; 4]);

    write_index(&|_| "a.safetensors");
    let e = refused(at.path());
    assert!(e.contains("it is not in this file"), "{e}");
    for outside in ["../a.safetensors", "/etc/passwd", "..", ""] {
        write_index(&|_| match outside {
            "../a.safetensors" => "../a.safetensors",
            "/etc/passwd" => "/etc/passwd",
            ".." => "..",
            _ => "",
        });
        let e = refused(at.path());
        assert!(
            e.contains("is not the name of a file in this folder"),
            "{e}"
        );
    }
    fs::write(at.path().join("model.safetensors.index.json"), "{").unwrap();
    let e = refused(at.path());
    assert!(e.contains("index.json: cannot be read"), "{e}");
}

#[test]
fn rows_are_those_of_the_whole_weight() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("config.json"), CONFIG).unwrap();
    fs::write(
        folder.path().join("model.safetensors"),
        safetensors(&listed()),
    )
    .unwrap();
    for dtype in [Dtype::Fp32, Dtype::Bf16] {
        for weights in [
            Weights::seeded(&tiny(), 7, dtype).unwrap(),
            Weights::open(folder.path(), dtype).unwrap(),
        ] {
            for id in WeightId::all(weights.model()) {
                let (out, input) = id.shape(weights.model());
                let rows = weights.rows(id, (0..out).chain([out])).unwrap();
                assert_eq!(rows.last(), Some(&None), "there is no such row");
                let whole = weights.tensor(id).unwrap();
                let rows: Vec<f32> = rows.into_iter().flatten().flatten().collect();
                assert_eq!(rows.len() as u64, out * input);
                assert_eq!(rows, whole.as_ref());
            }
        }
    }
}
