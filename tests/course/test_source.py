"""What a cell uses of `kernels` is found in the files of the package, without importing torch."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import kernels
from tutor.course.source import used


def names(code: str, *, direct: bool | None = None) -> list[str]:
    return [found.name for found in used(code) if direct is None or found.direct is direct]


def test_the_source_is_that_of_the_object_itself() -> None:
    for name in ("Stack", "hidden_variance", "PreNormBlock", "rms_norm", "fused_add_rms_norm", "Curve", "show"):
        (found,) = [found for found in used(f"{name}(1)") if found.direct]
        lines, first = inspect.getsourcelines(getattr(kernels, name))
        assert (found.source.rstrip(), found.line) == ("".join(lines).rstrip(), first), name
        assert inspect.getsourcefile(getattr(kernels, name)).endswith(found.file)


def test_what_the_cell_names_comes_first_and_what_draws_last() -> None:
    found = names('show(hidden_variance(Stack("pre")))', direct=True)
    assert found == ["hidden_variance", "Stack", "show"]


def test_then_what_those_use_also_through_a_table() -> None:
    inside = names('Stack("pre", 4)', direct=False)
    assert {"PreNormBlock", "PostNormBlock", "ManualLayerNorm"} <= set(inside)
    assert "ARCHS" not in inside and "draw" not in names("show(x)")


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("from kernels.precision import pairwise_sum as add\nadd([1])", ["pairwise_sum"]),
        ("from kernels import rms_norm\nrms_norm(x)", ["rms_norm"]),
        ("import kernels\nkernels.rms_norm(x)", ["rms_norm"]),
        ("from kernels.lab import experiment\nexperiment('x')", ["experiment"]),
        ("def rms_norm(x): return x\nrms_norm(1)", []),
        ("torch.rms_norm(x)", []),
        ("x = 1 +", []),
        ("from kernels.nothing import here\nhere()", []),
        ("from kernels import nothing\nnothing()", []),
        ("", []),
        ("\0", []),
    ],
)
def test_names_are_followed_to_where_they_are_defined(code: str, found: list[str]) -> None:
    assert names(code, direct=True) == found


def test_a_name_of_another_module_cannot_lead_out_of_the_package() -> None:
    assert names("from kernels.judge.worker import os\nos.getcwd()", direct=True) == []
    assert names("from kernels...tutor import cli\ncli()", direct=True) == []


def test_no_torch_is_loaded() -> None:
    code = (
        "import sys; from tutor.course.source import used; assert used('Stack(1)')[0].name == 'Stack';"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
