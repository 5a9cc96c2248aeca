"""How a case is written and judged; `norm_cases` has them all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from norm_bounds import Norm, errors_of, norm
from torch import Tensor

DTYPES = (torch.float32, torch.float16, torch.bfloat16)


class Ops(NamedTuple):
    layer_norm: Callable[..., Tensor]
    rms_norm: Callable[..., Tensor]
    fused_add_layer_norm: Callable[..., tuple[Tensor, Tensor]]
    fused_add_rms_norm: Callable[..., tuple[Tensor, Tensor]]


Case = Callable[..., list[str]]
CASES: dict[str, Case] = {}


def case(function: Callable[[Ops, torch.device], Iterator[list[str]]]) -> Case:
    def run(ops: Ops, device: torch.device, *, first: bool = False) -> list[str]:
        """Everything that is wrong, or with `first` what the first check that fails says."""
        torch.manual_seed(0)
        found: list[str] = []
        for errors in function(ops, device):
            found += errors
            if first and found:
                break
        return found

    CASES[function.__name__] = run
    return run


def expect(name: str, holds: bool) -> list[str]:
    return [] if holds else [name]


def same(name: str, left: Tensor, right: Tensor) -> list[str]:
    return expect(f"{name}: not the same bits", left.shape == right.shape and torch.equal(left, right))


def close(name: str, result: Tensor, expected: list[float], rtol: float) -> list[str]:
    wanted = torch.tensor(expected, dtype=torch.float64, device=result.device).expand(result.shape)
    return expect(
        f"{name}: {result.tolist()}, should be {expected}",
        torch.allclose(result.double(), wanted, rtol=rtol, atol=1e-30),
    )


def apply(ops: Ops, center: bool, x: Tensor, residual: Tensor | None, w: Tensor | None, b: Tensor | None, eps: float):
    """(y, h) of one of the four; h is x where there is no residual."""
    if residual is None:
        return (ops.layer_norm(x, w, b, eps) if center else ops.rms_norm(x, w, eps)), x
    if center:
        return ops.fused_add_layer_norm(x, residual, w, b, eps)
    return ops.fused_add_rms_norm(x, residual, w, eps)


def title(center: bool, fused: bool, *details: object) -> str:
    return " ".join(map(str, ("fused add" if fused else "", "LayerNorm" if center else "RMSNorm", *details))).strip()


FOUR = tuple((center, fused) for center in (True, False) for fused in (False, True))


def check(
    ops: Ops, center: bool, x: Tensor, residual: Tensor | None = None, w: Tensor | None = None,
    b: Tensor | None = None, eps: float = 1e-5, dy: Tensor | None = None, dh: Tensor | None = None, detail: str = "",
) -> list[str]:  # fmt: skip
    """One norm, and its gradients where `dy` (or `dh`, the gradient of h) is given, against the truth."""
    name = title(center, residual is not None, x.dtype, tuple(x.shape), detail)
    differentiate = dy is not None or dh is not None
    inputs = [t if t is None else t.detach().requires_grad_(differentiate) for t in (x, residual, w, b)]
    y, h = apply(ops, center, *inputs, eps)
    errors = expect(f"{name}: y is {y.dtype}", y.dtype == x.dtype)
    if residual is None:
        h_truth = x
    else:
        h_truth = (x.double() + residual.double()).to(x.dtype)
        errors += same(f"{name}: h", h, h_truth)
    truth = norm(h_truth, w, b, eps, center, dy, dh)
    errors += errors_of(f"{name}: y", y, truth.y)
    if differentiate:
        outputs, gradients = zip(*((o, g) for o, g in ((y, dy), (h, dh)) if g is not None), strict=True)
        torch.autograd.backward(outputs, gradients)
        errors += gradient_errors(name, inputs, truth)
    return errors


def gradient_errors(name: str, inputs: list[Tensor | None], truth: Norm) -> list[str]:
    names = ("dx", "dresidual", "dweight", "dbias")
    return [
        error
        for what, tensor, value in zip(names, inputs, (truth.dx, truth.dx, truth.dweight, truth.dbias), strict=True)
        if tensor is not None
        for error in errors_of(
            f"{name}: {what}", torch.zeros_like(tensor) if tensor.grad is None else tensor.grad, value
        )
    ]


def randn(*shape: int, dtype: torch.dtype = torch.float32, device: torch.device) -> Tensor:
    return torch.randn(shape, device=device).to(dtype)
