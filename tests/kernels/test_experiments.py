import json
import math
import os
import subprocess
import sys

import pytest

from kernels.curve import Curve
from kernels.experiments import EXPERIMENTS, gradient_norms, hidden_variance, main
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
    assert "pre tăng 49.0 lần từ layer đầu đến layer cuối" in vietnamese
    assert "post giữ mức khoảng 1.00." in vietnamese
    assert "plain đúng bằng 0 ở layer 0–9" in vietnamese
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
    assert result.parameters == {"depth": 6, "archs": ["pre", "post"], "d_model": 32, "init": "xavier", "norm": "layer"}
    assert calls == [(i, 12) for i in range(1, 13)]
    assert "pre grows" in result.reading["en"]
    assert hidden_variance(depth=6, archs=("pre",), d_model=32).curves == result.curves[:1]


def test_the_parameters_make_a_difference() -> None:
    base = gradient_norms(depth=3, archs=("pre",), d_model=32).curves
    for change in ({"init": "default"}, {"norm": "rms"}, {"seed": 1}, {"of": "weights"}, {"d_model": 16}):
        assert gradient_norms(**{"depth": 3, "archs": ("pre",), "d_model": 32, **change}).curves != base  # type: ignore[arg-type]


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
