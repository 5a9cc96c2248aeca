"""A new lesson: nothing is wrong with it, in whatever directory, and nothing that is there is lost to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tutor.commands.new import TEMPLATE
from tutor.course.load import load_course


def test_it_passes_the_check_and_holds_several_kinds(normtutor, tmp_path: Path) -> None:
    done = normtutor("new", "my-lesson", "--dir", tmp_path / "mine")
    path = tmp_path / "mine" / "my-lesson.yaml"
    assert str(path) in done.stdout
    assert "1 lesson, 5 steps" in normtutor("check", "--fast", path).stdout
    assert "1 lesson, 5 steps" in normtutor("check", "--fast", path.parent).stdout
    (lesson,) = load_course(path.parent).lessons
    assert len({type(step) for step in lesson.steps}) == len(lesson.steps)
    assert all(step.id.startswith("my-lesson-") for step in lesson.steps)
    assert "LESSON" not in path.read_text(encoding="utf-8").replace("open LESSON", "")


@pytest.mark.slow
def test_its_cells_give_what_it_says(normtutor, tmp_path: Path) -> None:
    normtutor("new", "mine")
    assert "Nothing wrong" in normtutor("check", tmp_path / "mine.yaml").stdout


def test_beside_other_lessons_it_passes_too(normtutor, course: Path) -> None:
    normtutor("new", "second", "--dir", course)
    assert "2 lessons" in normtutor("check", "--fast", course).stdout


def test_a_file_that_is_there_is_left_alone(normtutor, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("mine", encoding="utf-8")
    assert "there already" in normtutor("new", "mine", code=2).stderr
    assert (tmp_path / "mine.yaml").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("id", ["My-Lesson", "bài", "a b", "../up", "a/b", "", "x\x1b[2J"])
def test_a_bad_id_is_named(normtutor, tmp_path: Path, id: str) -> None:
    done = normtutor("new", id, code=2)
    assert "cannot be an id" in done.stderr and "\x1b" not in done.stderr
    assert list(tmp_path.glob("**/*.yaml")) == list((tmp_path / "course").glob("*.yaml"))


def test_ids_that_mean_something_else_are_refused(normtutor, course: Path) -> None:
    assert "claims.yaml" in normtutor("new", "claims", "--dir", course.parent / "empty", code=2).stderr
    assert "tiny-cell" in normtutor("new", "tiny-cell", "--dir", course, code=2).stderr
    assert not (course / "tiny-cell.yaml").exists()


def test_a_directory_that_cannot_be_made_is_said(normtutor, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert "Not a directory" in normtutor("new", "mine", "--dir", tmp_path / "file" / "x", code=1).stderr


def test_the_template_explains_itself() -> None:
    text = TEMPLATE.read_text(encoding="utf-8")
    steps = text.split("\n- id: LESSON-")
    assert len(steps) == 6
    assert all(
        step.rstrip().rsplit("\n\n", 1)[-1].startswith("#") for step in steps[:-1] if not step.endswith("steps:")
    )
