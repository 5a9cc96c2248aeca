"""The norms in plain torch, one method a step, and versions of them that are wrong in one step each."""

import torch
import triton
from norm_checks import Ops


class Plain:
    """LayerNorm and RMSNorm, forward and backward, one method a step."""

    def ops(self) -> Ops:
        return Ops(
            lambda x, w=None, b=None, eps=1e-5: self.apply(x, None, w, b, eps, True)[0],
            lambda x, w=None, eps=1e-6: self.apply(x, None, w, None, eps, False)[0],
            lambda x, r, w=None, b=None, eps=1e-5: self.apply(x, r, w, b, eps, True),
            lambda x, r, w=None, eps=1e-6: self.apply(x, r, w, None, eps, False),
        )

    def apply(self, x, residual, w, b, eps, center):
        for vector in (w, b):
            if vector is not None and vector.shape != x.shape[-1:]:
                raise ValueError("weight and bias must be (N,)")
        if not x.is_floating_point() or (residual is not None and residual.shape != x.shape):
            raise ValueError("x or residual is wrong")
        y, h = Function.apply(self, x, residual, w, b, eps, center)
        return y, h

    def read(self, x):
        return x.contiguous()

    def widen(self, x):
        return x.float()

    def add(self, x, residual):
        return self.round(self.widen(x) + self.widen(residual), x.dtype).contiguous()

    def seen(self, x, residual, h):
        """What y is computed from."""
        return self.widen(h)

    def mean(self, h, center):
        return h.mean(-1, keepdim=True) if center else torch.zeros_like(h[..., :1])

    def var(self, h, mean):
        return (h - mean).square().mean(-1, keepdim=True)

    def rstd(self, var, eps):
        return torch.rsqrt(var + eps)

    def keep(self, statistic, dtype):
        return statistic

    def affine(self, xhat, w, b):
        y = xhat if w is None else xhat * self.widen(w)
        return y if b is None else y + self.widen(b)

    def round(self, y, dtype):
        return y.to(dtype)

    def g(self, dy, w):
        return dy if w is None else self.widen(dy) * self.widen(w)

    def dx(self, g, xhat, rstd, center):
        means = (g * xhat).mean(-1, keepdim=True) * xhat + (g.mean(-1, keepdim=True) if center else 0)
        return (g - means) * rstd

    def join(self, dx, dh):
        return dx + self.widen(dh)

    def sum_rows(self, terms, dtype):
        return terms.flatten(0, -2).sum(0).to(dtype)


class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, self, x, residual, w, b, eps, center):
        h_out = self.read(x) if residual is None else self.add(x, residual)
        h = self.widen(h_out) if residual is None else self.seen(x, residual, h_out)
        mean = self.keep(self.mean(h, center), x.dtype)
        rstd = self.keep(self.rstd(self.var(h, mean), eps), x.dtype)
        ctx.save_for_backward((h - mean) * rstd, rstd, w)
        ctx.fused = residual is not None
        ctx.self, ctx.center, ctx.dtypes = self, center, [None if t is None else t.dtype for t in (x, w, b)]
        y = self.round(self.affine((h - mean) * rstd, w, b), x.dtype)
        return y.contiguous(), (h_out if residual is not None else h_out.clone())

    @staticmethod
    def backward(ctx, dy, dh):
        xhat, rstd, w = ctx.saved_tensors
        self, (x_dtype, w_dtype, b_dtype) = ctx.self, ctx.dtypes
        g = self.widen(self.g(dy, w))
        dx = self.round(self.join(self.dx(g, xhat, rstd, ctx.center), dh), x_dtype)
        dw = None if w is None else self.sum_rows(self.widen(dy) * xhat, w_dtype)
        db = None if b_dtype is None else self.sum_rows(self.widen(dy), b_dtype)
        return None, dx, dx if ctx.fused else None, dw, db, None, None


class SumOfSquares(Plain):
    caught_by = "large_means"

    def var(self, h, mean):
        return h.square().mean(-1, keepdim=True) - mean.square()


