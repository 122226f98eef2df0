#!/usr/bin/env python3
"""Makes the small random Llamas of tests/data, with the logits that Hugging
Face's implementation gives for them. tests/gpu/huggingface.rs compares ours.

    python3 -m venv /tmp/venv
    /tmp/venv/bin/pip install torch transformers safetensors numpy
    /tmp/venv/bin/python tests/make_llama.py

Two models, chosen so that a wrong reading shows:

  llama-tiny       GQA (4 query heads on 2), head not tied, fp32, one file,
                   config.json as transformers 5 writes it (rope_parameters)
  llama-tiny-tied  as many key heads as query heads, tied head, bf16 weights in
                   several files with an index, config.json as transformers 4
                   writes it (rope_theta at the top)

rope_theta and rms_norm_eps are far from their defaults, the norms' weights
from one, and the projections large enough that attention is far from uniform.
Logits are computed in float64 from the saved weights; inside it, Llama's
RMSNorm, rotation and softmax still work in float32.
"""

import json
import pathlib
import shutil

import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM

HERE = pathlib.Path(__file__).resolve().parent / "data"

COMMON = dict(
    hidden_act="silu",
    attention_bias=False,
    mlp_bias=False,
    max_position_embeddings=64,
    attn_implementation="eager",
)


def randomise(model, seed):
    """Weights that keep activations near one; norms spread around one."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() == 1:
                weight.copy_(0.5 + torch.rand(weight.shape, generator=generator))
            elif "embed_tokens" in name:
                weight.copy_(torch.randn(weight.shape, generator=generator))
            else:
                scale = 1.5 / weight.shape[1] ** 0.5
                weight.copy_(scale * torch.randn(weight.shape, generator=generator))


def make(name, config, seed, dtype, shard, batch, seq):
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    model = LlamaForCausalLM(LlamaConfig(**config, **COMMON)).eval()
    randomise(model, seed)
    model = model.to(dtype)
    model.save_pretrained(folder, max_shard_size=shard)
    (folder / "generation_config.json").unlink(missing_ok=True)

    generator = torch.Generator().manual_seed(seed + 1)
    tokens = torch.randint(0, config["vocab_size"], (batch, seq), generator=generator)
    (folder / "tokens.json").write_text(json.dumps(tokens.tolist()) + "\n")
    # Loaded again: a model that was cast to bf16 keeps bf16 rotary frequencies.
    model = LlamaForCausalLM.from_pretrained(
        folder, dtype=torch.float64, attn_implementation="eager"
    ).eval()
    with torch.no_grad():
        logits = model(tokens, use_cache=False).logits
    np.save(folder / "logits.npy", logits.to(torch.float32).numpy())
    return folder


def as_transformers_4(folder):
    """Rewrites the rotation's parameters as transformers 4 did."""
    path = folder / "config.json"
    config = json.loads(path.read_text())
    config["rope_theta"] = config.pop("rope_parameters")["rope_theta"]
    config["rope_scaling"] = None
    config["torch_dtype"] = config.pop("dtype")
    path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")


def main():
    make(
        "llama-tiny",
        dict(
            hidden_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            intermediate_size=96,
            vocab_size=97,
            tie_word_embeddings=False,
            rms_norm_eps=1e-2,
            rope_parameters={"rope_type": "default", "rope_theta": 500.0},
        ),
        seed=11,
        dtype=torch.float32,
        shard="10MB",
        batch=2,
        seq=11,
    )
    as_transformers_4(
        make(
            "llama-tiny-tied",
            dict(
                hidden_size=32,
                num_hidden_layers=1,
                num_attention_heads=4,
                num_key_value_heads=4,
                intermediate_size=48,
                vocab_size=61,
                tie_word_embeddings=True,
                rms_norm_eps=1e-3,
                rope_parameters={"rope_type": "default", "rope_theta": 2000.0},
            ),
            seed=23,
            dtype=torch.bfloat16,
            shard="10KB",
            batch=1,
            seq=9,
        )
    )


if __name__ == "__main__":
    main()
