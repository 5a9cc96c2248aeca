import inspect
import json
import math
import os
import subprocess
import sys

import pytest

from kernels.curve import Curve
from kernels.experiments import (
    EXPERIMENTS,
    cancellation,
    gradient_norms,
    half_sums,
    hidden_mean,
    hidden_variance,
    main,
    rms_and_layer_norm,
    singular_values,
    update_ratio,
)
from kernels.reading import read, shape


@pytest.fixture(autouse=True)
def on_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NORMTUTOR_DEVICE", "cpu")


def curve(label: str, y: list[float]) -> Curve:
    return Curve(label, tuple(range(len(y))), tuple(y))


def test_the_shape_of_a_line_and_of_an_exponential() -> None:
    line, power = shape(range(20), [1 + 2 * i for i in range(20)]), shape(range(20), [1.5**i for i in range(20)])
    assert (line.law, line.rate) == ("linear", pytest.approx(2))
    assert (power.law, power.rate) == ("exponential", pytest.approx(1.5))
    assert power.factor == pytest.approx(1.5**19)
    assert shape(range(4), [1.0, 1.02, 0.99, 1.0]).level
    assert shape(range(6), [1.0, 9.0, 1.0, 9.0, 1.0, 9.0]).law is None


def test_a_reading_says_growth_law_underflow_and_overflow_in_both_languages() -> None:
    pre = curve("pre", [1 + i for i in range(49)])
    post = curve("post", [1.0] * 49)
    plain = curve("plain", [0.0] * 10 + [10.0 ** (i - 40) for i in range(39)])
    residual = curve("residual", [2.0**i for i in range(40)] + [math.inf, math.nan])
    reading = read([post, pre, plain, residual])
    english, vietnamese = reading["en"], reading["vi"]
    assert "pre grows 49.0-fold from the first layer to the last, 1.00 to 49.0, linearly, by 1.00 a layer" in english
    assert "post stays level at about 1.00." in english
    assert "plain is exactly 0 at layers 0–9" in english
    assert "residual is infinite or NaN at layers 40–41" in english
    assert "exponentially, 2.00 times a layer" in english
    assert "pre tăng 49,0 lần từ tầng đầu đến tầng cuối" in vietnamese
    assert "post giữ mức khoảng 1,00." in vietnamese
    assert "plain đúng bằng 0 ở tầng 0–9" in vietnamese
    assert english.index("residual grows") < english.index("pre grows") < english.index("post stays")


def test_backwards_a_gradient_shrinks_on_its_way_to_the_input() -> None:
    reading = read([curve("plain", [0.5 ** (20 - i) for i in range(21)])], backwards=True)["en"]
    assert "plain shrinks 1.0e6-fold" in reading or "plain shrinks 1e6-fold" in reading
    assert "from the last layer to the first" in reading
    assert "exponentially, 0.500 times a layer" in reading


def test_a_curve_with_nothing_finite_is_still_read() -> None:
    assert "overflowed" in read([curve("c", [math.nan] * 3)])["en"]
    assert read([curve("c", [])]) == {"vi": "", "en": ""}


def test_hidden_variance_by_its_parameters() -> None:
    calls: list[tuple[int, int]] = []
    result = hidden_variance(depth=6, archs=("pre", "post"), d_model=32, progress=lambda *call: calls.append(call))
    assert [c.arch for c in result.curves] == ["pre", "post"]
    given = {"depth": 6, "archs": ["pre", "post"], "d_model": 32, "init": "xavier", "norm": "layer"}
    assert result.to_dict()["parameters"] == given
    assert calls == [(i, 12) for i in range(1, 13)]
    assert "pre grows" in result.reading["en"]
    assert hidden_variance(depth=6, archs=("pre",), d_model=32).curves == result.curves[:1]


def test_the_parameters_make_a_difference() -> None:
    base = gradient_norms(depth=3, archs=("pre",), d_model=32).curves
    for change in ({"init": "default"}, {"norm": "rms"}, {"seed": 1}, {"of": "weights"}, {"d_model": 16}):
        assert gradient_norms(**{"depth": 3, "archs": ("pre",), "d_model": 32, **change}).curves != base  # type: ignore[arg-type]


def test_noise_is_not_read_as_growth() -> None:
    assert "c moves between 1.00 and 5.00 without a trend." in read([curve("c", [1.0, 5, 2, 4, 1, 5, 1.2])])["en"]


