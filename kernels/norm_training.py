"""Which half of a norm keeps a deep network training: one small residual network, trained with any of them."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from kernels.curve import Curve
from kernels.sublayers import FeedForward
from kernels.threads import one_thread

Progress = Callable[[int, int], None]

TOKENS, BATCH = 32, 64


def loss_with_norm(
    norm: Callable[[Tensor], Tensor],
    *,
    depth: int = 32,
    d_model: int = 64,
    steps: int = 20,
    lr: float = 8e-3,
    seed: int = 0,
    label: str = "",
    progress: Progress | None = None,
) -> Curve:
    """The loss, step by step, of `depth` sublayers x + FFN(norm(x)) and `norm` once more before the head.

    `norm` maps (B, d_model) to the same shape. The task: of 32 tokens, token t must give 31 - t, so a network that has
    learned nothing stands at ln 32 = 3.47. Xavier initialisation and Adam, all drawn from `seed`, on one core of the
    CPU; PyTorch's own random state is left as it was. `progress(done, total)` is called after each step, and what it
    raises stops the training. Raises ValueError for a depth or a number of steps below 1.
    """
    if depth < 1 or steps < 1:
        raise ValueError(f"depth={depth}, steps={steps}: both must be at least 1")
    losses = []
    with one_thread(), torch.random.fork_rng(devices=[]), torch.enable_grad():
        torch.default_generator.manual_seed(seed)
        embedding, head = nn.Embedding(TOKENS, d_model), nn.Linear(d_model, TOKENS)
        branches = nn.ModuleList(FeedForward(d_model, d_model) for _ in range(depth)).apply(_xavier)
        net = nn.ModuleList([embedding, branches, head])
        adam = torch.optim.Adam(net.parameters(), lr=lr, fused=True)
        for step in range(1, steps + 1):
            tokens = torch.randint(TOKENS, (BATCH,))
            x = embedding(tokens)  # (B, d)
            for branch in branches:
                x = x + branch(norm(x))
            loss = F.cross_entropy(head(norm(x)), TOKENS - 1 - tokens)
            adam.zero_grad()
            loss.backward()
            adam.step()
            losses.append(loss.item())
            if progress is not None:
                progress(step, steps)
    return Curve(label, tuple(range(1, steps + 1)), tuple(losses), x_label="step", y_label="loss")


def _xavier(module: nn.Module) -> None:
    if isinstance(module, nn.Linear):
        nn.init.xavier_uniform_(module.weight)
        nn.init.zeros_(module.bias)
