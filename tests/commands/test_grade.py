import json
from pathlib import Path

import pytest

from tutor.commands.grade import document, lines
from tutor.course.load import load_course
from tutor.course.model import ShortStep
from tutor.grading.verdict import Check, Named, PointFound, Verdict

LESSONS = Path(__file__).parents[2] / "lessons"
README = LESSONS.parent / "README.md"


def verdict(done) -> dict:
    return json.loads(done.stdout)


def test_the_document_has_the_promised_keys(normtutor) -> None:
    found = verdict(normtutor("grade", "tiny-short", "--json", "-", input="the cat barks\n"))
    assert found.keys() >= {"step", "verdict", "score", "points", "misconception", "checks", "feedback"}
    assert (found["step"], found["verdict"]) == ("tiny-short", "wrong")
    assert found["misconception"] == {"id": "barks", "message": "Dogs bark."}
    assert [(point["id"], point["found"]) for point in found["points"]] == [("meow", False)]


def test_an_answer_comes_from_a_file_standard_input_or_the_command_line(normtutor, tmp_path: Path) -> None:
    (tmp_path / "answer with space.txt").write_text("\ufeffcon mèo kêu meo meo, mèo kêu meo\r\n", encoding="utf-8")
    by_file = verdict(normtutor("grade", "tiny-short", "--json", "answer with space.txt"))
    by_pipe = verdict(normtutor("grade", "tiny-short", "--json", "-", input="con mèo kêu meo meo, mèo kêu meo"))
    by_word = verdict(normtutor("grade", "tiny-short", "--json", "--answer", "con mèo kêu meo meo, mèo kêu meo"))
    assert by_file == by_pipe == by_word
    assert by_file["verdict"] == "right"


def test_feedback_is_in_the_chosen_language(normtutor) -> None:
    assert "Chó mới sủa." in normtutor("grade", "tiny-short", "--lang", "vi", "--answer", "cats bark").stdout
    assert "Because of that." in normtutor("grade", "tiny-choice", "--lang", "en", "--answer", "bad").stdout


def test_the_seed_chooses_the_values_of_a_varying_question(normtutor) -> None:
    answers = {
        verdict(normtutor("grade", "tiny-number", "--json", "--seed", str(seed), "--answer", "3.5355"))["verdict"]
        for seed in range(6)
    }
    assert answers == {"right", "wrong"}
    assert verdict(normtutor("grade", "tiny-number", "--json", "--answer", "5"))["misconception"] == {
        "id": "wrong-1",
        "message": "Not divided by 2.",
    }


def test_the_exit_code_is_no_verdict_and_the_help_and_readme_say_so(normtutor) -> None:
    assert verdict(normtutor("grade", "tiny-choice", "--json", "--answer", "bad", code=0))["verdict"] == "wrong"
    told = " ".join(normtutor("grade", "--help").stdout.split())
    assert "0 graded, whatever the verdict" in told
    row = next(row for row in README.read_text(encoding="utf-8").split("\n") if row.startswith("| `normtutor grade "))
    assert "0 whatever the verdict" in row


def test_the_question_of_a_varied_number_is_told_with_its_values(normtutor) -> None:
    told = {}
    for seed in (0, *range(1, 6)):
        done = normtutor("grade", "tiny-number", "--seed", str(seed), "--answer", "3.5355")
        first, verdict_line, *_rest = done.stdout.split("\n")
        found = verdict(normtutor("grade", "tiny-number", "--seed", str(seed), "--json", "--answer", "3.5355"))
        assert first == f"Question: {found['question']}" and verdict_line[0] in "✓✗~"
        told[first] = found["verdict"]
    assert told["Question: The RMS of [3, 4]?"] == "right"
    assert len(told) > 1 and all("{" not in question for question in told)
    assert "Câu hỏi: RMS của [3, 4]?" in normtutor("grade", "tiny-number", "--lang", "vi", "--answer", "1").stdout
    assert "Question:" not in normtutor("grade", "tiny-choice", "--answer", "good").stdout


@pytest.mark.slow
def test_a_prediction_is_judged_by_running_its_cell_and_what_that_needs(normtutor) -> None:
    assert verdict(normtutor("grade", "tiny-predict", "--json", "--answer", "up"))["verdict"] == "right"


def test_a_prediction_that_cannot_be_read_runs_nothing(normtutor) -> None:
    found = verdict(normtutor("grade", "tiny-predict", "--json", "--answer", "sideways"))
    assert found["verdict"] == "unreadable" and "up" in found["feedback"]


