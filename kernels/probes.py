"""Measurements of a stack at initialisation, layer by layer, each returned as a `Curve`.

Every probe calls `progress(done, total)` as it goes; what `progress` raises stops the probe and reaches the caller.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from kernels.curve import Curve
from kernels.stack import Stack

Progress = Callable[[int, int], None]

BATCH, TOKENS, CLASSES = 8, 16, 256


def random_batch(stack: Stack, *, seed: int = 0) -> Tensor:
    """Standard normal hidden states, (8, 16, d_model), in the stack's dtype and on its device."""
    x = torch.randn(BATCH, TOKENS, stack.d_model, generator=torch.Generator().manual_seed(seed))
    return x.to(next(stack.parameters()))


def hidden_variance(
    stack: Stack, batch: Tensor | None = None, *, seed: int = 0, progress: Progress | None = None
) -> Curve:
    """The variance of the hidden state before the first block (layer 0) and after each block.

    `batch` is (B, T, d_model), by default `random_batch(stack, seed=seed)`. Xiong et al. 2020 (arXiv 2002.04745),
    Lemma 2: level under Post-Norm, growing linearly with depth under Pre-Norm.
    """
    with torch.no_grad():
        variances = [h.double().var(unbiased=False).item() for h in _hidden_states(stack, batch, seed, progress)]
    return _by_layer(stack, variances, "variance of the hidden state")


def hidden_rms(stack: Stack, batch: Tensor | None = None, *, seed: int = 0, progress: Progress | None = None) -> Curve:
    """The root mean square of the hidden state before the first block and after each, sqrt(variance + mean^2)."""
    with torch.no_grad():
        values = [h.double().square().mean().sqrt().item() for h in _hidden_states(stack, batch, seed, progress)]
    return _by_layer(stack, values, "RMS of the hidden state")


def hidden_mean(stack: Stack, batch: Tensor | None = None, *, seed: int = 0, progress: Progress | None = None) -> Curve:
    """How far a token's mean over its features is from 0, as a share of the RMS: what LayerNorm removes, RMSNorm not.

    Root mean square over all tokens, before the first block and after each; about 1/sqrt(d_model) at initialisation.
    """
    with torch.no_grad():
        values = [
            (h.double().mean(-1).square().mean() / h.double().square().mean()).sqrt().item()
            for h in _hidden_states(stack, batch, seed, progress)
        ]
    return _by_layer(stack, values, "mean of a token / RMS")


def gradient_norms(
    stack: Stack,
    batch: Tensor | None = None,
    *,
    of: Literal["activations", "weights"] = "activations",
    seed: int = 0,
    progress: Progress | None = None,
) -> Curve:
    """The norm of the loss gradient at each layer: of the hidden states, or of the FFN's second weight matrix.

    The loss is the cross entropy of a fixed random linear head on random targets, both drawn from `seed`, averaged
    over all tokens. `of="activations"` has layers 0 (the input) to depth, `of="weights"` 1 to depth. Xiong et al. 2020
    (arXiv 2002.04745), Theorem 1: the last layer's weight gradient falls like 1/sqrt(depth) under Pre-Norm with its
    final norm (`final_norm=True`, the default there); under Post-Norm it does not fall.
    """
    if of not in ("activations", "weights"):
        raise ValueError(f"of must be 'activations' or 'weights', not {of!r}")
    activations, weights = both_gradient_norms(stack, batch, seed=seed, progress=progress)
    return activations if of == "activations" else weights


def both_gradient_norms(
    stack: Stack, batch: Tensor | None = None, *, seed: int = 0, progress: Progress | None = None
) -> tuple[Curve, Curve]:
    """`gradient_norms` of the activations and of the weights, from one backward pass."""
    gradients = _gradients(stack, batch, seed, progress)
    norms = [gradient.double().norm().item() for gradient in gradients]
    activations, weights = norms[: stack.depth + 1], norms[stack.depth + 1 :]
    return (
        _by_layer(stack, activations, "gradient norm of the hidden state"),
        _by_layer(stack, weights, "gradient norm of W2"),
    )


def last_layer_gradient(
    stack: Stack, batch: Tensor | None = None, *, seed: int = 0, progress: Progress | None = None
) -> float:
    """The last value of `gradient_norms(stack, of="weights")`, by a backward pass through the last block alone."""
    with torch.no_grad():
        *_before, state = _hidden_states(stack, batch, seed, progress, blocks=stack.depth - 1)
    with torch.enable_grad():
        last = stack.blocks[-1]
        loss = random_loss(stack, last(state), seed=seed)
        (gradient,) = torch.autograd.grad(loss, last.get_parameter("ffn.w2.weight"))
    if progress is not None:
        progress(stack.depth, stack.depth)
    return gradient.double().norm().item()


