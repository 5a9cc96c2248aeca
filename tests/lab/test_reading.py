import math

import pytest

from kernels.curve import Curve
from kernels.lab.reading import read, read_depths
from kernels.lab.readings import read_batches, read_errors
from kernels.lab.readings_training import read_degradation
from kernels.lab.readings_warmup import Run, read_losses
from kernels.lab.shape import power, shape


def curve(label: str, y: list[float]) -> Curve:
    return Curve(label, tuple(range(len(y))), tuple(y))


def test_the_shape_of_a_line_and_of_an_exponential() -> None:
    line, exponential = shape(range(20), [1 + 2 * i for i in range(20)]), shape(range(20), [1.5**i for i in range(20)])
    assert (line.law, line.rate) == ("linear", pytest.approx(2))
    assert line.linear == pytest.approx(1) and line.exponential < 0.95
    assert (exponential.law, exponential.rate) == ("exponential", pytest.approx(1.5))
    assert exponential.factor == pytest.approx(1.5**19)
    assert shape(range(4), [1.0, 1.02, 0.99, 1.0]).level
    assert shape(range(6), [1.0, 9.0, 1.0, 9.0, 1.0, 9.0]).law is None


def test_the_power_of_a_curve() -> None:
    x = [6.0, 12.0, 24.0, 48.0]
    assert power(x, [3 * value**-0.5 for value in x]) == (pytest.approx(1), pytest.approx(-0.5))
    assert all(map(math.isnan, power([1.0, 2.0], [0.0, 1.0])))


def test_a_reading_says_growth_law_underflow_and_overflow_in_both_languages() -> None:
    pre = curve("pre", [1 + i for i in range(49)])
    post = curve("post", [1.0] * 49)
    plain = curve("plain", [0.0] * 10 + [10.0 ** (i - 40) for i in range(39)])
    residual = curve("residual", [2.0**i for i in range(40)] + [math.inf, math.nan])
    english, vietnamese = read([post, pre, plain, residual])
    assert "pre grows 49.0-fold from the first layer to the last, 1.00 to 49.0, linearly, by 1.00 a layer" in english
    assert "post stays level at about 1.00." in english
    assert "plain is exactly 0 at layers 0–9" in english and "underflow" in english
    assert "residual is infinite or NaN at layers 40–41" in english
    assert "exponentially, 2.00 times a layer" in english
    assert "pre tăng 49,0 lần từ tầng đầu đến tầng cuối" in vietnamese
    assert "post giữ mức khoảng 1,00." in vietnamese
    assert "plain đúng bằng 0 ở tầng 0–9" in vietnamese
    assert english.index("residual grows") < english.index("pre grows") < english.index("post stays")


def test_both_fits_are_told_where_they_are_asked_for() -> None:
    text = read([curve("pre", [1 + i for i in range(49)])], both_fits=True)
    assert "(R² 1.000; an exponential 0.8" in text.en
    assert "(R² 1,000; hàm mũ 0,8" in text.vi


def test_backwards_a_gradient_shrinks_on_its_way_to_the_input() -> None:
    reading = read([curve("plain", [0.5 ** (20 - i) for i in range(21)])], backwards=True).en
    assert "plain shrinks 1.0e6-fold" in reading or "plain shrinks 1e6-fold" in reading
    assert "from the last layer to the first" in reading
    assert "exponentially, 0.500 times a layer" in reading


def test_noise_is_not_read_as_growth_nor_rounding_as_shrinking() -> None:
    assert "c moves between 1.00 and 5.00 without a trend." in read([curve("c", [1.0, 5, 2, 4, 1, 5, 1.2])]).en
    tiny = [curve("post", [0.09, 1e-8, 1e-8])]
    assert "which is rounding" in read(tiny, floor=1e-6).en
    assert "shrinks" in read(tiny).en


def test_a_curve_with_nothing_finite_is_still_read() -> None:
    assert "overflowed" in read([curve("c", [math.nan] * 3)]).en
    assert read([curve("c", [])]) == ("", "")


