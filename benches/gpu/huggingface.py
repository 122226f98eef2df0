#!/usr/bin/env python3
"""Logits of random Hugging Face Llamas on a GPU, ours against transformers'.

    python3 benches/gpu/huggingface.py target/release/tinyllama-tutor [--backend cuda]

For each model: weights are drawn, saved as safetensors, and read back by both.
transformers computes the logits in float64 (float32 for the largest model) as
the reference, and in the model's own dtype as the plain path. Ours passes where
its relative error (root mean square of the differences over that of the
reference) is at most twice the plain path's. Needs torch and transformers.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM

# name: hidden, layers, heads, kv heads, ffn, vocab, batch, seq, dtype, reference
MODELS = {
    "workshop fp32": (256, 4, 8, 4, 512, 1000, 2, 128, "fp32", torch.float64),
    "workshop bf16": (256, 4, 8, 4, 512, 1000, 2, 128, "bf16", torch.float64),
    "TinyLlama-1.1B size bf16": (2048, 22, 32, 4, 5632, 32000, 1, 200, "bf16", torch.float32),
}
VERSIONS = ["v1", "v2", "v3", "v4", "five", "forward"]


def randomise(model, seed):
    """Weights that keep activations near one; norms spread around one."""
    generator = torch.Generator(device="cuda").manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() == 1:
                weight.copy_(0.5 + torch.rand(weight.shape, generator=generator, device="cuda"))
            else:
                scale = 1.0 if "embed" in name else 1.5 / weight.shape[1] ** 0.5
                draw = torch.randn(weight.shape, generator=generator, device="cuda")
                weight.copy_(scale * draw)


def logits(folder, dtype, tokens):
    model = LlamaForCausalLM.from_pretrained(folder, dtype=dtype, attn_implementation="eager")
    with torch.no_grad():
        return model.to("cuda").eval()(tokens, use_cache=False).logits.double().cpu().numpy()


def relative(got, reference):
    return float(np.sqrt(np.mean((got - reference) ** 2) / np.mean(reference**2)))


def compare(binary, backend, name, folder):
    hidden, layers, heads, kv, ffn, vocab, batch, seq, dtype, exact = MODELS[name]
    torch.backends.cuda.matmul.allow_tf32 = False
    config = LlamaConfig(
        vocab_size=vocab, hidden_size=hidden, intermediate_size=ffn, num_hidden_layers=layers,
        num_attention_heads=heads, num_key_value_heads=kv, max_position_embeddings=2048,
        rms_norm_eps=1e-5, tie_word_embeddings=False)
    kind = torch.bfloat16 if dtype == "bf16" else torch.float32
    with torch.device("cuda"):
        model = LlamaForCausalLM(config).eval()
    randomise(model, 7)
    model.to(kind).save_pretrained(folder)
    del model
    tokens = torch.randint(0, vocab, (batch, seq), device="cuda")
    ids = pathlib.Path(folder, "tokens.json")
    ids.write_text(json.dumps(tokens.tolist()))
    reference = logits(folder, exact, tokens)
    plain = relative(logits(folder, kind, tokens), reference)
    torch.cuda.empty_cache()
    good = True
    for version in VERSIONS:
        out = pathlib.Path(folder, f"{version}.npy")
        plan = ["--fuse", "forward"] if version == "forward" else ["--version", version]
        ran = subprocess.run(
            [binary, "run", "--backend", backend, "--weights", str(folder), "--tokens", str(ids),
             "--dtype", dtype, *plan, "--logits", str(out), "--runs", "0", "--no-check", "--json"],
            capture_output=True, text=True)
        if ran.returncode != 0:
            print(f"{name:26} {version:8} exit {ran.returncode}: {ran.stderr.strip()[-300:]}")
            good = False
            continue
        error = relative(np.load(out).astype(np.float64), reference)
        right = error <= 2 * plain
        good &= right
        print(f"{name:26} {version:8} relative error {error:.2e}, transformers in {dtype} "
              f"{plain:.2e}: {'agrees' if right else 'DISAGREES'}", flush=True)
    return good


def main():
    options = argparse.ArgumentParser()
    options.add_argument("binary")
    options.add_argument("--backend", default="cuda")
    args = options.parse_args()
    good = True
    for name in MODELS:
        with tempfile.TemporaryDirectory() as folder:
            good &= compare(args.binary, args.backend, name, folder)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