class ClampedSumOfSquares(SumOfSquares):
    caught_by = "concrete_values"

    def var(self, h, mean):
        return super().var(h, mean).clamp(min=0)


class UnbiasedVariance(Plain):
    caught_by = "concrete_values"

    def var(self, h, mean):
        return super().var(h, mean) * h.shape[-1] / max(h.shape[-1] - 1, 1)


class EpsOutsideTheRoot(Plain):
    caught_by = "concrete_values"

    def rstd(self, var, eps):
        return 1 / (var.sqrt() + eps)


class StatisticsInTheInputDtype(Plain):
    caught_by = "one_rounding"

    def keep(self, statistic, dtype):
        return statistic.to(dtype).float()


class TruncatingStore(Plain):
    caught_by = "rounding_of_bfloat16_stores"

    def round(self, y, dtype):
        if dtype != torch.bfloat16:
            return y.to(dtype)
        return (y.contiguous().view(torch.int32) & -65536).view(torch.float32).to(dtype)


class TruncatedH(TruncatingStore):
    caught_by = "rounding_of_h"


class FusedInPlace(Plain):
    caught_by = "two_backward_passes"

    def add(self, x, residual):
        h = super().add(x, residual)
        residual.detach().copy_(h)
        return h


class HIsTheResidualItself(Plain):
    caught_by = "h_can_be_changed_afterwards"

    def add(self, x, residual):
        return residual.detach().copy_(super().add(x, residual))


class LostGradientOfH(Plain):
    caught_by = "gradients"

    def join(self, dx, dh):
        return dx


class RMSNormSubtractsTheMean(Plain):
    caught_by = "one_rounding"

    def mean(self, h, center):
        return super().mean(h, True)


class PaddingInTheVariance(Plain):
    caught_by = "one_rounding"

    def var(self, h, mean):
        padding = triton.next_power_of_2(h.shape[-1]) - h.shape[-1]
        return super().var(h, mean) + padding * mean.square() / h.shape[-1]


class BackwardWritesIntoDy(Plain):
    caught_by = "two_backward_passes"

    def g(self, dy, w):
        return dy if w is None else dy.contiguous().mul_(w)


class ColumnStrideIgnored(Plain):
    caught_by = "views_equal_copies"

    def read(self, x):
        return x.as_strided(x.shape, (*x.stride()[:-1], 1))


class ColumnsPast65536Dropped(Plain):
    caught_by = "wide_rows"

    def affine(self, xhat, w, b):
        y = super().affine(xhat, w, b)
        return torch.cat([y[..., :65_536], torch.zeros_like(y[..., 65_536:])], -1)


class BiasTwice(Plain):
    caught_by = "one_rounding"

    def affine(self, xhat, w, b):
        return super().affine(super().affine(xhat, w, b), None, b)


class YFromTheUnroundedH(Plain):
    caught_by = "rounding_of_h"

    def seen(self, x, residual, h):
        return self.widen(x) + self.widen(residual)


class WeightGradientSummedInHalf(Plain):
    caught_by = "weight_gradients_of_many_rows"

    def sum_rows(self, terms, dtype):
        total = torch.zeros(terms.shape[-1], dtype=dtype, device=terms.device)
        for row in terms.flatten(0, -2).to(dtype):
            total += row
        return total


class MeanOfGForgotten(Plain):
    caught_by = "gradients"

    def dx(self, g, xhat, rstd, center):
        return super().dx(g, xhat, rstd, False)


class NaNSpreads(Plain):
    caught_by = "bad_values_stay_in_their_row"

    def var(self, h, mean):
        var = super().var(h, mean)
        return var + 0 * var.sum()


class ShapesUnchecked(Plain):
    caught_by = "wrong_arguments_raise"

    def apply(self, x, residual, w, b, eps, center):
        return Function.apply(self, x, residual, w, b, eps, center)


BROKEN = [
    value
    for value in list(globals().values())
    if isinstance(value, type) and issubclass(value, Plain) and value is not Plain
]
