"""The course's glossary, and its questions that are answered in words."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from tutor.course.load import load_course
from tutor.course.model import Concept, ShortStep

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"


@cache
def course_glossary() -> dict[str, Concept]:
    read = yaml.safe_load((ROOT / "lessons" / "glossary.yaml").read_text(encoding="utf-8"))
    return msgspec.convert(read, dict[str, Concept])


@cache
def review_questions() -> dict[str, ShortStep]:
    lessons = load_course(ROOT / "lessons").lessons
    return {step.id: step for lesson in lessons for step in lesson.steps if isinstance(step, ShortStep)}


def answers(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def glossary() -> dict[str, Concept]:
    return course_glossary()


@pytest.fixture
def questions() -> dict[str, ShortStep]:
    return review_questions()
