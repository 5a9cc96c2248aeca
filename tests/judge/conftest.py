"""One real judge for all tests, spoken to as the tutor does: what came before must not show."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tutor.course.entry import parse
from tutor.course.load import load_course
from tutor.course.model import ExerciseStep
from tutor.grading.exercise import order, verdict
from tutor.grading.verdict import Verdict

ROOT = Path(__file__).parents[2]


class Judge:
    """The judge's process, asked one order after the other."""

    def __init__(self) -> None:
        self.process = self._start()

    @staticmethod
    def _start() -> subprocess.Popen[str]:
        environment = os.environ | {
            "TRITON_INTERPRET": "1",
            "OMP_NUM_THREADS": "1",
            "CUDA_VISIBLE_DEVICES": "",
        }
        main = ROOT / "tutor" / "runtime" / "child" / "judge_main.py"
        process = subprocess.Popen(
            [sys.executable, "-P", str(main), tempfile.mkdtemp(prefix="judge-")],  # which it removes
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["ready"]
        return process

    def order(self, **order: Any) -> dict[str, Any]:
        """The result of an order; a judge that died is replaced, as the tutor does."""
        for _ in range(2):
            if self.process.poll() is not None:
                self.process = self._start()
            assert self.process.stdin is not None and self.process.stdout is not None
            try:
                self.process.stdin.write(json.dumps({"id": 1, **order}) + "\n")
                self.process.stdin.flush()
            except BrokenPipeError:
                self.process.wait()
                continue
            while line := self.process.stdout.readline():
                said = json.loads(line)
                if "result" in said:
                    return said["result"]
            self.process.wait()
        raise RuntimeError("the judge died twice")

    def stop(self) -> None:
        """Ends it as the tutor's death would."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=20)

    def grade(self, exercise: dict[str, Any], source: str, **order: Any) -> dict[str, Any]:
        """The result for a submission."""
        return self.order(op="grade", exercise=exercise, source=source, **{"public": False, "seed": None, **order})


@pytest.fixture(scope="session")
def judge() -> Iterator[Judge]:
    """One judge for all tests: it must grade normally whatever came before."""
    judge = Judge()
    yield judge
    judge.stop()


Wrong = Mapping[str, tuple[str, str | None]]
"""Submissions by name, each with the mutant that it is named as."""
UNREADABLE = "unreadable"
"""Expected of a submission that cannot be used at all."""


class Submissions:
    """Submissions to the exercises of the course, all with one seed: what is expected is then worked out once."""

    seed = 7

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        steps = [step for lesson in load_course().lessons for step in lesson.own_steps]
        self.exercises = {step.id: step for step in steps if isinstance(step, ExerciseStep)}

    def refused(self, id: str, right: Mapping[str, str]) -> dict[str, str]:
        """The submissions among these that do not pass, and why."""
        verdicts = {name: self._grade(id, source)[0] for name, source in right.items()}
        return {name: verdict.feedback for name, verdict in verdicts.items() if verdict.verdict != "right"}

    def misjudged(self, id: str, wrong: Wrong, part: slice) -> dict[str, str]:
        """The submissions of a part that pass, or are named as another mistake than is expected (None: any)."""
        found = {}
        for name, (source, expected) in list(wrong.items())[part]:
            verdict, mutant = self._grade(id, source)
            if verdict.verdict != (UNREADABLE if expected == UNREADABLE else "wrong"):
                found[name] = f"{verdict.verdict}: {verdict.feedback}"
            elif expected not in (None, UNREADABLE, mutant):
                found[name] = f"named {mutant}, not {expected}: {verdict.feedback}"
        return found

    def _grade(self, id: str, source: str) -> tuple[Verdict, str | None]:
        step = self.exercises[id]
        result = self.judge.order(**order(step, source, seed=self.seed, samples=True))
        assert "fault" not in result, result
        return verdict(step, result, "en"), result.get("mutant")


def in_parts(wrong: Mapping[str, Wrong], size: int = 10) -> list[tuple[str, slice]]:
    """Each exercise with some of its submissions at a time, for tests that end in time on a busy machine."""
    return [(id, slice(at, at + size)) for id, table in wrong.items() for at in range(0, len(table), size)]


@pytest.fixture(scope="session")
def submissions(judge: Judge) -> Submissions:
    """Grades submissions to the exercises of the course."""
    return Submissions(judge)


PRE_FORWARD = """        h = x + self.attn(self.ln_attn(x))
        return h + self.ffn(self.ln_ffn(h))"""
POST_FORWARD = """        h = self.ln_attn(x + self.attn(x))
        return self.ln_ffn(h + self.ffn(h))"""


def block_source(name: str, forward: str) -> str:
    """A block with the usual parts and this body of `forward`."""
    return f"""
class {name}(nn.Module):
    def __init__(self, d_model, attention, feed_forward):
        super().__init__()
        self.attn = attention
        self.ffn = feed_forward
        self.ln_attn = nn.LayerNorm(d_model)
        self.ln_ffn = nn.LayerNorm(d_model)

    def forward(self, x):
{forward}
"""


def changed(source: str, *pairs: tuple[str, str]) -> str:
    """The source with passages replaced, each of which it must have."""
    for old, new in pairs:
        assert old in source, old
        source = source.replace(old, new)
    return source


def check(id: str, *shapes: tuple[int, ...], **fields: Any) -> dict[str, Any]:
    """A check as an order has it."""
    return {
        "id": id, "probe": "", "shapes": list(shapes), "families": ["normal"], "dtypes": ["float32"],
        "layouts": ["contiguous"], "eps": [1e-5], "gradients": False, "public": True, **fields,
    }  # fmt: skip


def exercise(reference: str, *entries: str, checks: list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    """An exercise as an order has it."""
    parsed = [entry._asdict() for entry in map(parse, entries) if entry is not None]
    assert len(parsed) == len(entries)
    return {
        "reference": reference, "entries": parsed, "checks": checks, "mutants": [], "forbid": [], "triton": False,
        "seconds": 10.0, **fields,
    }  # fmt: skip


def failing(result: dict[str, Any]) -> set[str]:
    """The ids of the checks that fail; the submission must have been readable."""
    assert result.get("unreadable") is None, result
    return {each["id"] for each in result["checks"] if not each["passed"]}


def why(result: dict[str, Any], id: str) -> str:
    """The kind of problem of a check."""
    (found,) = [each for each in result["checks"] if each["id"] == id]
    return found["problem"]["kind"]
