"""What `check` makes of runs of cells; the runs themselves are scripted."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest

from tutor.commands import cells, verify_cells
from tutor.course.load import load_course
from tutor.course.model import Course
from tutor.runtime.outputs import Finished

LESSON = """\
id: first
title: x
minutes: 1
borrows: [{step: lent}]
steps:
- {id: quick, kind: cell, code: a = 1, finishes_within: 2}
- {id: slow, kind: cell, code: b = 1, finishes_within: 2}
"""
OTHER = "id: other\ntitle: x\nminutes: 1\nsteps:\n- {id: lent, kind: cell, code: c = 1}\n"


@pytest.fixture
def two_lessons(tmp_path: Path) -> Course:
    (tmp_path / "first.yaml").write_text(LESSON)
    (tmp_path / "other.yaml").write_text(OTHER)
    return load_course(tmp_path)


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Finished]]:
    """How the runs of each step end, one after another; a run of half a second where nothing is said."""
    endings: dict[str, list[Finished]] = {}

    async def run(lesson):
        steps = cells.live(lesson)
        ended = [(step, endings[step.id].pop(0) if endings.get(step.id) else Finished("ok", 0.5)) for step in steps]
        return [cells.CellRun(step, finished) for step, finished in ended if finished.ending != "died"]

    monkeypatch.setattr(verify_cells, "_run", run)
    return endings


async def told(course: Course, **options) -> list[tuple[str, int, str]]:
    found = await verify_cells.verify_cells(course, **options)
    return [(finding.file.rpartition("/")[2], finding.line, finding.message) for finding in found]


async def test_sound_runs_are_no_findings(two_lessons, scripted) -> None:
    assert await told(two_lessons) == []


async def test_what_is_late_is_run_again_when_nothing_runs_beside_it(two_lessons, scripted) -> None:
    scripted["slow"] = [Finished("ok", 3.0), Finished("ok", 1.0)]
    ended = asyncio.Event()
    beside = asyncio.create_task(ended.wait())
    checking = asyncio.create_task(told(two_lessons, beside=beside))
    await asyncio.sleep(0)
    assert len(scripted["slow"]) == 1 and not checking.done(), "it waits"
    ended.set()
    assert await checking == [] and scripted["slow"] == []


async def test_what_is_late_twice_is_a_finding(two_lessons, scripted) -> None:
    scripted["slow"] = [Finished("ok", 3.0), Finished("ok", 2.5)]
    assert await told(two_lessons) == [
        ("first.yaml", 7, "step `slow`: the cell takes 3.0 s, longer than `finishes_within` (2)")
    ]


async def test_a_borrowed_cell_is_placed_where_it_stands_and_where_it_is_borrowed(two_lessons, scripted) -> None:
    scripted["lent"] = [Finished("interrupted", 1.0), Finished("interrupted", 1.0)]
    assert await told(two_lessons) == [
        ("first.yaml", 4, "the borrowed step `lent`: the cell fails: interrupted"),
        ("other.yaml", 5, "step `lent`: the cell fails: interrupted"),
    ]


async def test_cells_that_could_not_be_run_are_findings(two_lessons, scripted) -> None:
    scripted["lent"] = [Finished("died", 1.0)]
    assert await told(two_lessons) == [
        ("first.yaml", 4, "the borrowed step `lent`: not run: the kernel was lost before")
    ]


VARIED = """\
id: varied
title: x
minutes: 1
steps:
- {id: before, kind: cell, code: base = 3}
- id: guess
  kind: predict
  prompt: "Is {n} more than 3?"
  vary: {n: [5, 7, 2, 3]}
  cell: |
    n = 5
  ask:
    choice:
    - {id: more, text: more, true_if: n > base}
    - {id: less, text: less, true_if: n < base}
"""


async def test_each_value_that_a_review_may_set_is_tried_and_one_that_decides_nothing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scripted
) -> None:
    (tmp_path / "varied.yaml").write_text(VARIED)
    scripted["guess"] = [Finished("ok", 0.1, values={"more": "True", "less": "False"})]
    ran: list[str] = []

    @contextlib.asynccontextmanager
    async def kernel(_steps):
        yield None

    async def run_cell(_session, step):
        code = cells.code_of(step)
        ran.append(code.strip())
        n = int(code.split("=")[1])
        return cells.CellRun(step, Finished("ok", 0.1, values={"more": str(n > 3), "less": str(n < 3)}))

    monkeypatch.setattr(cells, "kernel", kernel)
    monkeypatch.setattr(cells, "run_cell", run_cell)
    ((file, line, message),) = await told(load_course(tmp_path))
    assert ran == ["base = 3", "n = 7", "n = 2", "n = 3"]
    assert (file, line) == ("varied.yaml", 13)
    assert "with n = 3, as a review may ask: exactly one option must come true: none did" in message