def jacobian_singular_values(
    stack: Stack,
    batch: Tensor | None = None,
    *,
    first: int = 1,
    last: int | None = None,
    token: int = -1,
    seed: int = 0,
    progress: Progress | None = None,
) -> Curve:
    """The singular values, largest first, of the Jacobian of blocks `first` to `last` at one token of one sequence.

    The Jacobian is (d_model, d_model): the output at `token` by the input at the same token. Blocks are counted from 1,
    and by default only block `first` is taken. Its largest singular value bounds how much a gradient can grow there.
    Raises ValueError for blocks that the stack has not.
    """
    last = first if last is None else last
    if not 1 <= first <= last <= stack.depth:
        raise ValueError(f"blocks {first} to {last} are not within 1 to {stack.depth}")
    state = (random_batch(stack, seed=seed) if batch is None else batch.detach())[:1]
    with torch.no_grad():
        for block in stack.blocks[: first - 1]:
            state = block(state)
    with torch.enable_grad():
        d = stack.d_model
        x = state.repeat(d, 1, 1).requires_grad_()  # (d, T, d)   one copy for each row of the Jacobian
        y = x
        for done, block in enumerate(stack.blocks[first - 1 : last], 1):
            y = block(y)
            if progress is not None:
                progress(done, last - first + 2)
        rows = torch.arange(d, device=x.device)
        (gradient,) = torch.autograd.grad(y[rows, token, rows].sum(), x)  # copies do not mix: row i is dy_i/dx
    values = torch.linalg.svdvals(gradient[:, token].double()).tolist()
    if progress is not None:
        progress(last - first + 2, last - first + 2)
    name = f"{stack.arch} {first}" if first == last else f"{stack.arch} {first}-{last}"
    return Curve(name, tuple(range(1, d + 1)), tuple(values), arch=stack.arch, x_label="rank", y_label="singular value")


def update_ratio(
    stack: Stack,
    batch: Tensor | None = None,
    *,
    lr: float = 1e-3,
    optimizer: Literal["sgd", "adam"] = "adam",
    seed: int = 0,
    progress: Progress | None = None,
) -> Curve:
    """|update| / |weight| of the FFN's second matrix at each layer, for the first step of training.

    About 1e-3 is a common rule of thumb for training that moves without jumping. The loss is that of `gradient_norms`;
    the stack itself is left as it was.
    """
    if optimizer not in ("sgd", "adam"):
        raise ValueError(f"optimizer must be 'sgd' or 'adam', not {optimizer!r}")
    trained = copy.deepcopy(stack)
    weights = [block.get_parameter("ffn.w2.weight") for block in trained.blocks]
    step = (torch.optim.SGD if optimizer == "sgd" else torch.optim.Adam)(weights, lr=lr)
    gradients = _gradients(trained, batch, seed, progress)[trained.depth + 1 :]
    for weight, gradient in zip(weights, gradients, strict=True):
        weight.grad = gradient
    before = [weight.detach().clone() for weight in weights]
    step.step()
    ratios = [
        ((weight - old).double().norm() / old.double().norm()).item()
        for weight, old in zip(weights, before, strict=True)
    ]
    return _by_layer(stack, ratios, f"update / weight of W2, first step of {optimizer}")


def random_loss(stack: Stack, hidden: Tensor, *, seed: int = 0) -> Tensor:
    """Cross entropy of a random linear head (Xavier, 256 classes) on the last hidden state, targets drawn as well."""
    generator = torch.Generator().manual_seed(seed + 1)
    head = torch.empty(CLASSES, stack.d_model)
    torch.nn.init.xavier_uniform_(head, generator=generator)
    targets = torch.randint(CLASSES, hidden.shape[:-1], generator=generator).to(hidden.device)  # (B, T)
    logits = stack.final_norm(hidden) @ head.to(hidden).T  # (B, T, 256)
    return F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())


def _gradients(stack: Stack, batch: Tensor | None, seed: int, progress: Progress | None) -> Sequence[Tensor]:
    """The gradients of `random_loss` by the hidden states, input first, and then by each block's W2."""
    report = progress or (lambda _done, _total: None)
    with torch.enable_grad():
        hidden = list(_hidden_states(stack, batch, seed, lambda done, total: report(done, 2 * total)))
        loss = random_loss(stack, hidden[-1], seed=seed)
        total = 2 * stack.depth
        for layer, h in enumerate(hidden[1:-1], 1):  # the gradient arrives from the last layer to the first
            h.register_hook(lambda _, done=total - layer: report(done, total))
        w2 = [block.get_parameter("ffn.w2.weight") for block in stack.blocks]
        gradients = torch.autograd.grad(loss, [*hidden, *w2])
    report(total, total)
    return gradients


def _hidden_states(
    stack: Stack, batch: Tensor | None, seed: int, progress: Progress | None, *, blocks: int | None = None
) -> Iterator[Tensor]:
    """The input, then the output of each block, or of the first `blocks`; the input is a copy to differentiate by."""
    x = random_batch(stack, seed=seed) if batch is None else batch.detach().clone()
    if torch.is_grad_enabled():
        x.requires_grad_()
    yield x
    for done, block in enumerate(stack.blocks[:blocks], 1):
        x = block(x)
        if progress is not None:
            progress(done, stack.depth)
        yield x


def _by_layer(stack: Stack, values: list[float], what: str) -> Curve:
    layers = range(stack.depth + 1 - len(values), stack.depth + 1)  # one value a block, or one more for the input
    return Curve(stack.arch, tuple(layers), tuple(values), arch=stack.arch, x_label="layer", y_label=what)