@pytest.mark.slow
def test_a_cell_that_fails_is_our_fault(normtutor, course: Path) -> None:
    (course / "tiny.yaml").write_text((course / "tiny.yaml").read_text().replace("larger = base + 1", "larger = 1 / 0"))
    found = verdict(normtutor("grade", "tiny-predict", "--json", "--answer", "up", code=1))
    assert found["verdict"] == "not-graded" and found["score"] is None
    assert "ZeroDivisionError" in found["feedback"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("tiny", "-"), "Its questions: tiny-choice, tiny-number"),
        (("tiny-text", "-"), "is a text"),
        (("tiny-cell", "-"), "is a cell"),
        (("tiny-shrot", "-"), "Did you mean tiny-short"),
        (("tiny-short",), "--answer TEXT"),
        (("tiny-short", "nowhere.txt"), "nowhere.txt: No such file"),
        (("tiny-short", "."), "Is a directory"),
        (("tiny-short", "binary"), "not text"),
        (("tiny-short", "latin"), "not text"),
        (("tiny-short", "huge"), "64 kB"),
        (("tiny-short", "-", "--json", "-"), "unknown arguments: -"),
        (("tiny-short", "-", "--answer", "x"), "in one way"),
    ],
)
def test_wrong_use_is_exit_code_2(normtutor, tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    (tmp_path / "binary").write_bytes(b"\x7fELF\0\0")
    (tmp_path / "latin").write_bytes("mèo".encode("latin-1"))
    (tmp_path / "huge").write_text("meow " * 20_000)
    assert says in normtutor("grade", *arguments, code=2).stderr


def test_grading_writes_nothing(normtutor, environment: dict[str, str]) -> None:
    normtutor("grade", "tiny-choice", "--answer", "good")
    assert not Path(environment["NORMTUTOR_HOME"]).exists()


def test_a_question_in_a_lesson_that_does_not_load_is_the_courses_fault(normtutor, course: Path) -> None:
    (course / "tiny.yaml").write_text((course / "tiny.yaml").read_text().replace("minutes: 1", "minute: 1"))
    done = normtutor("grade", "tiny-short", "--answer", "x", code=1)
    assert "tiny.yaml:4: unknown key `minute`; did you mean `minutes`?" in done.stderr


def test_formulas_are_drawn_and_not_shown_as_they_are_written() -> None:
    told = "Post-LN is **not** $\\text{LN}(x) + \\text{F}(x)$."
    verdict = Verdict(
        step="q",
        verdict="wrong",
        points=(PointFound("p", found=False, says=told, hint=told),),
        misconception=Named("m", told),
        checks=(Check("c", passed=False, message=told),),
        feedback=f"{told} {'It is long. ' * 20}\n\n{told}",
    )
    found = document(verdict)
    drawn = "Post-LN is not LN(x) + F(x)."
    assert found["points"] == [{"id": "p", "found": False, "says": drawn, "hint": drawn}]
    assert found["misconception"]["message"] == found["checks"][0]["message"] == drawn
    first, empty, last = found["feedback"].split("\n")
    assert first.startswith(drawn) and empty == "" and last == drawn
    question = next(
        step for lesson in load_course(LESSONS).lessons for step in lesson.steps if isinstance(step, ShortStep)
    )
    shown = "\n".join(lines(question, verdict))
    assert shown.count(drawn) == 5
    assert "$" not in shown and "\\" not in shown and "**" not in shown


def test_what_is_not_right_is_told_where_it_is_taught(normtutor, course: Path) -> None:
    lesson = (course / "tiny.yaml").read_text(encoding="utf-8")
    (course / "tiny.yaml").write_text(lesson.replace("kind: text\n", "kind: text\n  claims: [root]\n"))
    assert verdict(normtutor("grade", "tiny-choice", "--json", "--answer", "bad"))["revisit"] == ["tiny-text"]
    assert "normtutor open tiny-text" in normtutor("grade", "tiny-choice", "--answer", "bad").stdout
    assert verdict(normtutor("grade", "tiny-choice", "--json", "--answer", "good"))["revisit"] == []
    assert "normtutor open" not in normtutor("grade", "tiny-choice", "--answer", "good").stdout
    assert "normtutor open" not in normtutor("grade", "tiny-choice", "--answer", "what?").stdout
