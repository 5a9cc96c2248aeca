from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.memory import deck
from tutor.course.model import Ask, CellStep, ChoiceStep, Lesson, Option, PredictOption, PredictStep, Text, TextStep
from tutor.memory import events
from tutor.memory.events import Event, entry_of
from tutor.memory.history import read
from tutor.memory.journal import Journal
from tutor.memory.lines import encode
from tutor.memory.progress import Progress, fold

START = datetime(2026, 8, 1, 9, tzinfo=UTC)


class Story:
    """Events a second apart, as a session would write them."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def add(self, kind: str, /, **data: Any) -> str:
        number = len(self.events)
        self.events.append(Event(f"{number:032x}", 1, START + timedelta(seconds=number), 420, "s", kind, data))
        return self.events[-1].id

    def answer(self, word: str, step: str = "rq5", answer: str = "text", **data: Any) -> str:
        return self.add(events.ANSWERED, step=step, answer=answer, verdict={"step": step, "verdict": word}, **data)

    @property
    def progress(self) -> Progress:
        return fold(self.events)


@pytest.fixture
def story() -> Story:
    return Story()


def say(text: str) -> Text:
    return Text(text, text)


TEXT = TextStep(id="t", body=say("x"))
CELL = CellStep(id="c", code="1")
CHOICE = ChoiceStep(id="q", prompt=say("x"), options=(Option(id="a", text=say("a"), right=True),))
PREDICT = PredictStep(
    id="p",
    prompt=say("x"),
    cell="1",
    ask=Ask(choice=(PredictOption(id="a", text=say("a"), true_if="True"),)),
)


def test_nothing_has_happened(story):
    progress = story.progress
    assert progress.position is None
    assert progress.at_home
    assert not progress.done("t")
    assert (progress.verdict("q"), progress.answers("q"), progress.last_answer("q")) == (None, (), None)


def test_the_position_is_what_was_opened_last(story):
    story.add(events.OPENED, lesson="one", step="t")
    story.add(events.OPENED, lesson="two", step="q")
    assert (story.progress.position, story.progress.at_home) == (("two", "q"), False)
    story.add(events.OPENED, lesson=None, step=None)
    assert (story.progress.position, story.progress.at_home) == (("two", "q"), True)
    story.add(events.OPENED, lesson="one", step="c")
    assert story.progress.last_step == {"one": "c", "two": "q"}
    lesson = Lesson(id="one", title=say("x"), minutes=1, steps=(TEXT, CELL))
    assert story.progress.resume(lesson) == "c"
    shortened = Lesson(id="one", title=say("x"), minutes=1, steps=(TEXT, CHOICE))
    assert story.progress.resume(shortened) == "t", "the step is not in the course any more"


def test_what_was_only_looked_at_is_not_what_to_continue(story):
    def recent() -> tuple[str, str] | None:
        return story.progress.recent

    story.add(events.OPENED, lesson="one", step="t")
    story.add(events.SEEN, step="t")
    story.add(events.OPENED, lesson="one", step="c")
    assert recent() == ("one", "c"), "the learner went on to it"
    story.add(events.OPENED, lesson="one", step="q")
    story.add(events.OPENED, lesson="two", step="p")
    story.add(events.OPENED, lesson=None, step=None)
    assert recent() == ("one", "c"), "the others were only looked at"
    assert story.progress.last_step == {"one": "c", "two": "p"}
    story.add(events.OPENED, lesson="two", step="p")
    story.add(events.DRAFT, step="c", field="code", text="x")
    assert recent() == ("one", "c"), "something of a step that is not open, such as a run that ends late"
    story.add(events.DRAFT, step="p", field="answer", text="x")
    assert recent() == ("two", "p"), "something was done there"
    story.add(events.RESET, steps=["p"])
    assert recent() is None


def test_texts_and_cells_are_done_when_read_or_run_well(story):
    story.add(events.RAN, step="c", ok=False, ending="error")
    assert not story.progress.done(CELL)
    assert story.progress.runs["c"].ending == "error"
    story.add(events.SEEN, step="t")
    story.add(events.RAN, step="c", ok=True, ending="ok")
    for step in (TEXT, CELL):
        assert story.progress.done(step)
        assert story.progress.done(step.id)
    assert not story.progress.gave_up(TEXT)
    left = Story()
    left.add(events.SEEN, step="c")
    assert left.progress.done(CELL), "left behind without a run"


def test_code_is_done_when_it_is_right_and_not_when_it_was_given_up(story):
    exercise = deck.exercise("e")
    story.add(events.ANSWERED, step="e", kind="exercise", answer="x", verdict={"verdict": "wrong"})
    story.add(events.GAVE_UP, step="e")
    for step in (exercise, exercise.id):
        assert not story.progress.done(step)
        assert story.progress.gave_up(step)
    story.add(events.ANSWERED, step="e", kind="exercise", answer="y", verdict={"verdict": "right"})
    for step in (exercise, exercise.id):
        assert story.progress.done(step)
        assert not story.progress.gave_up(step)
    story.add(events.RESET, steps=["e"])
    assert not story.progress.given_up and not story.progress.done(exercise)


@pytest.mark.parametrize(
    ("word", "done"),
    [
        ("right", True),
        ("partly", True),
        ("wrong", True),
        ("unsure", False),
        ("unreadable", False),
        ("not-graded", False),
    ],
)
def test_a_question_is_done_with_a_verdict_that_settles_it(story, word, done):
    story.add(events.SEEN, step="q")
    assert not story.progress.done(CHOICE), "having seen a question is not enough"
    story.answer(word, "q")
    assert story.progress.done(CHOICE) == done
    assert story.progress.done("q") == done
    assert story.progress.verdict("q") == word


def test_a_prediction_is_done_with_its_verdict_not_with_its_run(story):
    story.add(events.RAN, step="p", ok=True)
    assert not story.progress.done(PREDICT)
    story.add(events.PREDICTED, step="p", answer="a")
    story.add(events.RAN, step="p", ok=True)
    assert not story.progress.done("p")
    assert story.progress.predictions == {"p": "a"}
    story.answer("wrong", "p")
    assert story.progress.done("p")
    assert story.progress.predictions == {}


def test_a_later_answer_that_counts_replaces_the_verdict_and_the_others_do_not(story):
    story.answer("wrong")
    story.answer("right")
    assert story.progress.verdict("rq5") == "right"
    story.answer("unreadable")
    story.answer("not-graded")
    assert story.progress.verdict("rq5") == "right"
    story.answer("unsure")
    assert story.progress.verdict("rq5") == "unsure"
    assert story.progress.done("rq5"), "it was settled before"
    assert [answer.verdict for answer in story.progress.answers("rq5")] == [
        "wrong",
        "right",
        "unreadable",
        "not-graded",
        "unsure",
    ]


@pytest.mark.parametrize("verdict", ["partly", {"step": "rq5", "verdict": "partly", "score": 0.5}])
def test_ticking_settles_what_the_grader_was_unsure_of(story, verdict):
    answer = story.answer("unsure", seed=7)
    story.add(events.TICKED, step="rq5", answer_event=answer, points=["a", "b"], verdict=verdict)
    last = story.progress.last_answer("rq5")
    assert last is not None
    assert (last.verdict, last.final, last.ticked, last.seed, last.event) == ("partly", True, ("a", "b"), 7, answer)
    assert last.answered.verdict["verdict"] == "unsure", "the grader's verdict is kept"
    assert last.shown == (verdict if isinstance(verdict, dict) else last.answered.verdict)
    assert story.progress.done("rq5")


def test_overruling_wins_and_both_are_kept(story):
    first = story.answer("wrong")
    story.answer("partly")
    story.add(events.OVERRULED, step="rq5", answer_event=first, verdict="right")
    before, last = story.progress.answers("rq5")
    assert (before.verdict, before.overruled, before.shown["verdict"]) == ("right", True, "wrong")
    assert (last.verdict, last.overruled) == ("partly", False)
    story.add(events.TICKED, step="rq5", answer_event=first, points=[], verdict="wrong")
    assert story.progress.answers("rq5")[0].verdict == "right", "the learner's own word stands"


def test_ticks_that_come_before_their_answer_count(story):
    story.add(events.TICKED, step="rq5", answer_event=f"{1:032x}", points=["a"], verdict="right")
    story.answer("unsure")
    assert story.progress.verdict("rq5") == "right"
    story.add(events.OVERRULED, step="rq5", answer_event="unknown", verdict="wrong")
    assert story.progress.verdict("rq5") == "right"


def test_drafts_are_kept_until_they_are_handed_in_or_dropped(story):
    story.add(events.DRAFT, step="rq5", field="answer", text="half")
    story.add(events.DRAFT, step="rq5", field="answer", text="half typed")
    story.add(events.DRAFT, step="p", field="code", text="show(1)")
    story.add(events.DRAFT, step="p", field="answer", text="a")
    assert story.progress.drafts == {("rq5", "answer"): "half typed", ("p", "code"): "show(1)", ("p", "answer"): "a"}
    story.answer("unreadable")
    story.answer("not-graded")
    assert ("rq5", "answer") in story.progress.drafts, "still being worked on"
    story.answer("unsure")
    story.answer("wrong", "p")
    assert story.progress.drafts == {("p", "code"): "show(1)"}, "edited code outlives an answer"
    story.add(events.DRAFT, step="p", field="code", text=None)
    assert story.progress.drafts == {}


def test_settings_are_the_last_ones(story):
    story.add(events.SETTING, name="lang", value="en")
    story.add(events.SETTING, name="lang", value="vi")
    assert story.progress.settings == {"lang": "vi"}


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (events.SEEN, {}),
        (events.SEEN, {"step": 3}),
        (events.DRAFT, {"step": "x", "field": "mood", "text": "x"}),
        (events.ANSWERED, {"step": "x", "answer": "x", "verdict": "right"}),
        (events.ANSWERED, {"step": "x", "answer": "x", "verdict": {"verdict": 3}}),
        (events.OPENED, {"lesson": ["x"], "step": {}}),
        ("dreamt", {"step": "x"}),
    ],
)
def test_what_does_not_fit_changes_nothing(story, kind, data):
    story.add(kind, **data)
    progress = story.progress
    assert (progress.position, progress.drafts, progress.done("x"), progress.verdict("x") or None) == (
        None,
        {},
        False,
        None,
    )


def test_newer_events_are_ignored_and_newer_fields_too(story):
    story.add(events.SEEN, step="t", mood="good")
    assert story.progress.done("t")
    newer = Event("n" * 32, events.VERSION + 1, START, 0, "s", events.SEEN, {"step": "c"})
    assert entry_of(newer) is None
    assert not fold([newer]).done("c")


STEPS = st.sampled_from(["a", "b", "c"])
WORDS = st.sampled_from(["right", "partly", "wrong", "unsure", "unreadable", "not-graded"])
ANY_EVENT = st.one_of(
    st.tuples(st.just(events.OPENED), st.fixed_dictionaries({"lesson": st.just("l"), "step": STEPS})),
    st.tuples(st.just(events.SEEN), st.fixed_dictionaries({"step": STEPS})),
    st.tuples(
        st.just(events.DRAFT),
        st.fixed_dictionaries(
            {"step": STEPS, "field": st.sampled_from(["answer", "code"]), "text": st.none() | st.text(max_size=5)}
        ),
    ),
    st.tuples(st.just(events.RAN), st.fixed_dictionaries({"step": STEPS, "ok": st.booleans()})),
    st.tuples(st.just(events.PREDICTED), st.fixed_dictionaries({"step": STEPS, "answer": st.text(max_size=3)})),
    st.tuples(
        st.just(events.ANSWERED),
        st.fixed_dictionaries(
            {"step": STEPS, "answer": st.text(max_size=3), "verdict": st.fixed_dictionaries({"verdict": WORDS})}
        ),
    ),
    st.tuples(
        st.sampled_from([events.TICKED, events.OVERRULED]),
        st.fixed_dictionaries(
            {"step": STEPS, "answer_event": st.integers(0, 15).map("{:032x}".format), "verdict": WORDS}
        ),
    ),
    st.tuples(st.just(events.SETTING), st.fixed_dictionaries({"name": STEPS, "value": st.integers(0, 3)})),
    st.tuples(
        st.text(max_size=5), st.dictionaries(st.text(max_size=3), st.none() | st.integers() | st.text(max_size=3))
    ),
)


def told(stories: list[tuple[str, dict[str, Any]]], chance: random.Random) -> list[Event]:
    """Events with times that often fall together, as those of two machines may."""
    return [
        Event(f"{number:032x}", 1, START + timedelta(seconds=chance.randint(0, 5)), 0, "s", kind, data)
        for number, (kind, data) in enumerate(stories)
    ]


def seen(progress: Progress) -> object:
    """Everything that can be asked of it."""
    return (
        progress.position,
        progress.at_home,
        progress.last_step,
        progress.drafts,
        progress.predictions,
        progress.settings,
        progress.runs,
        [
            (
                step,
                progress.done(step),
                progress.verdict(step),
                [(a.event, a.verdict, a.ticked, a.overruled, a.shown) for a in progress.answers(step)],
            )
            for step in "abc"
        ],
    )


@settings(deadline=None)
@given(st.lists(ANY_EVENT, max_size=16), st.randoms(use_true_random=False))
def test_neither_order_nor_repetition_matters(stories, chance):
    happened = told(stories, chance)
    shuffled = [*happened, *happened[::2]]
    chance.shuffle(shuffled)
    assert seen(fold(shuffled)) == seen(fold(happened))


@settings(deadline=None)
@given(st.lists(ANY_EVENT, max_size=16), st.randoms(use_true_random=False), st.integers(1, 3))
def test_however_the_events_lie_in_files_they_read_the_same(tmp_path_factory, stories, chance, count):
    happened = told(stories, chance)
    chance.shuffle(happened)
    folder = tmp_path_factory.mktemp("journal")
    for number in range(count):
        (folder / f"{number}.jsonl").write_bytes(b"".join(map(encode, happened[number::count])))
    history = read(folder)
    assert history.problems == ()
    assert seen(fold(history.events)) == seen(fold(happened))


@settings(deadline=None)
@given(st.lists(ANY_EVENT, max_size=12))
def test_a_run_that_is_killed_is_replayed_to_the_same_state(tmp_path_factory, stories):
    folder = tmp_path_factory.mktemp("journal")
    live = Progress()
    journal = Journal(folder)
    for kind, data in stories:
        live.apply(journal.append(kind, **data))
    assert seen(fold(read(folder).events)) == seen(live), "without closing: as after kill -9"
    journal.close()
