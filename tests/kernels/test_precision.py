"""The measured figures of the precision lab; rows drawn by NumPy's default_rng, which is stable between versions."""

import math

import numpy as np
import pytest
import torch

from kernels.casting import (
    CONVENTIONS,
    gemma_rms_norm,
    llama_rms_norm,
    single_rounding_rms_norm,
    t5_rms_norm,
)
from kernels.precision import (
    MEAN_SQUARES,
    VARIANCES,
    chan_variance,
    compare,
    pairwise_sum,
    sequential_sum,
    two_pass_variance,
    welford_variance,
)


def row(mean: float, std: float = 1.0) -> torch.Tensor:
    return torch.tensor(np.random.default_rng(1).standard_normal(1024) * std + mean, dtype=torch.float32)


def values(x: torch.Tensor, methods: dict[str, object] | None = None) -> dict[str, float]:
    return {estimate.method: estimate.value for estimate in compare(x, methods)}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mean", "std", "truth", "one_by_one", "pairwise"),
    [
        (1e3, 1, 0.98240, 0.875, 0.9375),
        (1e4, 1, 0.98242, -328, -8),
        (1e4, 0.1, 0.009825, -56, 0),
        (1e5, 1, 0.98222, 19456, None),
    ],
)
def test_the_difference_of_two_large_numbers(
    mean: float, std: float, truth: float, one_by_one: float, pairwise: float | None
) -> None:
    found = values(row(mean, std))
    assert found["fp64"] == pytest.approx(truth, rel=1e-4)
    assert found["fp32 sum of squares"] == one_by_one
    if pairwise is not None:
        assert found["fp32 pairwise"] == pairwise
    assert found["two-pass"] == pytest.approx(found["fp64"], rel=2e-5)
    assert found["shifted"] == pytest.approx(found["fp64"], rel=2e-5)


def test_two_passes_beat_welford() -> None:
    found = {estimate.method: estimate for estimate in compare(row(1e5))}
    assert found["welford"].value == pytest.approx(0.98421, abs=1e-5)
    assert found["two-pass"].error < 0.02 * found["welford"].error


def test_a_constant_row_has_a_negative_variance() -> None:
    found = values(torch.full((1000,), 3.3))
    assert found["fp32 sum of squares"] == pytest.approx(-2.58e-4, rel=1e-2)
    assert found["two-pass"] == found["welford"] == found["shifted"] == 0
    errors = {estimate.method: estimate.error for estimate in compare(torch.full((1000,), 3.3))}
    assert errors["two-pass"] == 0
    assert errors["fp32 sum of squares"] == math.inf


def test_a_half_precision_sum_of_squares_is_lost_one_by_one() -> None:
    x = torch.tensor(np.random.default_rng(0).standard_normal(4096)).half()
    found = values(x, MEAN_SQUARES)
    assert found["fp64"] * 4096 == pytest.approx(4077.01, abs=0.01)
    assert found["fp16 one by one"] * 4096 == 3776
    assert found["fp16 divided first"] == pytest.approx(0.9219, abs=1e-4)
    assert found["fp16 pairwise"] * 4096 == pytest.approx(4077, abs=2)
    assert found["fp32"] == pytest.approx(found["fp64"], rel=1e-5)


@pytest.mark.parametrize(("value", "stalls_at", "pairwise"), [(1.0, 2048, 4096), (4.0, 32768, math.inf)])
def test_ones_stall_and_fours_overflow_only_pairwise(value: float, stalls_at: float, pairwise: float) -> None:
    x = torch.full((4096,), value, dtype=torch.float16)
    assert sequential_sum(x * x) == stalls_at
    assert pairwise_sum(x * x) == pairwise
    assert (x * x).float().mean() == value**2


def test_bf16_stalls_at_256() -> None:
    assert sequential_sum(torch.ones(300, dtype=torch.bfloat16)) == 256


@pytest.mark.parametrize("n", [1, 2, 3, 63, 64, 65, 1000])
def test_every_method_is_the_variance_in_float64(n: int) -> None:
    x = 3 + torch.randn(n, generator=torch.Generator().manual_seed(n), dtype=torch.float64)
    expected = x.var(unbiased=False)
    for variance in (welford_variance, chan_variance, two_pass_variance):
        torch.testing.assert_close(variance(x), expected)
    torch.testing.assert_close(pairwise_sum(x), x.sum())


def test_only_a_row_can_be_compared() -> None:
    for wrong in (torch.zeros(2, 3), torch.zeros(0), torch.tensor(1.0)):
        with pytest.raises(ValueError, match="one row"):
            compare(wrong)
    assert list(values(torch.ones(3))) == list(VARIANCES)


def half_inputs() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(64, 1024, generator=generator).bfloat16()
    return x, (1 + 0.2 * torch.randn(1024, generator=generator)).bfloat16()


def test_in_float32_the_conventions_are_one_formula() -> None:
    x, weight = (tensor.float() for tensor in half_inputs())
    expected = torch.nn.functional.rms_norm(x, (1024,), weight, 1e-6)
    for name, norm in CONVENTIONS.items():
        torch.testing.assert_close(norm(x, weight - 1 if name == "gemma" else weight), expected)


def test_in_bf16_the_order_of_rounding_changes_a_quarter_of_the_outputs() -> None:
    x, weight = half_inputs()
    once, twice = single_rounding_rms_norm(x, weight), llama_rms_norm(x, weight)
    assert once.dtype == twice.dtype == torch.bfloat16
    assert (once != twice).float().mean().item() == pytest.approx(0.258, abs=0.03)
    assert torch.equal(once, torch.nn.functional.rms_norm(x, (1024,), weight, 1e-6))
    assert torch.equal(t5_rms_norm(x, weight), twice)


def test_t5_keeps_float32_if_its_weight_is_float32() -> None:
    x, weight = half_inputs()
    assert t5_rms_norm(x, weight.float()).dtype == torch.float32
    assert llama_rms_norm(x, weight).dtype == torch.bfloat16


def test_gemma_adds_the_one_in_float32() -> None:
    x, _ = half_inputs()
    weight = (0.2 * torch.randn(1024, generator=torch.Generator().manual_seed(1))).bfloat16()
    exact = single_rounding_rms_norm(x, 1 + weight.float())
    assert torch.equal(gemma_rms_norm(x, weight), exact)
    assert not torch.equal(llama_rms_norm(x, 1 + weight), exact)
    off = ((1 + weight).float() - (1 + weight.float())).abs().max()  # what adding in bf16 would lose
    assert 0.001 < off <= 0.0039 + 1e-4
