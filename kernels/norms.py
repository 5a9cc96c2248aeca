"""The three norms written to be read: the formula beside the line that computes it.

Statistics are computed in float32 even for half-precision inputs (and in float64 for float64 inputs), and the result
is rounded to the input's dtype once, at the end, as PyTorch does.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def _as_float(x: Tensor) -> Tensor:
    return x.to(torch.promote_types(x.dtype, torch.float32))


class ManualLayerNorm(nn.Module):
    """Each token normalised over its own features: y = (x - mean) / sqrt(var + eps) * weight + bias.

    `normalized_shape` is the shape of the last dimensions, an int for the last one alone; the variance is the biased
    one. Ba, Kiros and Hinton 2016, arXiv 1607.06450.
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(self.normalized_shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(self.normalized_shape)) if elementwise_affine and bias else None

    def forward(self, x: Tensor) -> Tensor:  # (..., d)
        dims = _feature_dims(x, self.normalized_shape)
        h = _as_float(x)
        mean = h.mean(dims, keepdim=True)  # (..., 1)   mu  = 1/d sum x_i
        centred = h - mean  # (..., d)
        var = centred.square().mean(dims, keepdim=True)  # (..., 1)   var = 1/d sum (x_i - mu)^2
        y = centred * torch.rsqrt(var + self.eps)  # (..., d)   (x - mu) / sqrt(var + eps)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)


class ManualRMSNorm(nn.Module):
    """LayerNorm without the mean and the bias: y = x / sqrt(mean(x^2) + eps) * weight.

    `normalized_shape` as for ManualLayerNorm. Zhang and Sennrich 2019, arXiv 1910.07467.
    """

    def __init__(
        self, normalized_shape: int | Sequence[int], eps: float = 1e-6, elementwise_affine: bool = True
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(self.normalized_shape)) if elementwise_affine else None

    def forward(self, x: Tensor) -> Tensor:  # (..., d)
        dims = _feature_dims(x, self.normalized_shape)
        h = _as_float(x)
        mean_square = h.square().mean(dims, keepdim=True)  # (..., 1)   1/d sum x_i^2
        y = h * torch.rsqrt(mean_square + self.eps)  # (..., d)   x / sqrt(mean(x^2) + eps)
        if self.weight is not None:
            y = y * self.weight
        return y.to(x.dtype)


class ManualBatchNorm(nn.Module):
    """Each feature normalised over the batch and, in evaluation, by the running statistics that training left.

    Input (N, C) or (N, C, ...). Training normalises by the *biased* batch variance and keeps the *unbiased* one;
    `momentum=None` keeps the plain average of all batches. Raises ValueError for one value per channel in training,
    whose variance says nothing. Ioffe and Szegedy 2015, arXiv 1502.03167; running statistics as in `nn.BatchNorm1d`.
    """

    running_mean: Tensor
    running_var: Tensor
    num_batches_tracked: Tensor

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x: Tensor) -> Tensor:  # (N, C, ...)
        if x.ndim < 2 or x.shape[1] != self.num_features:
            raise ValueError(f"x must be (N, {self.num_features}, ...), not {tuple(x.shape)}")
        per_channel = (1, -1, *[1] * (x.ndim - 2))  # (1, C, 1, ...)
        h = _as_float(x)
        mean, var = self._batch_statistics(h) if self.training else (self.running_mean, self.running_var)  # (C,)
        y = (h - mean.view(per_channel)) * torch.rsqrt(var.view(per_channel) + self.eps)  # (x - mu) / sqrt(var + eps)
        if self.weight is not None and self.bias is not None:
            y = y * self.weight.view(per_channel) + self.bias.view(per_channel)
        return y.to(x.dtype)

    def _batch_statistics(self, h: Tensor) -> tuple[Tensor, Tensor]:
        count = h.numel() // self.num_features  # m: values per channel
        if count == 1:
            raise ValueError(f"Expected more than 1 value per channel when training, got input size {tuple(h.shape)}")
        dims = [0, *range(2, h.ndim)]  # all but the channel
        mean = h.mean(dims)  # (C,)   mu  = 1/m sum x_i
        var = (h - mean.view(1, -1, *[1] * (h.ndim - 2))).square().mean(dims)  # (C,)   var = 1/m sum (x_i - mu)^2
        self.num_batches_tracked += 1
        if count > 0:
            share = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
            self.running_mean.lerp_(mean.detach().to(self.running_mean), share)
            self.running_var.lerp_((var * count / (count - 1)).detach().to(self.running_var), share)
        return mean, var


def _shape(normalized_shape: int | Sequence[int]) -> tuple[int, ...]:
    return (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)


def _feature_dims(x: Tensor, normalized_shape: tuple[int, ...]) -> tuple[int, ...]:
    if x.shape[x.ndim - len(normalized_shape) :] != normalized_shape:
        raise ValueError(f"x must end in {normalized_shape}, not {tuple(x.shape)}")
    return tuple(range(-len(normalized_shape), 0))
