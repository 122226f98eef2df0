"""What is measured: a preset, a shape, and the goal for each."""

import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Work:
    """One forward. `goal` and `reach` are ratios to the best peer's time; 0: none."""

    title: str
    preset: str
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    ffn: int
    vocab: int
    batch: int
    seq: int
    context: int
    goal: float
    reach: float

    @property
    def past(self):
        return self.context - self.seq

    def options(self):
        """As the program takes it."""
        shape = {"model": self.preset or self.file(), "batch": self.batch, "seq": self.seq, "context": self.context}
        return [word for key, value in shape.items() for word in (f"--{key}", str(value))]

    def flops(self):
        """Of its products, about: two for each element of a weight and each token, and the
        scores of all pairs."""
        kv = self.hidden // self.heads * self.kv_heads
        layer = self.hidden * (2 * self.hidden + 2 * kv + 3 * self.ffn)
        weights = self.layers * layer + self.hidden * self.vocab
        pairs = 2 * self.layers * self.hidden * self.context
        return 2 * self.batch * self.seq * (weights + pairs)

    def file(self):
        """The model as a file for the program."""
        text = "".join(
            f"{key} = {getattr(self, key)}\n"
            for key in ("hidden", "layers", "heads", "kv_heads", "ffn", "vocab")
        )
        path = Path(tempfile.gettempdir()) / f"work-{self.hidden}-{self.layers}-{self.kv_heads}-{self.ffn}-{self.vocab}.toml"
        path.write_text(text + "tied = false\n")
        return str(path)


WORKS = {
    "workshop": Work(
        "workshop B8 S128", "workshop", 256, 4, 8, 4, 512, 1000, 8, 128, 128, 0.35, 0.25
    ),
    "small": Work("small B8 S128", "small", 512, 8, 8, 4, 2048, 1000, 8, 128, 128, 0.5, 0.38),
    "medium": Work(
        "medium B16 S512", "medium", 1024, 12, 16, 8, 4096, 1000, 16, 512, 512, 0.85, 0.72
    ),
    "prefill": Work(
        "prefill, TinyLlama-1.1B, B1 S512",
        "tinyllama-1.1b", 2048, 22, 32, 4, 5632, 32000, 1, 512, 512, 0.68, 0.58,
    ),
    "decode": Work(
        "decode, TinyLlama-1.1B, B1, context 512",
        "tinyllama-1.1b", 2048, 22, 32, 4, 5632, 32000, 1, 1, 512, 0.30, 0.26,
    ),
    "prefill128": Work(
        "prefill, TinyLlama-1.1B, B1 S128",
        "tinyllama-1.1b", 2048, 22, 32, 4, 5632, 32000, 1, 128, 128, 0.45, 0.38,
    ),
    "d768": Work("D768 L6 H12 K4 I2048 V8000, B4 S256", "", 768, 6, 12, 4, 2048, 8000, 4, 256, 256, 0.5, 0.45),
    "decode8": Work(
        "decode, TinyLlama-1.1B, B8, context 512",
        "tinyllama-1.1b", 2048, 22, 32, 4, 5632, 32000, 8, 1, 512, 0.32, 0.26,
    ),
    "decode32": Work(
        "decode, TinyLlama-1.1B, B32, context 512",
        "tinyllama-1.1b", 2048, 22, 32, 4, 5632, 32000, 32, 1, 512, 0.25, 0.20,
    ),
}


def untuned(title, hidden, layers, heads, kv_heads, ffn, vocab, batch, seq, context):
    return Work(title, "", hidden, layers, heads, kv_heads, ffn, vocab, batch, seq, context, 0, 0)


# Shapes for which nothing was tuned, ragged ones among them.
UNTUNED = {
    "ragged": untuned("D640 L5 H10 K5 I1728 V3000, B5 S77", 640, 5, 10, 5, 1728, 3000, 5, 77, 77),
    "pair": untuned("D1024 L4 H16 K8 I2816 V4000, B2 S192", 1024, 4, 16, 8, 2816, 4000, 2, 192, 192),
    "odd": untuned("TinyLlama-1.1B, B1 S200", 2048, 22, 32, 4, 5632, 32000, 1, 200, 200),
    "three": untuned("D1024 L12 H16 K8 I4096 V1000, B3 S300", 1024, 12, 16, 8, 4096, 1000, 3, 300, 300),
    "wide": untuned("D512 L6 H4 K2 I1376 V5000, B4 S100, heads of 128", 512, 6, 4, 2, 1376, 5000, 4, 100, 100),
    "tokens": untuned("D512 L8 H8 K4 I2048 V1000, B13 S1, context 333", 512, 8, 8, 4, 2048, 1000, 13, 1, 333),
    "one": untuned("D256 L4 H8 K4 I512 V1000, B1 S128", 256, 4, 8, 4, 512, 1000, 1, 128, 128),
    "long": untuned("D768 L6 H12 K4 I2048 V8000, B1 S1000", 768, 6, 12, 4, 2048, 8000, 1, 1000, 1000),
}


def step(title, vocab, layers, kv_heads, ffn, context, goal=0, reach=0):
    """A decode step of one sequence."""
    title = f"decode, {title}, B1, context {context}"
    return Work(title, "", 2048, layers, 32, kv_heads, ffn, vocab, 1, 1, context, goal, reach)


def llama(context, goal=0, reach=0):
    return step("Llama-3.2-1B's shape", 128256, 16, 8, 8192, context, goal, reach)


def tinyllama(context):
    return step("TinyLlama-1.1B", 32000, 22, 4, 5632, context)


WORKS |= UNTUNED
WORKS |= {
    "llama1b": llama(96, 0.42, 0.40),
    "llama1b512": llama(512),
    "llama1b2048": llama(2048),
    "decode96": tinyllama(96),
    "decode2048": tinyllama(2048),
}
# For trying the drivers without a GPU.
WORKS |= {
    "tiny": untuned("D64 L2 H2 K1 I96 V50, B2 S5", 64, 2, 2, 1, 96, 50, 2, 5, 5),
    "tinystep": untuned("D64 L2 H2 K1 I96 V50, B2 S1, context 7", 64, 2, 2, 1, 96, 50, 2, 1, 7),
}

# What the table shows, the most important first: a budget cuts the end off.
TUNED = ["workshop", "small", "prefill", "prefill128", "d768", "decode", "decode8", "medium", "decode32"]
FOR_LIBRARY = ["workshop", "small", "medium", "prefill", "prefill128", "d768"]
STEPS = ["llama1b", "decode96", "decode2048", "llama1b512", "llama1b2048"]
RAGGED = ["ragged", "pair", "odd", "three", "wide", "tokens"]
TABLE = {
    "bf16": [*TUNED, *STEPS, *RAGGED, "one", "long"],
    "fp32": ["workshop", "small", "d768", "ragged", "pair", "wide", "tokens", "one", "decode", "prefill128",
             "decode8", "three", "odd", "prefill", "medium", "long", "decode32", *STEPS],
}
