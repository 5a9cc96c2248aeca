"""docs/lesson-format.md says what the code does: its examples are sound, and it leaves no field out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from tutor.commands.static import static_findings
from tutor.commands.verify_cells import verify_cells
from tutor.course import model
from tutor.course.lint import lint
from tutor.course.load import load_course
from tutor.course.scope import scope_of

DOCUMENT = (Path(__file__).parents[2] / "docs" / "lesson-format.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```yaml\n(.*?)```", DOCUMENT, re.DOTALL)
(WORKED,) = [block for block in BLOCKS if "\nsteps:\n- id: two-norms" in block]
STEPS = [block for block in BLOCKS if "\n  kind: " in block and block != WORKED]
(LESSON,) = [block for block in BLOCKS if block.startswith("id:")]
(GLOSSARY,) = [block for block in BLOCKS if block.startswith("LN:")]
(CLAIMS,) = [block for block in BLOCKS if "verdict: holds" in block]
(PROMISED,) = [block for block in BLOCKS if block.startswith("- id: close-when-centred")]


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


@pytest.fixture
def worked(tmp_path):
    """The course that is made from nothing."""
    (tmp_path / "rms-or-ln.yaml").write_text(WORKED, encoding="utf-8")
    (tmp_path / "claims.yaml").write_text(PROMISED, encoding="utf-8")
    return tmp_path


def test_the_worked_example_is_sound_and_fails_as_it_says(worked):
    assert [str(finding) for finding in static_findings(scope_of(worked))] == []
    (lesson,) = load_course(worked).lessons
    assert f"1 lesson, {len(lesson.steps)} steps." in DOCUMENT
    without = re.sub(r"(?ms)^- id: guess-gap$.*?(?=^- id)", "", WORKED)
    (worked / "rms-or-ln.yaml").write_text(without, encoding="utf-8")
    (finding,) = static_findings(scope_of(worked))
    assert f"my-course/claims.yaml:{finding.line}: {finding.message}" in DOCUMENT


@pytest.mark.slow
async def test_the_cell_of_the_worked_example_runs_and_measures_what_its_text_says(worked):
    assert await verify_cells(load_course(worked)) == []


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
