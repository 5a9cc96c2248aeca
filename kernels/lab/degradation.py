"""Plain and residual nets of growing depth on the same small data: what depth alone does to the training error.

He et al. 2015 (arXiv 1512.03385) found that a deeper plain net has the higher *training* error, and that the residual
one has not. Here the data are two spirals in the plane, 512 points, which a shallow net can tell apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from kernels.curve import Curve
from kernels.device import default_device
from kernels.lab.monitor import Monitor, Work
from kernels.lab.readings_training import read_degradation
from kernels.lab.seeds import over_seeds
from kernels.lab.spec import Measured
from kernels.threads import one_thread

POINTS, BATCH = 512, 128
TURNS = 1.5
NORMS: dict[str, Callable[[int], nn.Module]] = {
    "none": lambda _width: nn.Identity(),
    "batch": nn.BatchNorm1d,
    "layer": nn.LayerNorm,
}


class Net(nn.Module):
    """`depth` layers relu(norm(W x)) in pairs; a residual net adds a pair's input before its last ReLU, as He et al."""

    def __init__(self, depth: int, width: int, *, residual: bool, norm: str) -> None:
        super().__init__()
        self.first = nn.Linear(2, width)
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.norms = nn.ModuleList(NORMS[norm](width) for _ in range(depth))
        self.last = nn.Linear(width, 2)
        self.residual = residual
        for linear in (self.first, *self.layers):
            nn.init.kaiming_normal_(linear.get_parameter("weight"), nonlinearity="relu")
            nn.init.zeros_(linear.get_parameter("bias"))

    def forward(self, x: Tensor) -> Tensor:  # (N, 2) -> (N, 2)
        x = F.relu(self.first(x))
        for i in range(0, len(self.layers), 2):
            h = F.relu(self.norms[i](self.layers[i](x)))
            h = self.norms[i + 1](self.layers[i + 1](h))
            x = F.relu(x + h) if self.residual else F.relu(h)
        return self.last(x)


def degradation(
    monitor: Monitor,
    *,
    net: tuple[str, ...],
    depths: tuple[int, ...],
    width: int,
    norm: str,
    steps: int,
    lr: float,
    seeds: int,
    seed: int,
) -> Measured:
    """The share of training points on the wrong side, and the loss on them, after training, by depth."""
    depths = tuple(sorted(depths))
    work = Work(monitor, len(net) * seeds * steps * sum(depths))
    errors: list[Curve] = []
    losses: list[Curve] = []
    with one_thread():
        for kind in net:
            rows: tuple[list[list[float]], list[list[float]]] = [], []
            for each in range(seed, seed + seeds):
                ends = []
                for depth in depths:
                    ends.append(_train(kind, depth, width, norm, steps, lr, each, work))
                    if each == seed:
                        shown = _curve(kind, depths[: len(ends)], [[error for error, _loss in ends]], "training error")
                        monitor.curves([*errors, shown])
                rows[0].append([error for error, _loss in ends])
                rows[1].append([loss for _error, loss in ends])
            errors.append(_curve(kind, depths, rows[0], "training error"))
            losses.append(_curve(kind, depths, rows[1], "training loss, nats"))
    reading = read_degradation(errors)
    return {"error": (tuple(errors), reading), "loss": (tuple(losses), reading)}


def spirals(seed: int) -> tuple[Tensor, Tensor]:
    """Points of two interleaved spirals, (512, 2), and which of the two each is on, (512,)."""
    generator = torch.Generator().manual_seed(seed)
    angle = torch.rand(POINTS, generator=generator).sqrt() * 2 * math.pi * TURNS + 0.3
    side = torch.randint(2, (POINTS,), generator=generator)
    turned = angle + math.pi * side
    points = torch.stack([angle * turned.cos(), angle * turned.sin()], 1) / 6  # (512, 2)   about 1 in size
    return points + 0.02 * torch.randn(POINTS, 2, generator=generator), side


def _train(
    kind: str, depth: int, width: int, norm: str, steps: int, lr: float, seed: int, work: Work
) -> tuple[float, float]:
    """The training error and loss of one net after `steps` steps of Adam on batches of 128. NaN where it diverged."""
    device = default_device()
    points, side = (tensor.to(device) for tensor in spirals(seed))
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        model = Net(depth, width, residual=kind == "residual", norm=norm).to(device)
    adam = torch.optim.Adam(model.parameters(), lr=lr, fused=True)
    generator = torch.Generator().manual_seed(seed)
    for _ in range(steps):
        batch = torch.randint(POINTS, (BATCH,), generator=generator).to(device)
        loss = F.cross_entropy(model(points[batch]), side[batch])
        adam.zero_grad()
        loss.backward()
        adam.step()
        work.step(depth)
    with torch.no_grad():  # in training mode: the error on the training points, each batch with its own statistics
        scores = model(points)
        loss = F.cross_entropy(scores, side)
        if not torch.isfinite(loss):
            return math.nan, math.nan
        return (scores.argmax(1) != side).double().mean().item(), loss.item()


def _curve(kind: str, depths: tuple[int, ...], rows: list[list[float]], y_label: str) -> Curve:
    return over_seeds(kind, depths, rows, x_label="layers", y_label=y_label)
