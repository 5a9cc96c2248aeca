import asyncio
import json
from pathlib import Path

import pytest

from tutor.commands import cells
from tutor.course.load import load_course
from tutor.runtime.outputs import Curves, Failure, Stream, Value


@pytest.mark.slow
def test_cells_run_in_one_session_and_predictions_are_measured(normtutor) -> None:
    text = normtutor("run", "tiny", "--lang", "vi").stdout
    assert "    base = 40\n" in text and "xin chào\n42\n" in text
    assert "✓ up: lớn hơn" in text and "✗ down: nhỏ hơn" in text


@pytest.mark.slow
def test_the_document(normtutor) -> None:
    document = json.loads(normtutor("run", "tiny", "--json").stdout)
    cell, predict = document["cells"]
    assert (cell["step"], cell["kind"], cell["ending"], cell["in_time"]) == ("tiny-cell", "cell", "ok", True)
    assert cell["outputs"] == [{"type": "stdout", "text": "xin chào"}, {"type": "value", "text": "42"}]
    assert cell["outcome"] is None
    assert predict["outcome"] == ["up"]


@pytest.mark.slow
def test_one_step_brings_what_it_needs_of_the_cells_before_it(normtutor) -> None:
    document = json.loads(normtutor("run", "tiny", "--step", "tiny-predict", "--json").stdout)
    assert [(cell["step"], cell["outcome"]) for cell in document["cells"]] == [("tiny-predict", ["up"])]


@pytest.mark.slow
def test_what_fails_or_is_late_is_named_and_the_rest_is_run(normtutor, course: Path) -> None:
    lesson = (course / "tiny.yaml").read_text()
    lesson = lesson.replace('print("xin", "chào")\n', "this = is_not_defined\n")
    lesson += "- {id: last, kind: cell, code: 'sum(range(10**6))', finishes_within: 1.0e-7}\n"
    (course / "tiny.yaml").write_text(lesson)
    done = normtutor("run", "tiny", code=1)
    assert "NameError: name 'is_not_defined' is not defined (line 2 of the cell)" in done.stdout
    assert "Failed: tiny-cell" in done.stdout and "Longer than promised: last" in done.stdout
    assert "499999500000" in done.stdout


@pytest.mark.slow
def test_a_lost_kernel_ends_the_run(normtutor, course: Path) -> None:
    lesson = (course / "tiny.yaml").read_text().replace('print("xin", "chào")', "import os; os._exit(7)")
    (course / "tiny.yaml").write_text(lesson)
    done = normtutor("run", "tiny", code=1)
    assert "Not run, because the kernel was lost: 1" in done.stdout


@pytest.mark.slow
def test_a_cell_that_does_not_end_is_stopped(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "LEAST_PATIENCE", 0.5)
    monkeypatch.setattr(cells, "PATIENCE", 0.0)
    lesson = (course / "tiny.yaml").read_text().replace('print("xin", "chào")', "while True: pass")
    (course / "tiny.yaml").write_text(lesson)
    (step, _predict) = cells.live(load_course(course).lessons[0])

    async def run() -> cells.CellRun:
        async with cells.kernel([]) as session:
            return await cells.run_cell(session, step)

    result = asyncio.run(run())
    assert result.finished.ending == "interrupted" and not result.ok


def test_outputs_are_put_together_as_a_screen_would_show_them() -> None:
    blocks = cells.Blocks()
    for output in (
        Stream("stdout", "gone", clears=False),
        Stream("stdout", "1 %\r", clears=True),
        Stream("stdout", "2 %\n"),
        Stream("stderr", "careful\n"),
        Value("first", display="a"),
        Curves({"curves": []}, "plot"),
        Value("second", display="a"),
        Failure("NameError", "x", "traceback", 1),
    ):
        blocks.take(output)
    printed, warned, value, curves, failure = blocks
    assert (printed.name, printed.text, warned.name, warned.text) == ("stdout", "2 %", "stderr", "careful")
    assert value == Value("second", display="a")
    assert isinstance(curves, Curves) and isinstance(failure, Failure)


def test_wrong_use(normtutor) -> None:
    assert "Did you mean tiny?" in normtutor("run", "tinny", code=2).stderr
    assert "normtutor run tiny --step tiny-cell" in normtutor("run", "tiny-cell", code=2).stderr
    assert "Did you mean tiny-cell" in normtutor("run", "tiny", "--step", "tiny-cel", code=2).stderr
    assert "has no cell" in normtutor("run", "tiny", "--step", "tiny-text", code=2).stderr
