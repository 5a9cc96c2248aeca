"""A character-level language model small enough to train on a CPU while somebody watches, and the text it reads.

The text is `vietnamese.txt`: Vietnamese sentences of this project's own lessons and messages as they once stood, kept
unchanged so that what is measured on it can be measured again.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from kernels.stack import Stack

TEXT = Path(__file__).with_name("vietnamese.txt")
BETAS = (0.9, 0.98)


@dataclass(frozen=True)
class Corpus:
    """The text as numbers of characters, int64 (N,), how many different ones there are, and the entropy in nats.

    `entropy` is that of the characters' frequencies: the loss of a model that has learned nothing else.
    """

    text: Tensor
    characters: int
    entropy: float

    @classmethod
    def read(cls, path: Path = TEXT) -> Corpus:
        """The text of a file."""
        source = path.read_text(encoding="utf-8")
        alphabet = {character: number for number, character in enumerate(sorted(set(source)))}
        counts = Counter(source).values()
        entropy = -sum(n / len(source) * math.log(n / len(source)) for n in counts)
        return cls(torch.tensor([alphabet[character] for character in source]), len(alphabet), entropy)


class LanguageModel(nn.Module):
    """Embeddings of character and position, a causal stack, a linear head."""

    def __init__(self, stack: Stack, characters: int, tokens: int) -> None:
        """All weights beside the stack's are drawn from the stack's seed, on the CPU."""
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(stack.seed)
            self.character = nn.Embedding(characters, stack.d_model)
            self.position = nn.Embedding(tokens, stack.d_model)
            self.head = nn.Linear(stack.d_model, characters)
        self.stack = stack
        self.to(next(stack.parameters()).device)

    def forward(self, text: Tensor) -> Tensor:  # (B, T) -> (B, T, characters)
        return self.head(self.stack(self.character(text) + self.position.weight))


class Step(NamedTuple):
    """One step of training: the cross entropy of the next character in nats, and the norm of all its gradients."""

    loss: float
    gradient: float


def train(
    model: LanguageModel,
    corpus: Corpus,
    *,
    lr: float,
    warmup: int,
    steps: int,
    batch: int,
    seed: int,
    fused: bool = True,
) -> Iterator[Step]:
    """Adam, the rate rising linearly to `lr` over `warmup` steps and staying there; windows of the text from `seed`.

    `fused` takes the quicker of PyTorch's two implementations of Adam, which rounds differently.
    """
    device = model.head.weight.device
    tokens = model.position.num_embeddings
    adam = torch.optim.Adam(model.parameters(), betas=BETAS, fused=fused)
    generator = torch.Generator().manual_seed(seed)
    for step in range(1, steps + 1):
        adam.param_groups[0]["lr"] = lr * min(1.0, step / (warmup or 1))
        starts = torch.randint(len(corpus.text) - tokens - 1, (batch, 1), generator=generator)
        window = corpus.text[starts + torch.arange(tokens + 1)].to(device)  # (B, T + 1)
        loss = F.cross_entropy(model(window[:, :-1]).flatten(0, 1), window[:, 1:].flatten())
        adam.zero_grad()
        loss.backward()
        gradients = [each.grad for each in model.parameters() if each.grad is not None]
        norm = torch.stack(torch._foreach_norm(gradients)).norm()
        adam.step()
        yield Step(loss.item(), norm.item())
