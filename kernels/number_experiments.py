"""Experiments on the numbers themselves: cancellation, sums in half precision, RMSNorm against LayerNorm."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kernels.curve import Curve
from kernels.experiment import Experiment, Progress
from kernels.reading import read_differences, read_errors, read_sums

if TYPE_CHECKING:
    from torch import Tensor


def cancellation(
    *,
    columns: int = 1024,
    std: float = 1.0,
    methods: tuple[str, ...] = ("fp16 sum of squares", "fp32 sum of squares", "welford", "two-pass"),
    seed: int = 0,
    progress: Progress | None = None,
) -> Experiment:
    """The relative error of the variance of one row by method, as the mean of the row grows from 1 to 100,000."""
    from kernels.precision import VARIANCES, compare

    unknown = [method for method in methods if method not in VARIANCES]
    if unknown or not methods:
        raise ValueError(f"methods has {unknown or 'none'}: they are {', '.join(VARIANCES)}")
    means = [10 ** (k / 2) for k in range(11)]
    row = _normal(columns, seed)
    chosen = {name: VARIANCES[name] for name in (*methods, "fp64")}
    errors: dict[str, list[float]] = {method: [] for method in methods}
    for done, mean in enumerate(means, 1):
        for estimate in compare((row * std + mean).float(), chosen):
            if estimate.method in errors:
                errors[estimate.method].append(estimate.error)
        if progress is not None:
            progress(done, len(means))
    curves = tuple(
        Curve(method, tuple(means), tuple(values), x_label="mean of the row", y_label="relative error of the variance")
        for method, values in errors.items()
    )
    given = {"columns": columns, "std": std, "methods": methods}
    return Experiment("cancellation", given, seed, curves, read_errors(curves), log_x=True, log_y=True)


def half_sums(
    *,
    count: int = 8192,
    formats: tuple[str, ...] = ("fp32", "fp16", "bf16"),
    of: str = "ones",
    seed: int = 0,
    progress: Progress | None = None,
) -> Experiment:
    """A sum added one value at a time in each format; `of` is "ones" or "squares" (of standard normal values)."""
    import torch

    dtypes = {"fp64": torch.float64, "fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
    unknown = [name for name in formats if name not in dtypes]
    if unknown or not formats:
        raise ValueError(f"formats has {unknown or 'none'}: they are {', '.join(dtypes)}")
    if of not in ("ones", "squares"):
        raise ValueError(f"of must be 'ones' or 'squares', not {of!r}")
    every = max(1, count // 64)
    curves = []
    for i, name in enumerate(formats):
        values = (torch.ones(count) if of == "ones" else _normal(count, seed)).to(dtypes[name])
        total, sums = values.new_zeros(()), [0.0]
        for n, value in enumerate(values * values, 1):
            total = total + value
            if n % every == 0:
                sums.append(total.item())
                if progress is not None:
                    progress(i * count + n, len(formats) * count)
        added = tuple(every * k for k in range(len(sums)))
        curves.append(Curve(name, added, tuple(sums), x_label="values added", y_label="sum"))
    given = {"count": count, "formats": formats, "of": of}
    return Experiment("half-sums", given, seed, tuple(curves), read_sums(curves))


def rms_and_layer_norm(
    *, d_model: int = 4096, rows: int = 64, seed: int = 0, progress: Progress | None = None
) -> Experiment:
    """How far RMSNorm's output is from LayerNorm's as the mean of a row grows against its standard deviation."""
    import torch

    from kernels.norms import ManualLayerNorm, ManualRMSNorm

    ratios = [10 ** (k / 4 - 2) for k in range(13)]  # 0.01 to 10
    x = torch.randn(rows, d_model, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    x = (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True, unbiased=False)
    layer, rms = ManualLayerNorm(d_model, elementwise_affine=False), ManualRMSNorm(d_model, elementwise_affine=False)
    measured = []
    for done, ratio in enumerate(ratios, 1):
        y = layer(x + ratio)
        measured.append(((rms(x + ratio) - y).norm() / y.norm()).item())
        if progress is not None:
            progress(done, len(ratios))
    # RMSNorm's output is (z + r) / sqrt(1 + r^2) where LayerNorm's is z: a part along z and a part along the mean
    theory = [math.sqrt((1 - 1 / math.sqrt(1 + r * r)) ** 2 + r * r / (1 + r * r)) for r in ratios]
    curves = tuple(
        Curve(name, tuple(ratios), tuple(values), x_label="mean / std", y_label="relative difference")
        for name, values in (("measured", measured), ("theory", theory))
    )
    given = {"d_model": d_model, "rows": rows}
    return Experiment("rms-and-layer-norm", given, seed, curves, read_differences(curves), log_x=True, log_y=True)


def _normal(count: int, seed: int) -> Tensor:
    import torch

    return torch.randn(count, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
