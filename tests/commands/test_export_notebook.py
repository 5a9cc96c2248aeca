"""Notebooks: every lesson gives a valid one in both languages, answers are folded away, and one is run as a whole."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tutor.commands.export.notebook_cells import notebook
from tutor.course.load import load_course
from tutor.course.model import ChoiceStep, Course, ExerciseStep, Lang, PredictStep, ShortStep
from tutor.text import i18n

QUICKEST = "models"


@pytest.fixture(scope="module")
def shipped() -> Course:
    return load_course(Path(__file__).parents[2] / "lessons")


@pytest.fixture(params=["vi", "en"])
def lang(request: pytest.FixtureRequest) -> Any:
    i18n.set_language(request.param)
    return request.param


def test_every_lesson_gives_a_valid_notebook(shipped: Course, lang: Lang) -> None:
    for lesson in shipped.lessons:
        made = notebook(shipped, lesson, lang)
        nbformat.validate(made, relax_add_props=False)
        code = [cell.source for cell in made.cells if cell.cell_type == "code"]
        for source in code:
            compile(source, lesson.id, "exec")
        prose = [cell.source for cell in made.cells if cell.cell_type == "markdown"]
        # Braces in braces may be LaTeX's own, as in `2^{{n}}`; a reference has a point.
        assert not any(re.search(r"\{\{[\w-]+\.[\w-]+\}\}", source) for source in prose)
        assert all(source.count("<details>") == source.count("\n</details>") for source in prose)
        assert made.cells[0].source.startswith(f"# {lesson.title.get(lang)}")
        assert "from kernels import *" in code[0] and code[0].index("TRITON_INTERPRET") < code[0].index("kernels")


def cells_of(made: Any, step: str) -> list[Any]:
    return [cell for cell in made.cells if cell.id == step or cell.id.partition("_")[0] == step]


def test_answers_are_folded_away_below_the_question(shipped: Course, lang: Lang) -> None:
    seen = set()
    for lesson in shipped.lessons:
        made = notebook(shipped, lesson, lang)
        for step in lesson.steps:
            if isinstance(step, ChoiceStep | ShortStep):
                source = cells_of(made, step.id)[0].source
                open_part, folded = source.split("<details>", 1)
                assert step.prompt.get(lang).split("{{")[0].strip()[:40] in open_part
                answer = step.model_answer if isinstance(step, ShortStep) else step.why
                if answer is not None:
                    begin = answer.get(lang).split("{{")[0].strip()[:60]
                    assert begin in folded and begin not in open_part
                seen.add(type(step))
            elif isinstance(step, PredictStep):
                kinds = [cell.cell_type for cell in cells_of(made, step.id)]
                assert kinds[:1] == ["markdown"] and kinds.count("code") >= 2
                seen.add(type(step))
            elif isinstance(step, ExerciseStep):
                cells = cells_of(made, step.id)
                code = [cell.source for cell in cells if cell.cell_type == "code"]
                assert step.starter.strip() in code
                assert step.solutions[0].strip() not in code and step.solutions[0].strip() in cells[-1].source
                seen.add(type(step))
    assert seen == {ChoiceStep, ShortStep, PredictStep, ExerciseStep}


def test_what_an_exercise_defines_does_not_reach_the_lessons_cells(shipped: Course) -> None:
    norms = shipped.lesson("norms")
    assert norms is not None
    sources = [cell.source for cell in notebook(shipped, norms, "en").cells]
    starter = next(at for at, source in enumerate(sources) if "def rms_norm" in source and "<details>" not in source)
    again = next(at for at, source in enumerate(sources) if source.endswith("\nfrom kernels import rms_norm"))
    used = [at for at, source in enumerate(sources) if "rms_norm(" in source and "<details>" not in source]
    assert starter < again < min(at for at in used if at > starter)


def test_two_exports_are_the_same(shipped: Course) -> None:
    lesson = shipped.lessons[0]
    assert nbformat.writes(notebook(shipped, lesson, "en")) == nbformat.writes(notebook(shipped, lesson, "en"))


def test_a_starter_that_would_take_a_later_cells_variable_is_shown_only(tmp_path: Path) -> None:
    lesson = """
id: clash
title: Clash
minutes: 1
steps:
- {id: sets, kind: cell, code: "x = [1.0, 2.0]"}
- id: breaks
  kind: break
  prompt: Break it.
  faulty: one_pass_variance
  input: {x: a row}
  broken_if: relative_error > 0.1
  starter: "x = [3.0]"
  solutions: ["x = [10000.0, 10001.0]"]
- {id: reads, kind: cell, code: "print(sum(x))"}
"""
    (tmp_path / "clash.yaml").write_text(lesson, encoding="utf-8")
    course = load_course(tmp_path)
    cells = notebook(course, course.lessons[0], "en").cells
    assert [cell.source for cell in cells if cell.cell_type == "code"][1:] == ["x = [1.0, 2.0]", "print(sum(x))"]
    assert any("x = [3.0]" in cell.source for cell in cells if cell.cell_type == "markdown")


def test_the_command_writes_a_file_and_never_over_another(normtutor, tmp_path: Path) -> None:
    normtutor("export", "notebook", "tiny")
    made = tmp_path / "tiny.ipynb"
    nbformat.validate(nbformat.read(made, as_version=4))
    made.write_text("mine")
    assert "--force" in normtutor("export", "notebook", "tiny", code=2).stderr
    assert made.read_text() == "mine"
    normtutor("export", "notebook", "tiny", made, "--force", "--lang", "vi")
    assert "Bài nhỏ" in made.read_text(encoding="utf-8")
    shown = json.loads(normtutor("export", "notebook", "tiny", "-").stdout)
    assert shown["nbformat"] == 4
    assert "Did you mean tiny" in normtutor("export", "notebook", "tiyn", code=2).stderr
    assert "No such file" in normtutor("export", "notebook", "tiny", tmp_path / "no" / "x.ipynb", code=1).stderr


@pytest.mark.slow
def test_a_notebook_runs_from_top_to_bottom(shipped: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nbclient import NotebookClient

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    lesson = shipped.lesson(QUICKEST)
    assert lesson is not None
    made = notebook(shipped, lesson, "en")
    NotebookClient(made, timeout=90, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    prediction = next(step for step in lesson.steps if isinstance(step, PredictStep) and step.ask.choice)
    marks = next(cell for cell in cells_of(made, prediction.id) if cell.source.startswith('print("✓"'))
    printed = "".join(output["text"] for output in marks.outputs)
    assert printed.count("✓") == 1 and printed.count("✗") == len(prediction.ask.choice) - 1
    assert all("error" not in {output.output_type for output in cell.get("outputs", ())} for cell in made.cells)
