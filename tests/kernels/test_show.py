import subprocess
import sys

import pytest

from kernels import show
from kernels.curve import MIME, Curve, document

A, B = Curve("a", (0, 1), (1, 2)), Curve("b", (0, 1), (2, 1))


def test_outside_ipython_the_plot_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    show(A, [B], title="Two")
    printed = capsys.readouterr().out
    assert "a 2.00" in printed
    assert "b 1.00" in printed
    assert printed.startswith("Two")
    assert "\x1b" not in printed


@pytest.mark.parametrize("wrong", [(), (1,), ("abc",), ([A, 3],), ([],), (None,)])
def test_anything_else_is_a_type_error(wrong: tuple[object, ...]) -> None:
    with pytest.raises(TypeError, match="Curve"):
        show(*wrong)  # type: ignore[arg-type]


def test_inside_ipython_the_data_is_published(monkeypatch: pytest.MonkeyPatch) -> None:
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    shell = InteractiveShell.instance()
    try:
        with capture_output() as captured:
            shell.run_cell("from kernels import show\nfrom kernels.curve import Curve")
            shell.push({"a": A, "b": B})
            assert shell.run_cell("show((c for c in [a, b]), log_y=True, title='Two')").success
        (output,) = captured.outputs
        assert output.data[MIME] == document([A, B], log_y=True, title="Two")
        assert "a 2.00" in output.data["text/plain"]
        assert captured.stdout == ""
    finally:
        InteractiveShell.clear_instance()


def test_every_public_name_comes_with_a_star_import_even_after_its_module() -> None:
    code = (
        "import kernels.display, kernels.curve\n"
        "from kernels import *\n"
        "import kernels\n"
        "missing = [name for name in kernels.__all__ if name not in globals()]\n"
        "assert not missing, missing\n"
        "assert sorted(kernels._HOME) == sorted(kernels.__all__)\n"
        "assert set(kernels.__all__) <= set(dir(kernels))\n"
        "show(Curve('a', (0, 1), (1, 2)))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "a 2.00" in ran.stdout


def test_an_unknown_name_is_an_attribute_error() -> None:
    import kernels

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = kernels.nothing
