"""What is measured: a preset, a shape, and the goal for each."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Work:
    """One forward. `goal` and `reach` are ratios to the best peer's time."""

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
        shape = {"model": self.preset, "batch": self.batch, "seq": self.seq, "context": self.context}
        return [word for key, value in shape.items() for word in (f"--{key}", str(value))]


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
}
