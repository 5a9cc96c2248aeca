"""The course's glossary, and the review questions as steps: those of the lessons, and those in tests/data."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from tutor.course.load import load_course
from tutor.course.model import Concept, ShortStep, Text

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"


def text_hook(kind: type, value: Any) -> Any:
    if kind is Text:
        return Text(value, value) if isinstance(value, str) else Text(**value)
    raise NotImplementedError(kind)


@cache
def course_glossary() -> dict[str, Concept]:
    read = yaml.safe_load((ROOT / "lessons" / "glossary.yaml").read_text(encoding="utf-8"))
    return msgspec.convert(read, dict[str, Concept])


@cache
def review_questions() -> dict[str, ShortStep]:
    read = yaml.safe_load((DATA / "review_questions.yaml").read_text(encoding="utf-8"))
    questions = {step.id: step for step in msgspec.convert(read, list[ShortStep], dec_hook=text_hook)}
    lessons = load_course(ROOT / "lessons").lessons
    return questions | {step.id: step for lesson in lessons for step in lesson.steps if isinstance(step, ShortStep)}


def answers(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def glossary() -> dict[str, Concept]:
    return course_glossary()


@pytest.fixture
def questions() -> dict[str, ShortStep]:
    return review_questions()