def test_a_gradient_that_follows_the_depth_and_one_that_does_not() -> None:
    depths = (6, 12, 24, 48)
    curves = [
        Curve("pre", depths, tuple(0.8 * depth**-0.5 for depth in depths)),
        Curve("post", depths, (0.7, 0.72, 0.69, 0.71)),
    ]
    text = read_depths(curves, [Curve(c.label, c.x, tuple(y / c.first for y in c.y)) for c in curves])
    assert "pre: at 48 blocks 0.354 of what it is at 6 (0.327 to 0.115): like L^-0.50 (R² 1.00)." in text.en
    assert "post: at 48 blocks 1.01 of what it is at 6 (0.700 to 0.710): it does not follow the depth." in text.en
    assert "1/√L thì là 0,354" in text.vi


def test_errors_say_from_where_and_where_they_overflow() -> None:
    error = Curve("squares", (1, 10, 100, 1000), (0.0, 0.01, 0.3, math.inf), x_label="mean / std")
    text = read_errors([error, Curve("chan", (1, 10), (0.0, 2e-4))])
    assert "squares: wrong by more than 10% from mean / std = 100, and overflows from 1000." in text.en
    assert "chan: within 2e-4 everywhere." in text.en
    assert "squares: sai hơn 10% từ mean / std = 100, và tràn số từ 1000." in text.vi


def test_a_batch_norm_that_is_noisy_beside_a_layer_norm_that_is_not() -> None:
    sizes = (2, 8, 32)
    noisy, still = Curve("BatchNorm", sizes, tuple(size**-0.5 for size in sizes)), Curve("LayerNorm", sizes, (0, 0, 0))
    text = read_batches("noise", [noisy, still])
    assert "by 0.707 of its size at B = 2, 0.177 at 32, like B^-0.50" in text.en
    assert "LayerNorm: exactly 0" in text.en and "đúng bằng 0" in text.vi
    rounding = read_batches("train-eval", [noisy, Curve("LayerNorm", sizes, (0, 1e-9, 0))])
    assert "1e-9 at most, which is rounding" in rounding.en


def test_degradation_is_told_from_fitting_and_from_divergence() -> None:
    depths = (2, 8, 32)
    text = read_degradation(
        [
            Curve("plain", depths, (0.01, 0.0, 0.45)),
            Curve("residual", depths, (0.01, 0.0, 0.0)),
            Curve("wild", depths, (0.01, math.nan, math.nan)),
        ]
    )
    assert "plain: degradation. 0.0% of the training points are wrong at 8 layers, 45.0% at 32" in text.en
    assert "residual: no degradation, 0.0% at best and 0.0% at 32 layers." in text.en
    assert "wild: at best 1.0% (2 layers); diverges from 8 layers." in text.en
    assert "plain: bị degradation. Sai 0,0%" in text.vi


def run(arch: str, warmup: int, last: float, seed: int = 0, lost: int | None = None) -> Run:
    return Run(arch, warmup, 2e-3, f"{arch}, warm-up {warmup}", seed, 5.4, last, lost)


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ([run("post", 0, 3.8), run("post", 150, 2.8)], "So post needs the warm-up here"),
        ([run("pre", 0, 2.3)], "So pre trains here without warm-up."),
        ([run("post", 0, 3.8), run("post", 100, 3.9)], "this warm-up does not save it"),
        ([run("post", 0, 3.8), run("post", 0, 2.8, seed=1), run("post", 150, 2.8)], "the runs do not agree"),
        ([run("post", 0, 3.8)], "post does not learn here without warm-up."),
        ([run("post", 0, math.nan, lost=31)], "post, warm-up 0: diverges, no number from step 31."),
        ([run("post", 0, 7.0)], "post, warm-up 0: diverges, loss 7.00."),
        ([run("post", 0, 3.8)], "post, warm-up 0: stalls, loss 3.80."),
        ([run("post", 0, 2.8), run("post", 0, 3.8, seed=1)], "depends on the seed: learns (2.80), stalls (3.80)"),
    ],
)
def test_what_became_of_a_run_and_what_that_says_of_warm_up(runs: list[Run], said: str) -> None:
    text = read_losses(runs, 3.83, 1)
    assert said in text.en
    assert len(text.vi) > 20 and "needs" not in text.vi
