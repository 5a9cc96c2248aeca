"""Measurements of a stack at initialisation, layer by layer, each returned as a `Curve`.

Every probe calls `progress(done, total)` as it goes; what `progress` raises stops the probe and reaches the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
    (arXiv 2002.04745), Theorem 1: the last layer's weight gradient falls like 1/sqrt(depth) under Pre-Norm only.
    """
    if of not in ("activations", "weights"):
        raise ValueError(f"of must be 'activations' or 'weights', not {of!r}")
    report = progress or (lambda _done, _total: None)
    with torch.enable_grad():
        hidden = list(_hidden_states(stack, batch, seed, lambda done, total: report(done, 2 * total)))
        loss = random_loss(stack, hidden[-1], seed=seed)
        for layer, h in enumerate(hidden[:-1]):  # the gradient arrives from the last layer to the first
            h.register_hook(lambda _, done=2 * stack.depth - layer: report(done, 2 * stack.depth))
        inputs: list[Tensor] = (
            hidden if of == "activations" else [block.get_parameter("ffn.w2.weight") for block in stack.blocks]
        )
        gradients = torch.autograd.grad(loss, inputs)
    norms = [gradient.double().norm().item() for gradient in gradients]
    return _by_layer(stack, norms, f"gradient norm of {'the hidden state' if of == 'activations' else 'W2'}")


def random_loss(stack: Stack, hidden: Tensor, *, seed: int = 0) -> Tensor:
    """Cross entropy of a random linear head (Xavier, 256 classes) on the last hidden state, targets drawn as well."""
    generator = torch.Generator().manual_seed(seed + 1)
    head = torch.empty(CLASSES, stack.d_model)
    torch.nn.init.xavier_uniform_(head, generator=generator)
    targets = torch.randint(CLASSES, hidden.shape[:-1], generator=generator).to(hidden.device)  # (B, T)
    logits = stack.final_norm(hidden) @ head.to(hidden).T  # (B, T, 256)
    return F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())


def _hidden_states(stack: Stack, batch: Tensor | None, seed: int, progress: Progress | None) -> Iterator[Tensor]:
    """The input, then the output of each block; the input is a copy that a gradient can be taken of."""
    x = random_batch(stack, seed=seed) if batch is None else batch.detach().clone()
    if torch.is_grad_enabled():
        x.requires_grad_()
    yield x
    for done, block in enumerate(stack.blocks, 1):
        x = block(x)
        if progress is not None:
            progress(done, stack.depth)
        yield x


def _by_layer(stack: Stack, values: list[float], what: str) -> Curve:
    layers = range(stack.depth + 1 - len(values), stack.depth + 1)  # one value a block, or one more for the input
    return Curve(stack.arch, tuple(layers), tuple(values), arch=stack.arch, x_label="layer", y_label=what)
