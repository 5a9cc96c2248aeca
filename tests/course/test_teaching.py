from __future__ import annotations

from tutor.course.load import load_course
from tutor.course.model import (
    Ask,
    CellStep,
    ChoiceStep,
    Course,
    Lesson,
    Option,
    PredictNumber,
    PredictStep,
    Text,
    TextStep,
)
from tutor.course.teaching import taught_in


def text(id: str, *claims: str) -> TextStep:
    return TextStep(id=id, claims=claims, body=Text("a", "a"))


def cell(id: str, *claims: str) -> CellStep:
    return CellStep(id=id, claims=claims, code="1")


def choice(id: str, *claims: str) -> ChoiceStep:
    return ChoiceStep(id=id, claims=claims, prompt=Text("a", "a"), options=(Option(id="o", text=Text("a", "a")),))


def guess(id: str, *claims: str) -> PredictStep:
    return PredictStep(
        id=id, claims=claims, prompt=Text("a", "a"), cell="1", ask=Ask(number=PredictNumber(value="1"))
    )  # fmt: skip


def lesson(id: str, *steps) -> Lesson:
    return Lesson(id=id, title=Text(id, id), minutes=1, steps=steps)


COURSE = Course(
    lessons=(
        lesson("one", text("first", "a"), choice("asks", "a", "b"), text("both", "a", "b"), cell("later", "a", "b")),
        lesson("two", guess("guess", "c"), text("again", "c")),
        lesson("end", choice("quiz", "c", "a", "b"), guess("self", "c", "d")),
    )
)


def named(question) -> list[tuple[str, str, int]]:
    return [(taught.lesson.id, taught.step.id, taught.number) for taught in taught_in(COURSE, question)]


def test_as_few_steps_as_teach_all_of_it_the_earliest_that_do() -> None:
    assert named(choice("q", "a")) == [("one", "first", 1)]
    assert named(choice("q", "a", "b")) == [("one", "both", 3)]
    assert named(choice("q", "c", "a", "b")) == [("one", "both", 3), ("two", "guess", 1)]


def test_questions_teach_nothing_and_a_prediction_does_not_send_back_to_itself() -> None:
    assert named(choice("q", "d")) == [("end", "self", 2)]
    assert named(COURSE.lessons[2].steps[1]) == [("two", "guess", 1)]
    assert named(choice("q")) == []
    assert named(choice("q", "nobody-teaches-this")) == []


def test_a_summary_is_named_only_for_what_nothing_else_teaches() -> None:
    course = Course(lessons=(lesson("one", text("x", "a"), text("y", "b"), text("sum", "a", "b", "c")),))

    def steps(*claims: str) -> list[str]:
        return [taught.step.id for taught in taught_in(course, choice("q", *claims))]

    assert steps("a", "b") == ["x", "y"]
    assert steps("a", "c") == ["sum"]


def test_a_borrowed_step_is_named_where_it_belongs(files) -> None:
    files.write(files.sound())
    files.write(
        "id: also\ntitle: x\nminutes: 1\nneeds: [sound]\nborrows: [{step: stream}]\nsteps:\n"
        "- {id: another, kind: text, body: x, claims: [pre-norm]}\n",
        "also.yaml",
    )
    course = load_course(files.root)
    (taught,) = taught_in(course, choice("q", "pre-norm"))
    assert (taught.lesson.id, taught.step.id, taught.number) == ("sound", "stream", 1)
