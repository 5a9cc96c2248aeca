"""Warm-up against none: a character-level language model with each norm placement, as the lesson `placement` quotes it.

    python benchmarks/warm_up.py                    all rows, some minutes
    python benchmarks/warm_up.py --depth 12 --seeds 1

The text is `data/vietnamese.txt`: Vietnamese sentences of this project's own lessons and messages as they once stood,
kept so that the figures can be had again. The loss is the cross entropy of the next character in nats, the mean of the
last 20 steps; a model that only knows how often each character occurs stays at the unigram entropy, which is printed.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from kernels import Stack
from kernels.sublayers import SelfAttention

TEXT = Path(__file__).parent / "data" / "vietnamese.txt"
D_MODEL, TOKENS, BATCH = 64, 32, 16
LAST = 20
ROWS = ((12, 1e-3, 400), (6, 2e-3, 300))
"""(depth, peak learning rate, steps)."""
CASES = (("post", 0), ("post", 200), ("pre", 0), ("pre", 200), ("deepnorm", 0))
"""(placement, warm-up steps)."""


class LanguageModel(nn.Module):
    """Embeddings of character and position, a causal stack, a linear head."""

    def __init__(self, arch: str, depth: int, characters: int, seed: int) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.character = nn.Embedding(characters, D_MODEL)
        self.position = nn.Embedding(TOKENS, D_MODEL)
        self.stack = Stack(arch, depth, D_MODEL, seed=seed, device="cpu")
        for module in self.stack.modules():
            if isinstance(module, SelfAttention):
                module.causal = True
        self.head = nn.Linear(D_MODEL, characters)

    def forward(self, text: Tensor) -> Tensor:
        """The scores of the next character, (B, T) -> (B, T, characters)."""
        return self.head(self.stack(self.character(text) + self.position.weight))


def train(
    arch: str, warmup: int, depth: int, rate: float, steps: int, seed: int, text: Tensor, characters: int
) -> float:
    """The mean loss of the last steps. Adam, betas (0.9, 0.98), the rate rising linearly over `warmup` steps."""
    model = LanguageModel(arch, depth, characters, seed)
    adam = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    generator = torch.Generator().manual_seed(seed)
    losses = []
    for step in range(1, steps + 1):
        adam.param_groups[0]["lr"] = rate * min(1.0, step / (warmup or 1))
        starts = torch.randint(len(text) - TOKENS - 1, (BATCH,), generator=generator)
        window = torch.stack([text[start : start + TOKENS + 1] for start in starts.tolist()])  # (B, T + 1)
        loss = F.cross_entropy(model(window[:, :-1]).flatten(0, 1), window[:, 1:].flatten())
        adam.zero_grad()
        loss.backward()
        adam.step()
        losses.append(loss.item())
    return sum(losses[-LAST:]) / LAST


def main() -> None:
    """Print a line a case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--depth", type=int, choices=[depth for depth, _rate, _steps in ROWS])
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    source = TEXT.read_text(encoding="utf-8")
    alphabet = sorted(set(source))
    text = torch.tensor([alphabet.index(character) for character in source])
    counts = Counter(source).values()
    entropy = -sum(n / len(source) * math.log(n / len(source)) for n in counts)
    print(f"{len(source)} characters, {len(alphabet)} different, unigram entropy {entropy:.2f}")
    for depth, rate, steps in ROWS:
        if options.depth in (None, depth):
            for arch, warmup in CASES:
                losses = [
                    train(arch, warmup, depth, rate, steps, seed, text, len(alphabet)) for seed in range(options.seeds)
                ]
                shown = "  ".join(f"{loss:.2f}" for loss in losses)
                print(f"{depth:3} layers  lr {rate:g}  {arch:9} warm-up {warmup:4}  {shown}", flush=True)


if __name__ == "__main__":
    main()
