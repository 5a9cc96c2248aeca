import inspect
import subprocess
import sys
from importlib import import_module

import pytest

from kernels.lab.catalogue import EXPERIMENTS
from kernels.lab.catalogue_parameters import ARCHS
from kernels.lab.parameters import Parameter, WrongParameterError
from kernels.lab.spec import Experiment
from kernels.lab.words import Words

DEPTH = EXPERIMENTS["gradient-norms"].parameter("depth")
ARCH = EXPERIMENTS["gradient-norms"].parameter("arch")
WIDTH = EXPERIMENTS["gradient-norms"].parameter("width")


@pytest.mark.parametrize(
    ("parameter", "text", "says", "noi"),
    [
        (DEPTH, "many", "depth must be a whole number, such as 48, not “many”", "phải là số nguyên"),
        (DEPTH, "4.5", "depth must be a whole number", "phải là số nguyên"),
        (DEPTH, "0", "depth must be from 1 to 192, not 0", "phải từ 1 đến 192"),
        (DEPTH, "193", "not 193", "không phải 193"),
        (WIDTH, "30", "d_model must be a multiple of 4, such as 32, not 30", "bội của 4"),
        (ARCH, "pre,plian", "there is no “plian”; did you mean plain?", "ý bạn là plain?"),
        (ARCH, "post-norm", "did you mean post?", "ý bạn là post?"),
        (ARCH, " , ", "arch is empty (there are plain", "còn trống"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_right(parameter: Parameter, text: str, says: str, noi: str) -> None:
    with pytest.raises(WrongParameterError) as error:
        parameter.parse(text)
    assert says in str(error.value)
    assert noi in error.value.words.vi


def test_a_value_is_read_and_written_the_same() -> None:
    for experiment in EXPERIMENTS.values():
        for parameter in experiment.parameters:
            assert parameter.parse(parameter.text(parameter.default)) == parameter.default, parameter.name


def test_python_values_and_lists_of_json_are_checked_too() -> None:
    values = EXPERIMENTS["last-layer"].values({"depths": [6, 12, 6], "arch": "pre", "seed": "3"})
    assert (values["depths"], values["arch"], values["seed"]) == ((6, 12), ("pre",), 3)
    with pytest.raises(WrongParameterError, match="whole number"):
        EXPERIMENTS["last-layer"].values({"seeds": True})
    with pytest.raises(WrongParameterError, match="last-layer has no parameter dpeths; did you mean depths"):
        EXPERIMENTS["last-layer"].values({"dpeths": 3})


def test_values_that_are_too_much_together_are_refused() -> None:
    with pytest.raises(WrongParameterError, match=r"billion weights.*take fewer layers"):
        EXPERIMENTS["gradient-norms"].values({"depth": 192, "d_model": 2048})


def test_one_key_press_goes_to_the_next_value() -> None:
    assert [DEPTH.stepped(48, 1), DEPTH.stepped(48, -1), DEPTH.stepped(50, 1), DEPTH.stepped(192, 1)] == [
        96,
        24,
        96,
        192,
    ]
    norm = EXPERIMENTS["gradient-norms"].parameter("norm")
    assert [norm.stepped("layer", 1), norm.stepped("layer", -1), norm.stepped("rms", 1)] == ["rms", "rms", "layer"]
    assert ARCH.stepped(("pre",), 1) == ("pre",)


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_what_is_declared_is_what_the_function_takes(experiment: Experiment) -> None:
    module, _colon, name = experiment.function.partition(":")
    signature = inspect.signature(getattr(import_module(module), name)).parameters
    assert list(signature) == ["monitor", *(parameter.name for parameter in experiment.own)]
    for parameter in experiment.parameters:
        for value in (parameter.default, *parameter.steps):
            assert parameter.check(value) == value, (parameter.name, value)
        assert all(isinstance(words, Words) and words.en and words.vi for words in (parameter.help, experiment.about))


def test_the_kinds_of_stacks_are_those_that_there_are() -> None:
    from kernels.stack import ARCHS as STACKS

    assert tuple(STACKS) == ARCHS


def test_the_command_line_of_a_run_names_every_value_and_reads_back() -> None:
    experiment = EXPERIMENTS["hidden-variance"]
    values = experiment.values({"arch": "pre,post", "depth": 96, "of": "rms"})
    words = experiment.command(values).split()
    assert words[:3] == ["normtutor", "lab", "hidden-variance"]
    pairs = dict(zip(words[3::2], words[4::2], strict=True))
    assert {experiment.parameter(option.removeprefix("--").replace("-", "_")).name for option in pairs} == set(values)
    assert pairs["--arch"] == "pre,post" and pairs["--depth"] == "96" and pairs["--of"] == "rms"


def test_the_x_axis_is_known_before_anything_runs() -> None:
    for experiment in EXPERIMENTS.values():
        reach = experiment.reach(experiment.values())
        assert reach.low < reach.high and reach.label.en and reach.label.vi
        assert not reach.log or reach.low > 0


def test_the_catalogue_loads_no_torch() -> None:
    code = "import sys, kernels.lab.catalogue as c; print(sorted(c.EXPERIMENTS), 'torch' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == f"{sorted(EXPERIMENTS)} False"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_curves_are_called_what_was_said_before(name: str) -> None:
    from kernels.lab import experiment
    from tests.lab.test_experiments import SMALL

    result = experiment(name, **SMALL[name])
    labels = [curve.label for curve in result.curves]
    named = EXPERIMENTS[name].curves(EXPERIMENTS[name].values(SMALL[name]))
    assert [label for label in labels if label in named] == list(named)
