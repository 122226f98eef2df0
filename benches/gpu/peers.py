#!/usr/bin/env python3
"""Hugging Face's Llama on one CUDA GPU: what a user would run instead.

For each work: eager, sdpa, sdpa with torch.compile (default and reduce-overhead,
which replays CUDA graphs). The outputs of each are compared with eager's in fp64
first; then the median of 30 forwards by device events, and the launches of one
forward by the CUDA profiler. The measured ceilings of the card come first. Each row is a
line of JSON, on standard output and, with --out, added to a file as soon as it is there;
rows that stand in the file are not made again. No row begins after --budget seconds
(compiling takes one to three minutes).

    python3 peers.py [--dtype bf16|fp32] [--only reduce-overhead] [--budget S] [--out FILE] [WORK...]
"""

import argparse
import json
import sys
import time
import warnings
from pathlib import Path

import torch
from transformers import LlamaConfig, LlamaForCausalLM, StaticCache

from works import WORKS

warnings.filterwarnings("ignore")

RUNS, WARM_UP = 30, 8
# What a forward may be off from fp64, as root mean square over that of fp64.
ALLOWED = {"bf16": 0.1, "fp32": 1e-4}
# The first layers are enough to see that a variant computes the same function.
CHECKED_LAYERS = 2


def median_us(run):
    for _ in range(WARM_UP):
        run()
    times = []
    for _ in range(RUNS):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        run()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e3)
    return sorted(times)[RUNS // 2]


def launches(run):
    from torch.profiler import ProfilerActivity, profile

    run()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        run()
        torch.cuda.synchronize()
    on_device = torch.autograd.DeviceType.CUDA
    names = [e.name for e in seen.events() if e.device_type == on_device]
    return sum(not name.startswith(("Memcpy", "Memset")) for name in names)


def network(work, attention, dtype, layers=None):
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=work.vocab,
        hidden_size=work.hidden,
        intermediate_size=work.ffn,
        num_hidden_layers=layers or work.layers,
        num_attention_heads=work.heads,
        num_key_value_heads=work.kv_heads,
        max_position_embeddings=2048,
        attn_implementation=attention,
    )
    return LlamaForCausalLM(config).to("cuda", dtype).eval()


def forward(work, net, call):
    """A forward of the work, as a function of nothing."""
    generator = torch.Generator("cuda").manual_seed(1)
    ids = torch.randint(
        0, work.vocab, (work.batch, work.context), device="cuda", generator=generator
    )
    if not work.past:
        return lambda: call(ids, use_cache=False).logits
    # The library moves on by one position with each call, whatever it is told.
    cache = StaticCache(config=net.config, max_cache_len=work.context + 4 * (RUNS + WARM_UP))
    at = torch.arange(work.past, device="cuda")
    net(ids[:, : work.past], past_key_values=cache, use_cache=True, cache_position=at)
    new, place = ids[:, work.past :], torch.tensor([work.past], device="cuda")
    return lambda: call(
        new, past_key_values=cache, use_cache=True, cache_position=place
    ).logits


def compiled(net, mode):
    torch._dynamo.reset()
    return net if mode is None else torch.compile(net, mode=mode)


def error(work, attention, mode, dtype):
    """Off from fp64, in a model of fewer layers with the same weights."""
    layers = min(CHECKED_LAYERS, work.layers)
    exact = network(work, "eager", torch.float64, layers)
    net = network(work, attention, torch.float64, layers).to(dtype)
    got = forward(work, net, compiled(net, mode))().double()
    expected = forward(work, exact, exact)()
    return ((got - expected).square().mean() / expected.square().mean()).sqrt().item()


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("works", nargs="*", metavar="WORK", help="none: the ceilings alone")
    options.add_argument("--dtype", choices=["bf16", "fp32"], default="bf16")
    options.add_argument("--only", help="part of a variant's name: reduce-overhead, sdpa, …")
    options.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS")
    options.add_argument("--out", type=Path, metavar="FILE")
    given = options.parse_intermixed_args()
    unknown = [name for name in given.works if name not in WORKS]
    if unknown:
        options.error(f"there is no work {unknown[0]}; use {', '.join(WORKS)}")
    begun = time.monotonic()
    dtype = {"bf16": torch.bfloat16, "fp32": torch.float32}[given.dtype]
    torch.backends.cuda.matmul.allow_tf32 = False
    text = given.out.read_text() if given.out and given.out.exists() else ""
    there = [json.loads(line) for line in text.splitlines()]

    def keep(row):
        line = json.dumps(row)
        print(line, flush=True)
        if given.out:
            with given.out.open("a") as file:
                file.write(line + "\n")

    if not any(row.get("ceilings") == given.dtype for row in there):
        keep(ceilings(given.dtype, dtype))
    variants = [("eager", None), ("sdpa", None), ("sdpa", "default"), ("sdpa", "reduce-overhead")]
    for name in given.works:
        for attention, mode in variants:
            title = attention + (f" compile:{mode}" if mode else "")
            if given.only and given.only not in title:
                continue
            row = {"work": name, "dtype": given.dtype, "variant": title}
            if any(row.items() <= other.items() for other in there):
                continue
            if time.monotonic() - begun > given.budget:
                print(f"the budget is used up: {name}, {title} is not made", file=sys.stderr)
                return
            from_here = time.monotonic()
            row |= made(WORKS[name], attention, mode, dtype, given.dtype)
            keep(row | {"seconds": round(time.monotonic() - from_here, 1)})
            torch.cuda.empty_cache()


def made(work, attention, mode, dtype, name):
    """What one variant takes, or why it does not run here."""
    try:
        with torch.no_grad():
            off = error(work, attention, mode, dtype)
            if not off <= ALLOWED[name]:
                raise ValueError(f"off by {off:.2e} from fp64")
            net = network(work, attention, dtype)
            run = forward(work, net, compiled(net, mode))
            return {"error": off, "us": median_us(run), "launches": launches(run)}
    except Exception as problem:  # listed, not hidden
        return {"failed": f"{type(problem).__name__}: {problem}"[:200]}


def ceilings(name, dtype):
    """What this card copies and multiplies at most."""
    big = torch.empty(2**32, dtype=torch.uint8, device="cuda")
    other = torch.empty_like(big)
    copy = 2 * big.numel() / median_us(lambda: other.copy_(big)) / 1e3
    a = torch.randn(8192, 8192, device="cuda", dtype=dtype)
    product = 2 * 8192**3 / median_us(lambda: a @ a) / 1e6
    return {
        "ceilings": name,
        "device": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "copy_gbs": copy,
        "product_tflops": product,
    }


if __name__ == "__main__":
    main()
