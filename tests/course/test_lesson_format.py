"""docs/lesson-format.md says what the code does: its examples are sound, and it leaves no field out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from tutor.course import model
from tutor.course.lint import lint
from tutor.course.load import load_course

DOCUMENT = (Path(__file__).parents[2] / "docs" / "lesson-format.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```yaml\n(.*?)```", DOCUMENT, re.DOTALL)
STEPS = [block for block in BLOCKS if "\n  kind: " in block]
(LESSON,) = [block for block in BLOCKS if block.startswith("id:")]
(GLOSSARY,) = [block for block in BLOCKS if block.startswith("LN:")]
(CLAIMS,) = [block for block in BLOCKS if "verdict: holds" in block]


def test_its_examples_make_a_sound_course(tmp_path):
    (tmp_path / "placement.yaml").write_text(
        LESSON.replace("steps: []\n", "steps:\n" + "".join(STEPS)), encoding="utf-8"
    )
    residual = "id: residual\ntitle: Residual\nminutes: 1\nsteps: [{id: r, kind: text, body: x}]\n"
    (tmp_path / "residual.yaml").write_text(residual, encoding="utf-8")
    (tmp_path / "glossary.yaml").write_text(GLOSSARY, encoding="utf-8")
    (tmp_path / "claims.yaml").write_text(CLAIMS, encoding="utf-8")
    course = load_course(tmp_path)
    assert [str(finding) for finding in [*course.findings, *lint(course)]] == []
    kinds = {type(step) for step in course.lessons[1].steps}
    assert kinds == set(get_args(model.AnyStep)), "an example of every kind"


PARTS = [
    part
    for part in vars(model).values()
    if isinstance(part, type) and issubclass(part, model.Part) and part not in (model.Part, model.Step)
]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_every_field_is_in_an_example(part):
    examples = "".join(BLOCKS)
    for field in msgspec.structs.fields(part):
        if field.name not in ("vi", "en"):
            assert re.search(rf"[ {{-]{field.encode_name}:|^{field.encode_name}:", examples, re.MULTILINE), field.name


def test_the_messages_that_it_shows_are_those_of_the_code(files):
    files.write(files.sound(**files.changed("text", "  body:", "  boddy:")))
    (finding,) = load_course(files.root).findings
    assert finding.message in DOCUMENT
    files.write(files.sound(**files.changed("number", "[3, 5]", "[3, 1e5]")))
    (finding,) = load_course(files.root).findings
    assert finding.message in DOCUMENT
