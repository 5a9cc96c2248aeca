"""A course for reviews in a few lines, and the events of its answers."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

from tutor.course.model import (
    ChoiceStep,
    Course,
    ExerciseStep,
    Lesson,
    Misconception,
    Mutant,
    NumberStep,
    Option,
    Point,
    Question,
    ShortStep,
    Text,
    TextStep,
)
from tutor.memory import events
from tutor.memory.cards import cards_of
from tutor.memory.days import Days
from tutor.memory.due import CardState
from tutor.memory.events import VERSION, Event
from tutor.memory.progress import fold
from tutor.memory.schedule import states

HANOI = timezone(timedelta(hours=7))
FIRST = date(2026, 8, 1)


def say(text: str) -> Text:
    return Text(text, text)


def choice(id: str, **fields: Any) -> ChoiceStep:
    options = (Option(id="a", text=say("a"), right=True), Option(id="b", text=say("b"), why=say("not b")))
    return ChoiceStep(id=id, prompt=say(id), options=options, **fields)


def number(id: str, **fields: Any) -> NumberStep:
    return NumberStep(id=id, prompt=say("{a}?"), answer="a", vary={"a": (1, 2, 3)}, **fields)


def short(id: str, *misconceptions: str, **fields: Any) -> ShortStep:
    named = tuple(Misconception(id=name, any=("X",), say=say(name)) for name in misconceptions)
    points = (Point(id="p", any=("X",), required=True),)
    return ShortStep(id=id, prompt=say(id), points=points, model_answer=say("x"), misconceptions=named, **fields)


def exercise(id: str, *mutants: str, **fields: Any) -> ExerciseStep:
    known = tuple(Mutant(id=name, say=say(name), code="") for name in mutants)
    return ExerciseStep(
        id=id,
        prompt=say(id),
        entry="f(x)",
        reference="r",
        starter="",
        checks=(),
        solutions=("",),
        mutants=known,
        **fields,
    )


def course(*lessons: tuple[Question, ...]) -> Course:
    """Lessons `l1`, `l2` and so on with these questions, each after a text."""
    return Course(
        lessons=tuple(
            Lesson(
                id=f"l{number}",
                title=say(f"Lesson {number}"),
                minutes=5,
                steps=(TextStep(id=f"t{number}", body=say("text")), *steps),
            )
            for number, steps in enumerate(lessons, start=1)
        )
    )


def at(day: float, hour: float = 12, zone: timezone = HANOI) -> datetime:
    """A local time, `day` days after the first of August."""
    return datetime(2026, 8, 1, tzinfo=zone) + timedelta(days=day, hours=hour)


def event(moment: datetime, kind: str, id: str = "", /, **data: Any) -> Event:
    offset = (moment.utcoffset() or timedelta()) // timedelta(minutes=1)
    name = id or f"{moment.isoformat()}-{kind}-{data.get('step')}-{data.get('verdict')}"
    return Event(name, VERSION, moment.astimezone(UTC), offset, "s", kind, data)


def answered(moment: datetime, word: str, step: str = "q", *, id: str = "", named: str = "", **data: Any) -> Event:
    verdict: dict[str, Any] = {"step": step, "verdict": word}
    if named:
        verdict["misconception"] = {"id": named, "message": named}
    return event(moment, events.ANSWERED, id, step=step, answer="x", verdict=verdict, **data)


def replay(happened: list[Event], course: Course, now: datetime, days: Days | None = None) -> dict[str, CardState]:
    """The states of the cards at a local time."""
    days = days or Days()
    found = states(cards_of(course), fold(happened), days, days.today(now))
    return {state.card: state for state in found}
