"""The schema for editors accepts what the loader accepts, and refuses what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from tests.course.conftest import CLAIMS, GLOSSARY, STEPS
from tutor.commands.schema import KINDS
from tutor.course.load import load_lesson
from tutor.course.schema import FILES, schema

LESSONS = Path(__file__).parents[2] / "lessons"


def errors(text: str, file: str = "lesson") -> list[str]:
    document = yaml.load(text, yaml.CSafeLoader)  # the parser that the loader uses
    return [error.message for error in Draft202012Validator(schema(file)).iter_errors(document)]


def test_every_kind_of_file_has_one_and_it_is_json():
    assert tuple(FILES) == KINDS
    for kind in KINDS:
        Draft202012Validator.check_schema(json.loads(json.dumps(schema(kind))))


@pytest.mark.parametrize("path", sorted(LESSONS.glob("*.yaml")), ids=lambda path: path.stem)
def test_the_files_of_the_course_fit(path):
    kind = path.stem if path.stem in FILES else "lesson"
    if kind != "lesson" or load_lesson(path)[0] is not None:
        assert errors(path.read_text(encoding="utf-8"), kind) == []


def test_a_sound_lesson_fits(files):
    assert errors(files.sound()) == errors(CLAIMS, "claims") == errors(GLOSSARY, "glossary") == []


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("text", "  body:", "  boddy:"),
        ("text", "kind: text", "kind: txt"),
        ("choice", "text: d", "text: no"),
        ("choice", "text: d", "text: {vi: d}"),
        ("choice", "text: d", "text: ''"),
        ("choice", "text: d", "text: {vi: d, en: e, fr: f}"),
        ("choice", "id: batch", "id: Batch"),
        ("choice", "right: true", "right: 1"),
        ("number", "a: [3, 5]", "a: [3, x]"),
        ("short", "verdict: right", "verdict: rigth"),
        ("short", "required: true", "required: true\n    hint: null"),
        ("predict", "  ask:\n    choice:", "  ask:\n    choise:"),
        ("cell", "  code: |\n    a = 1\n    print(a)\n", "  about: {vi: a, en: b}\n"),
    ],
)
def test_what_the_loader_refuses_does_not_fit(files, kind, old, new):
    assert old in STEPS[kind]
    text = files.sound(**files.changed(kind, old, new))
    assert files.load(text)[0] is None
    assert errors(text)


def test_descriptions_are_for_authors():
    described = schema()["$defs"]["Lesson"]["description"]
    assert described == "One lesson file."
    assert "pattern" in schema()["$defs"]["CellStep"]["properties"]["id"]
    assert "null" not in json.dumps(schema()).replace('"default": null', "")
