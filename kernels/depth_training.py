"""Training runs of a second or two that show what depth, or the residual, does to the training loss.

Both run on one core of the CPU, draw everything from `seed` and leave PyTorch's own random state as it was.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from kernels.curve import Curve
from kernels.threads import one_thread

Progress = Callable[[int, int], None]
MakeBlock = Callable[[], nn.Module]

POINTS, TURNS = 128, 1.43
TOKENS, SEQUENCES, LENGTH = 32, 8, 8


def two_spirals(seed: int = 0) -> tuple[Tensor, Tensor]:
    """128 points of two interleaved spirals in the unit circle, (128, 2), and which of the two each is on, (128,)."""
    angle = torch.rand(POINTS, generator=torch.Generator().manual_seed(seed)).sqrt() * 2 * torch.pi * TURNS
    side = torch.arange(POINTS) % 2
    turned = angle + side * torch.pi
    radius = angle / (2 * torch.pi * TURNS)
    return torch.stack([radius * turned.cos(), radius * turned.sin()], 1), side


def spiral_net(make_block: MakeBlock, depth: int, *, width: int = 32, seed: int = 0) -> nn.Sequential:
    """Linear(2, width), `depth` blocks from `make_block`, LayerNorm, Linear(width, 2).

    A block maps (N, width) to the same shape. Raises ValueError for a depth below 1.
    """
    if depth < 1:
        raise ValueError(f"depth must be at least 1, not {depth}")
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        blocks = [make_block() for _ in range(depth)]
        return nn.Sequential(nn.Linear(2, width), *blocks, nn.LayerNorm(width), nn.Linear(width, 2))


def spiral_loss(
    make_block: MakeBlock,
    depth: int,
    *,
    width: int = 32,
    steps: int = 100,
    lr: float = 1e-3,
    seed: int = 0,
    label: str = "",
    progress: Progress | None = None,
) -> Curve:
    """The training loss, step by step, of `spiral_net` told to tell two spirals apart: Adam, all points in each step.

    A net that has learned nothing stands at ln 2 = 0.69. `progress(done, total)` is called after each step, and what
    it raises stops the training. Raises ValueError for a depth or a number of steps below 1.
    """
    points, side = two_spirals(seed)
    net = spiral_net(make_block, depth, width=width, seed=seed)
    losses = _train(net, lambda: F.cross_entropy(net(points), side), steps, lr, progress)
    return _by_step(label or f"{depth} blocks", losses)


def spiral_gradients(make_block: MakeBlock, depth: int, *, width: int = 32, seed: int = 0) -> Curve:
    """The gradient norm of the loss at the input of each block (0 is the first) of an untrained `spiral_net`."""
    points, side = two_spirals(seed)
    net = spiral_net(make_block, depth, width=width, seed=seed)
    with one_thread(), torch.enable_grad():
        hidden = [net[0](points)]  # (128, width)
        for number in range(1, depth + 1):
            hidden.append(net[number](hidden[-1]))
        loss = F.cross_entropy(net[depth + 1 :](hidden[-1]), side)
        norms = [gradient.norm().item() for gradient in torch.autograd.grad(loss, hidden)]
    return Curve(
        f"{depth} blocks",
        tuple(range(depth + 1)),
        tuple(norms),
        x_label="block",
        y_label="gradient norm of the hidden state",
    )


def reversal_loss(
    body: nn.Module,
    d_model: int,
    *,
    steps: int = 40,
    lr: float = 1e-3,
    seed: int = 0,
    label: str = "",
    progress: Progress | None = None,
) -> Curve:
    """The loss, step by step, of an embedding, `body` and a linear head on an easy task: token t must give 31 - t.

    `body` maps (B, T, d_model) to the same shape, and is itself trained, by Adam, on new sequences in each step. A net
    that has learned nothing stands at ln 32 = 3.47. `progress` and the errors are those of `spiral_loss`.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        net = nn.Sequential(nn.Embedding(TOKENS, d_model), body.cpu(), nn.Linear(d_model, TOKENS))

    def loss() -> Tensor:
        tokens = torch.randint(TOKENS, (SEQUENCES, LENGTH), generator=generator)
        return F.cross_entropy(net(tokens).flatten(0, 1), TOKENS - 1 - tokens.flatten())

    return _by_step(label, _train(net, loss, steps, lr, progress))


def _train(
    net: nn.Module, loss_of_step: Callable[[], Tensor], steps: int, lr: float, progress: Progress | None
) -> list[float]:
    if steps < 1:
        raise ValueError(f"steps must be at least 1, not {steps}")
    losses = []
    adam = torch.optim.Adam(net.parameters(), lr=lr, fused=True)
    with one_thread(), torch.enable_grad():
        for step in range(1, steps + 1):
            loss = loss_of_step()
            adam.zero_grad()
            loss.backward()
            adam.step()
            losses.append(loss.item())
            if progress is not None:
                progress(step, steps)
    return losses


def _by_step(label: str, losses: list[float]) -> Curve:
    steps = tuple(range(1, len(losses) + 1))
    return Curve(label, steps, tuple(losses), x_label="step", y_label="training loss")
