"""A small course of our own and a `normtutor` to run on it, as a shell does."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands import forked

LESSON = r"""
id: tiny
title: {vi: Bài nhỏ, en: A tiny lesson}
minutes: 1
steps:
- id: tiny-text
  kind: text
  body: {vi: "Căn $\\sqrt{2}$.", en: "The root $\\sqrt{2}$."}
  flow: "x -> LN -> Sub -> +; x -> +"
- id: tiny-choice
  kind: choice
  claims: [root]
  prompt: {vi: "Chọn đi.", en: "Choose."}
  options:
  - {id: good, text: {vi: đúng, en: the right one}, right: true}
  - {id: bad, text: {vi: sai, en: the wrong one}, why: {vi: "Vì thế.", en: "Because of that."}}
- id: tiny-number
  kind: number
  vary: {a: [3, 5], b: [4, 12]}
  prompt: {vi: "RMS của [{a}, {b}]?", en: "The RMS of [{a}, {b}]?"}
  answer: sqrt((a**2 + b**2) / 2)
  wrong:
  - {value: "sqrt(a**2 + b**2)", say: {vi: "Chưa chia cho 2.", en: "Not divided by 2."}}
- id: tiny-cell
  kind: cell
  code: |
    base = 40
    print("xin", "chào")
    base + 2
- id: tiny-predict
  kind: predict
  prompt: {vi: "Lớn hơn?", en: "Larger?"}
  cell: |
    larger = base + 1
  ask:
    choice:
    - {id: up, text: {vi: lớn hơn, en: larger}, true_if: "larger > base"}
    - {id: down, text: {vi: nhỏ hơn, en: smaller}, true_if: "larger < base"}
- id: tiny-short
  kind: short
  prompt: {vi: "Vì sao?", en: "Why?"}
  topics: [CAT]
  points:
  - {id: meow, any: ["CAT: MEOW"], required: true, says: {vi: Mèo kêu., en: Cats meow.}}
  misconceptions:
  - {id: barks, any: ["CAT: BARK"], say: {vi: "Chó mới sủa.", en: "Dogs bark."}}
  model_answer: {vi: Mèo kêu meo., en: Cats meow.}
  samples:
  - {text: the cat meows, verdict: right}
  - {text: the cat barks, verdict: wrong}
"""

GLOSSARY = """
CAT: {vi: [mèo], en: [cat, cats]}
MEOW: {vi: [kêu meo], en: [meow, meows]}
BARK: {vi: [sủa], en: [bark, barks]}
"""

CLAIMS = "- {id: root, from: here, verdict: holds, show: derive, claim: The root of two is irrational.}\n"

Normtutor = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """The directory of a course with one sound lesson, `tiny`."""
    root = tmp_path / "course"
    root.mkdir()
    (root / "tiny.yaml").write_text(LESSON, encoding="utf-8")
    (root / "glossary.yaml").write_text(GLOSSARY, encoding="utf-8")
    (root / "claims.yaml").write_text(CLAIMS, encoding="utf-8")
    return root


@pytest.fixture
def environment(course: Path, tmp_path: Path) -> dict[str, str]:
    """What the command inherits: this course, no progress, English."""
    foreign = ("NORMTUTOR", "LC_", "LANG", "PYTHON", "CUDA_VISIBLE_DEVICES", "TMUX", "COLUMNS")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return kept | {
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm-256color",
        "NORMTUTOR_COURSE": str(course),
        "NORMTUTOR_TRUST": "1",  # the course is ours
        "NORMTUTOR_HOME": str(tmp_path / "home"),
    }


@pytest.fixture
def normtutor(environment: dict[str, str], tmp_path: Path) -> Normtutor:
    """Runs `normtutor ARGUMENTS` away from the checkout; `code` is the exit code that it must have."""

    def run(*arguments: str | Path, code: int = 0, input: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
        done = forked.run([str(argument) for argument in arguments], environment | environ, tmp_path, input)
        assert done.returncode == code, f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        return done

    return run