def test_cancellation_ruins_the_sum_of_squares_and_not_the_two_passes() -> None:
    result = cancellation(columns=256, progress=None)
    errors = {c.label: c for c in result.curves}
    assert errors["fp32 sum of squares"].last > 1
    assert errors["two-pass"].last < 1e-4
    assert errors["two-pass"].last < errors["welford"].last < 0.02
    assert "two-pass: within" in result.reading["en"]
    assert "fp32 sum of squares: wrong by more than 10% from a mean of" in result.reading["en"]
    with pytest.raises(ValueError, match="kahan"):
        cancellation(methods=("kahan",))


def test_half_sums_stall_where_the_spacing_reaches_the_addend() -> None:
    result = half_sums(count=4096)
    assert {c.label: c.last for c in result.curves} == {"fp32": 4096, "fp16": 2048, "bf16": 256}
    assert "bf16 stalls at 256 after 256 values." in result.reading["en"]
    assert "fp32 đạt 4096." in result.reading["vi"]
    squares = half_sums(count=4096, of="squares", formats=("fp64", "fp16"), seed=1)
    assert squares.curves[1].last < 0.97 * squares.curves[0].last


def test_rms_norm_leaves_layer_norm_as_the_mean_grows() -> None:
    measured, theory = rms_and_layer_norm(d_model=256, rows=4).curves
    assert measured.y == pytest.approx(theory.y, rel=1e-3)
    by_ratio = dict(zip([round(x, 4) for x in measured.x], measured.y, strict=True))
    assert (by_ratio[0.01], by_ratio[0.1], by_ratio[1.0]) == pytest.approx((0.0100, 0.0996, 0.765), rel=5e-3)


def test_the_other_depth_experiments_measure_their_stacks() -> None:
    small = {"depth": 3, "d_model": 32}
    mean = hidden_mean(**small, archs=("pre",))  # type: ignore[arg-type]
    assert 0.5 / 32**0.5 < mean.curves[0].last < 2 / 32**0.5
    ratio = update_ratio(**small, archs=("post", "pre"), lr=0.5)  # type: ignore[arg-type]
    assert ratio.curves != update_ratio(**small, archs=("post", "pre"), lr=0.25).curves  # type: ignore[arg-type]
    spectra = singular_values(**small, layer=2, archs=("plain", "pre"))  # type: ignore[arg-type]
    assert [c.label for c in spectra.curves] == ["plain 2", "pre 2"]
    assert "a gradient can grow here" in spectra.reading["en"]


def test_every_experiment_takes_progress_ends_at_its_total_and_is_json() -> None:
    for name, experiment in EXPERIMENTS.items():
        parameters = inspect.signature(experiment).parameters
        small = {"depth": 2, "d_model": 16, "columns": 16, "count": 128, "rows": 2}
        calls: list[tuple[int, int]] = []
        given = {key: value for key, value in small.items() if key in parameters}
        result = experiment(**given, progress=lambda done, total, calls=calls: calls.append((done, total)))
        assert result.name == name
        assert calls[-1][0] == calls[-1][1], name
        assert [done for done, _ in calls] == sorted(done for done, _ in calls), name
        document = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        assert document["experiment"] == name
        assert set(document["parameters"]) | {"seed", "progress"} == set(parameters), name


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kernels.experiments", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONUTF8": "1"})


def test_the_command_prints_one_document_and_its_progress() -> None:
    ran = run("gradient-norms", "--arch", "plain,pre", "--depth", "4", "--d-model", "32", "--seed", "3", "--json")
    assert ran.returncode == 0, ran.stderr
    document = json.loads(ran.stdout)
    assert (document["experiment"], document["seed"]) == ("gradient-norms", 3)
    assert document["parameters"]["archs"] == ["plain", "pre"]
    assert [c["label"] for c in document["curves"]] == ["plain", "pre"]
    assert len(document["curves"][0]["y"]) == 5
    assert set(document["reading"]) == {"vi", "en"}
    assert ran.stderr.splitlines()[-1] == "progress 16/16"


def test_the_command_explains_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hidden-variance", "--arch", "prenorm"]) == 2
    assert "did you mean 'pre'" in capsys.readouterr().err
    with pytest.raises(SystemExit) as error:
        main(["hidden-varianc"])
    assert error.value.code == 2


def test_the_command_draws_without_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hidden-variance", "--depth", "3", "--d-model", "16", "--arch", "post", "--lang", "vi"]) == 0
    printed = capsys.readouterr().out
    assert "hidden-variance: variance of the hidden state" in printed
    assert "post giữ mức" in printed


def test_experiments_are_listed_without_torch() -> None:
    code = "import sys, kernels.experiments as e; print(sorted(e.EXPERIMENTS), 'torch' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == f"{sorted(EXPERIMENTS)} False"
