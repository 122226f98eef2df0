#!/usr/bin/env python3
"""Runs the functions of kernels/torch on given tensors and says how far off they are.

    python3 tests/torch_lines.py FOLDER < cases.json

FOLDER holds the functions. The cases are one JSON object: `tensors` (name: shape and
values), `numbers` (name: value), `calls` (file, function, inputs, outputs). Written, as
JSON, is a list with an entry for each call: `error`, the largest difference from the
outputs given, as a part of their largest value, in float64 and in float32, or what went
wrong; and `ops`, how many of PyTorch's own operations ran that are no views of a tensor.
tests/gpu/torch.rs makes the cases and judges what is written.
"""

import importlib
import inspect
import json
import sys

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Ops(TorchDispatchMode):
    """Counts operations that make a tensor of their own."""

    count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        # PyTorch calls what gives a fresh tensor another shape unsafe, and no view.
        self.count += not func.is_view and func.__name__ != "_unsafe_view.default"
        return func(*args, **(kwargs or {}))


def numbers_of(function, given):
    """Those of the model's numbers that the function asks for, by name."""
    asked = inspect.signature(function).parameters.values()
    return {p.name: given[p.name] for p in asked if p.kind is p.KEYWORD_ONLY}


def run(call, given, dtype):
    torch.set_default_dtype(dtype)
    tensors = {
        name: torch.tensor(t["values"], dtype=torch.int64 if name == "ids" else dtype)
        for name, t in given["tensors"].items()
    }
    tensors = {name: t.reshape(given["tensors"][name]["shape"]) for name, t in tensors.items()}
    function = getattr(importlib.import_module(call["file"]), call["function"])
    with Ops() as ops:
        out = function(
            *(tensors[name] for name in call["inputs"]),
            **numbers_of(function, given["numbers"]),
        )
    out = out if isinstance(out, tuple) else (out,)
    if len(out) != len(call["outputs"]):
        raise ValueError(f"{len(out)} tensors came back, and {len(call['outputs'])} are named")
    error = 0.0
    for made, name in zip(out, call["outputs"]):
        right = torch.tensor(given["tensors"][name]["values"], dtype=torch.float64)
        right = right.reshape(given["tensors"][name]["shape"])
        if made.shape != right.shape:
            raise ValueError(f"{name} is {list(made.shape)}, not {list(right.shape)}")
        off = (made.double() - right).abs().max() / right.abs().max()
        # A NaN is larger than any difference.
        error = max(error, off.item() if off.isfinite() else float("1e300"))
    return error, ops.count


def main(folder):
    # What is run may be written again before the next call of this program.
    sys.dont_write_bytecode = True
    sys.path.insert(0, folder)
    given = json.load(sys.stdin)
    found = []
    for call in given["calls"]:
        try:
            (error, ops), (single, _) = (run(call, given, t) for t in (torch.float64, torch.float32))
            found.append({"error": [error, single], "ops": ops})
        except Exception as fault:
            found.append({"fault": f"{type(fault).__name__}: {fault}"})
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
