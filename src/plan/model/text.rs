//! Models written down: our TOML, and Hugging Face's `config.json`.

use serde::Deserialize;

use super::{Model, ModelError};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TomlModel {
    hidden: u64,
    layers: u64,
    heads: u64,
    kv_heads: u64,
    ffn: u64,
    vocab: u64,
    tied: bool,
    rope_theta: Option<f64>,
    norm_eps: Option<f64>,
    max_seq: Option<u64>,
}

/// A model from TOML: `hidden layers heads kv_heads ffn vocab tied`, optional
/// `rope_theta norm_eps max_seq`. `name` is how errors call it.
///
/// # Errors
/// Broken TOML, an unknown or missing key, or sizes that make no model.
pub fn parse_toml(name: &str, text: &str) -> Result<Model, ModelError> {
    let file: TomlModel = toml::from_str(text).map_err(|e| {
        let place = e.span().map_or(String::new(), |span| {
            let before = text.get(..span.start).unwrap_or(text);
            let line = before.matches('\n').count() + 1;
            let column = before.len() - before.rfind('\n').map_or(0, |n| n + 1) + 1;
            format!(":{line}:{column}")
        });
        ModelError::new(format!(
            "model file {name}{place}: {}; it needs hidden, layers, heads, kv_heads, ffn, vocab and tied",
            e.message().trim()
        ))
    })?;
    let model = Model {
        name: name.to_owned(),
        hidden: file.hidden,
        layers: file.layers,
        heads: file.heads,
        kv_heads: file.kv_heads,
        ffn: file.ffn,
        vocab: file.vocab,
        tied: file.tied,
        rope_theta: file.rope_theta.unwrap_or(10_000.0),
        norm_eps: file.norm_eps.unwrap_or(1e-5),
        max_seq: file.max_seq,
    };
    model.check()?;
    Ok(model)
}

#[derive(Deserialize)]
struct HfConfig {
    model_type: Option<String>,
    hidden_size: u64,
    num_hidden_layers: u64,
    num_attention_heads: u64,
    num_key_value_heads: Option<u64>,
    intermediate_size: u64,
    vocab_size: u64,
    tie_word_embeddings: Option<bool>,
    rms_norm_eps: Option<f64>,
    rope_theta: Option<f64>,
    max_position_embeddings: Option<u64>,
    head_dim: Option<u64>,
    hidden_act: Option<String>,
    attention_bias: Option<bool>,
    mlp_bias: Option<bool>,
    rope_scaling: Option<RopeParameters>,
    rope_parameters: Option<RopeParameters>,
}

/// Newer files keep theta here, older ones only a scaling.
#[derive(Deserialize)]
struct RopeParameters {
    rope_type: Option<String>,
    r#type: Option<String>,
    rope_theta: Option<f64>,
}

/// A model from Hugging Face's `config.json`. Defaults are those of
/// `LlamaConfig` in transformers.
///
/// # Errors
/// Broken JSON, a missing size, or a feature that this forward does not have:
/// biases, scaled rotary positions, another activation, heads of a width other
/// than hidden / heads.
pub fn parse_hf_config(name: &str, text: &str) -> Result<Model, ModelError> {
    let file: HfConfig = serde_json::from_str(text).map_err(|e| {
        ModelError::new(format!(
            "model file {name}:{}:{}: not a Hugging Face Llama config: {e}",
            e.line(),
            e.column()
        ))
    })?;
    let refuse = |what: String| {
        Err(ModelError::new(format!(
            "model file {name}: {what}; this forward is Llama's without it"
        )))
    };
    if let Some(kind) = &file.model_type
        && kind != "llama"
    {
        return Err(ModelError::new(format!(
            "model file {name}: model_type is “{kind}”; only llama is supported"
        )));
    }
    if file.attention_bias == Some(true) || file.mlp_bias == Some(true) {
        return refuse("it has biases (attention_bias or mlp_bias)".to_owned());
    }
    if let Some(act) = &file.hidden_act
        && act != "silu"
    {
        return refuse(format!("hidden_act is “{act}”, not silu"));
    }
    let mut theta = file.rope_theta;
    for rope in [&file.rope_scaling, &file.rope_parameters]
        .into_iter()
        .flatten()
    {
        theta = theta.or(rope.rope_theta);
        if let Some(kind) = rope.rope_type.as_ref().or(rope.r#type.as_ref())
            && kind != "default"
        {
            return refuse(format!("it scales rotary positions (“{kind}”)"));
        }
    }
    let model = Model {
        name: name.to_owned(),
        hidden: file.hidden_size,
        layers: file.num_hidden_layers,
        heads: file.num_attention_heads,
        kv_heads: file.num_key_value_heads.unwrap_or(file.num_attention_heads),
        ffn: file.intermediate_size,
        vocab: file.vocab_size,
        tied: file.tie_word_embeddings.unwrap_or(false),
        rope_theta: theta.unwrap_or(10_000.0),
        norm_eps: file.rms_norm_eps.unwrap_or(1e-6),
        max_seq: file.max_position_embeddings,
    };
    model.check()?;
    if let Some(width) = file.head_dim
        && width != model.head_width()
    {
        return refuse(format!(
            "head_dim is {width}, not hidden / heads = {}",
            model.head_width()
        ));
    }
    Ok(model)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOML: &str =
        "hidden = 64\nlayers = 2\nheads = 4\nkv_heads = 2\nffn = 96\nvocab = 97\ntied = false\n";

    #[test]
    fn toml_reads_with_the_usual_constants() {
        let m = parse_toml("mine.toml", TOML).unwrap();
        assert_eq!((m.hidden, m.ffn, m.tied), (64, 96, false));
        assert_eq!((m.rope_theta, m.norm_eps), (10_000.0, 1e-5));
    }

    #[test]
    fn toml_errors_name_file_line_and_column() {
        let e = parse_toml("mine.toml", &TOML.replace("ffn", "fnn"))
            .unwrap_err()
            .to_string();
        assert!(
            e.starts_with("model file mine.toml:5:1: unknown field"),
            "{e}"
        );
        let e = parse_toml("mine.toml", "hidden = \n")
            .unwrap_err()
            .to_string();
        assert!(e.starts_with("model file mine.toml:1:"), "{e}");
    }

    #[test]
    fn hugging_face_config_reads() {
        let text = r#"{"model_type":"llama","hidden_size":64,"num_hidden_layers":2,
            "num_attention_heads":4,"num_key_value_heads":2,"intermediate_size":96,
            "vocab_size":97,"tie_word_embeddings":true,"rms_norm_eps":1e-5,
            "rope_parameters":{"rope_theta":500000.0,"rope_type":"default"}}"#;
        let m = parse_hf_config("config.json", text).unwrap();
        assert_eq!((m.kv_heads, m.tied, m.rope_theta), (2, true, 500_000.0));
        for (from, to, says) in [
            ("\"llama\"", "\"gemma\"", "only llama is supported"),
            ("\"default\"", "\"llama3\"", "scales rotary positions"),
            (
                "\"vocab_size\":97",
                "\"head_dim\":32,\"vocab_size\":97",
                "head_dim is 32",
            ),
            (
                "\"vocab_size\":97",
                "\"mlp_bias\":true,\"vocab_size\":97",
                "biases",
            ),
            ("\"vocab_size\":97,", "", "missing field"),
        ] {
            let e = parse_hf_config("config.json", &text.replace(from, to))
                .unwrap_err()
                .to_string();
            assert!(e.contains(says), "{e}");
        }
    }
}
