import json
from pathlib import Path

from tutor.memory import events
from tutor.memory.journal import Journal


def answered(home: Path, step: str, verdict: str, *, days_ago: int = 0) -> None:
    """Writes an answer to the journal, as of some days ago."""
    from datetime import datetime, timedelta

    def clock() -> datetime:
        return datetime.now().astimezone() - timedelta(days=days_ago)

    with Journal(home, clock=clock) as journal:
        journal.append(events.ANSWERED, step=step, answer="x", verdict={"step": step, "verdict": verdict})


def test_the_document_has_the_promised_keys_and_the_learners_progress(normtutor, environment: dict[str, str]) -> None:
    home = Path(environment["NORMTUTOR_HOME"])
    with Journal(home) as journal:
        journal.append(events.SEEN, step="tiny-text")
    answered(home, "tiny-choice", "right", days_ago=3)
    answered(home, "tiny-number", "right")
    answered(home, "gone-from-the-course", "wrong", days_ago=9)
    document = json.loads(normtutor("list", "--json", "--lang", "vi").stdout)
    assert document["due"] == 1
    (lesson,) = document["lessons"]
    assert (lesson["id"], lesson["title"]) == ("tiny", "Bài nhỏ")
    assert [(step["id"], step["kind"], step["done"]) for step in lesson["steps"]] == [
        ("tiny-text", "text", True),
        ("tiny-choice", "choice", True),
        ("tiny-number", "number", True),
        ("tiny-cell", "cell", False),
        ("tiny-predict", "predict", False),
        ("tiny-short", "short", False),
    ]
    assert lesson["steps"][1]["claims"] == ["root"]


def test_the_table_is_read_in_both_languages(normtutor) -> None:
    english = normtutor("list", "--lang", "en").stdout
    assert "tiny: A tiny lesson (0 of 6 steps, 1 minute)" in english
    assert "· tiny-choice   choice\n" in english
    assert "· tiny-choice   choice    root\n" in normtutor("list", "--lang", "en", "--claims").stdout
    assert "0 answers are due" in english
    assert "tiny: Bài nhỏ" in normtutor("list", "--lang", "vi").stdout


def test_a_broken_lesson_is_named_and_the_others_are_listed(normtutor, course: Path) -> None:
    (course / "broken.yaml").write_text("id: broken\ntitel: x\n")
    done = normtutor("list", code=1)
    assert "broken.yaml:2: unknown key `titel`; did you mean `title`?" in done.stderr
    assert "tiny-choice" in done.stdout
    json.loads(normtutor("list", "--json", code=1).stdout)


def test_a_course_that_is_not_there(normtutor, tmp_path: Path) -> None:
    done = normtutor("list", NORMTUTOR_COURSE=str(tmp_path / "nowhere"), code=1)
    assert "nowhere" in done.stderr
    (tmp_path / "empty").mkdir()
    assert "no lessons" in normtutor("list", NORMTUTOR_COURSE=str(tmp_path / "empty")).stdout


def test_a_damaged_history_is_told_and_used(normtutor, environment: dict[str, str]) -> None:
    home = Path(environment["NORMTUTOR_HOME"])
    answered(home, "tiny-choice", "right")
    file = next(home.glob("*.jsonl"))
    file.write_bytes(b"garbage\n" + file.read_bytes())
    done = normtutor("list")
    assert f"{file}:1" in done.stderr
    assert "✓ tiny-choice" in done.stdout


def test_an_answer_is_marked_by_its_verdict_as_in_the_app(normtutor, environment: dict[str, str]) -> None:
    home = Path(environment["NORMTUTOR_HOME"])
    answered(home, "tiny-choice", "right")
    answered(home, "tiny-number", "wrong")
    answered(home, "tiny-short", "partly")
    text = normtutor("list").stdout
    assert "✓ tiny-choice" in text and "✗ tiny-number" in text and "~ tiny-short" in text and "· tiny-cell" in text
    answered(home, "tiny-short", "unsure")
    assert "? tiny-short" in normtutor("list").stdout


def test_the_marks_are_those_of_the_app() -> None:
    from tutor.commands.list import MARKS
    from tutor.ui.screens import steps

    assert steps.MARKS == MARKS


def test_a_question_that_is_not_right_names_the_steps_that_teach_it(
    normtutor, course: Path, environment: dict[str, str]
) -> None:
    lesson = (course / "tiny.yaml").read_text(encoding="utf-8")
    (course / "tiny.yaml").write_text(lesson.replace("kind: text\n", "kind: text\n  claims: [root]\n"))

    def listed() -> dict:
        (found,) = json.loads(normtutor("list", "--json").stdout)["lessons"]
        return {step["id"]: step for step in found["steps"]}["tiny-choice"]

    assert (listed()["verdict"], listed()["revisit"]) == (None, [])
    answered(Path(environment["NORMTUTOR_HOME"]), "tiny-choice", "wrong")
    assert (listed()["verdict"], listed()["revisit"]) == ("wrong", ["tiny-text"])
    assert "✗ tiny-choice   choice    → tiny-text\n" in normtutor("list").stdout
    assert "choice    root  → tiny-text\n" in normtutor("list", "--claims").stdout
    answered(Path(environment["NORMTUTOR_HOME"]), "tiny-choice", "right")
    assert (listed()["verdict"], listed()["revisit"]) == ("right", [])
