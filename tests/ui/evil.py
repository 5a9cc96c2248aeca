"""A course, a learner's files and a kernel in which every text is hostile."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from kernels.lab.catalogue import EXPERIMENTS
from tests.text.test_sanitize import HOSTILE
from tutor.course.yaml_lines import LOADER
from tutor.memory import events
from tutor.memory.journal import Journal

MARK = "[@click=app.quit]x[/]"
"""Seen on the screen it says that the text got there, and that its markup did nothing."""
EVIL = (
    f"{MARK} [link=http://a][red]y[/red][/link] \x1b[2J\x9b2J\x1b]52;c;eA==\x07\x1b]8;;http://a/\x1b\\z\x1b]8;;\x1b\\"
    "\x08\x85\u202e\u2067\u200b\ue000e" + "\u0301" * 30 + "\x1b[31;5m\x1b[3;1H\x00\x7f\x0e"
)
"""One line of each kind, for places that have room for one line."""
LONG = EVIL + "W" * 3000
ALL = "\n".join([MARK, *(text for _, text, _ in HOSTILE), "\x1b]0;never ended"])
"""Every text of the table of `test_sanitize`."""
BREAK = """
id: breaking
title: Break
minutes: 1
steps:
- id: breaks
  kind: break
  prompt: Break it.
  faulty: one_pass_variance
  input: {x: {vi: một hàng, en: a row}}
  broken_if: relative_error > 0.1
  solutions: ["x = [10000.0, 10001.0]"]
"""
_TEXTS = frozenset(
    {"title", "body", "prompt", "text", "why", "about", "says", "say", "hint", "hints", "model_answer", "statement"}
    | {"name", "also", "vi", "en", "x_label"}
)
_CODE = frozenset({"code", "cell", "starter"})


def hostile(value: Any, text: str = EVIL, key: str = "") -> Any:
    """The tree of a lesson with the hostile text at the end of every text in it, and in its code."""
    if isinstance(value, dict):
        return {name: hostile(part, text, str(name)) for name, part in value.items()}
    if isinstance(value, list):
        return [hostile(part, text, key) for part in value]
    if not isinstance(value, str):
        return value
    if key in _CODE:
        return f"# {text}\n{value}"
    return f"{value} {text}" if key in _TEXTS else value


def write(root: Path, name: str, document: Any) -> None:
    """A file of a course: JSON is YAML, with escapes for all that YAML does not have as it is."""
    root.mkdir(exist_ok=True)
    (root / f"{name}.yaml").write_text(json.dumps(document), encoding="utf-8")


def course(root: Path, *lessons: str) -> Path:
    """A course of lessons (YAML) made hostile, with what lies beside them."""
    for lesson in lessons:
        document = hostile(yaml.load(lesson, Loader=LOADER))
        write(root, document["id"], document)
    return root


def written(home: Path) -> None:
    """A journal whose every text is hostile, as somebody may have edited it."""
    verdict = {"step": "pick", "verdict": "wrong", "score": 0.0, "feedback": EVIL}
    verdict["misconception"] = {"id": EVIL, "message": EVIL}
    experiment = EXPERIMENTS["hidden-variance"]
    curve = {"label": EVIL, "arch": "pre", "x": [0, 1], "y": [1.0, 2.0], "x_label": EVIL, "y_label": EVIL}
    said = {"en": EVIL, "vi": EVIL}
    views = [{"view": view.name, "curves": [curve], "reading": said, "x_label": said} for view in experiment.views]
    sketch = {"view": "variance", "curve": EVIL, "x": [0, 1], "factors": [1.0, 2.0]}
    with Journal(home, clock=lambda: datetime.now().astimezone() - timedelta(days=4)) as journal:
        for step in ("pick", "count", "tell", "chain", "line"):
            journal.append(events.ANSWERED, step=step, answer=EVIL, verdict=verdict | {"step": step}, version=1)
            journal.append(events.DRAFT, step=step, field="answer", text=EVIL)
            journal.append(events.DRAFT, step=step, field="review-answer", text=ALL)
        journal.append(events.DRAFT, step="play", field="code", text=ALL)
        journal.append(events.FLAGGED, step="several", note=ALL)
        journal.append(events.SETTING, name="theme", value=EVIL)
        journal.append(
            events.LAB,
            experiment="hidden-variance",
            parameters=experiment.values({}),
            views=views,
            command=EVIL,
            device=EVIL,
            versions={EVIL: EVIL},
            sketch=sketch,
        )
