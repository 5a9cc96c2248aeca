from __future__ import annotations

import pytest

from tutor.course.model import (
    Ask,
    ChoiceStep,
    MultiStep,
    NumberStep,
    Option,
    OrderItem,
    OrderStep,
    PredictOption,
    PredictStep,
    Text,
)
from tutor.course.vary import instance, values
from tutor.grading import grade, order

LETTERS = "abcdef"


def say(text: str) -> Text:
    return Text(text, text)


OPTIONS = tuple(Option(id=letter, text=say(letter), right=letter == "a", why=say("no")) for letter in LETTERS)
CHOICE = ChoiceStep(id="c", prompt=say("?"), options=OPTIONS)
MULTI = MultiStep(id="m", prompt=say("?"), options=OPTIONS)
NUMBER = NumberStep(id="n", prompt=say("{a}"), answer="a", vary={"a": (1, 2, 3, 4)})
ORDER = OrderStep(id="o", prompt=say("?"), items=tuple(OrderItem(id=letter, text=say(letter)) for letter in LETTERS))
PREDICT = PredictStep(
    id="p",
    prompt=say("{depth} layers of {arch}: $x_{depth}$"),
    cell="depth = 12  # layers\narch = 'pre'\nif True:\n    depth = depth\nprint(f'{depth}')\n",
    vary={"depth": (12, 24, 48), "arch": ("pre", "post")},
    ask=Ask(
        choice=tuple(PredictOption(id=letter, text=say(f"{letter} {{depth}}"), true_if="True") for letter in LETTERS)
    ),
)


@pytest.mark.parametrize("step", [CHOICE, MULTI, PREDICT])
def test_a_seed_decides_and_an_instance_of_an_instance_is_the_same(step):
    one = instance(step, 7)
    assert one == instance(step, 7) == instance(one, 7)
    assert len({str(instance(step, seed)) for seed in range(1, 30)}) > 5


def test_without_a_seed_a_question_is_as_it_is_written():
    assert instance(CHOICE, None) is CHOICE
    assert instance(NUMBER, 3) is NUMBER
    first = instance(PREDICT, None)
    assert first.cell == PREDICT.cell and first.prompt.en == "12 layers of pre: $x_12$"
    assert [option.id for option in first.ask.choice] == list(LETTERS)


def test_options_are_graded_by_what_was_shown():
    seed = next(seed for seed in range(1, 99) if not instance(CHOICE, seed).options[0].right)
    place = next(at for at, option in enumerate(instance(CHOICE, seed).options, start=1) if option.right)
    assert grade(CHOICE, str(place), lang="en", glossary={}, seed=seed).verdict == "right"
    assert grade(CHOICE, str(place), lang="en", glossary={}).verdict == "wrong"
    assert grade(CHOICE, "a", lang="en", glossary={}, seed=seed).verdict == "right"


def test_an_order_is_shuffled_anew_and_never_right_from_the_start():
    shown = {tuple(item.id for item in order.shuffled(ORDER, seed)) for seed in range(60)}
    assert len(shown) > 20 and tuple(LETTERS) not in shown
    items = [item.id for item in order.shuffled(ORDER, 9)]
    numbers = " ".join(str(items.index(letter) + 1) for letter in LETTERS)
    assert grade(ORDER, numbers, lang="en", glossary={}, seed=9).verdict == "right"


def test_the_cell_of_a_prediction_gets_the_values_and_nothing_else_in_it_changes():
    seed = next(seed for seed in range(1, 99) if values(PREDICT, seed) == {"depth": 48, "arch": "post"})
    varied = instance(PREDICT, seed)
    assert varied.cell == PREDICT.cell.replace("depth = 12  #", "depth = 48  #").replace("'pre'", "'post'")
    assert varied.prompt.vi == "48 layers of post: $x_48$"
    assert {option.text.en for option in varied.ask.choice} == {f"{letter} 48" for letter in LETTERS}


VARY = "  vary: {depth: [12, 24]}\n"
SOUND = {
    "  prompt: {vi: Đoán, en: Guess}": '  prompt: {vi: "Đoán {depth}", en: "Guess {depth}"}\n' + VARY.rstrip(),
    "    v = 1": "    depth = 12\n    v = depth - 11",
}


def predict(files, **changes: str) -> list[str]:
    text = files.sound()
    for old, new in SOUND.items():
        text = text.replace(old, new)
    for old, new in changes.items():
        text = text.replace({"cell": "    depth = 12", "prompt": "Guess {depth}", "values": "[12, 24]"}[old], new)
    files.write(text)
    from tutor.course.lint import lint
    from tutor.course.load import load_course

    course = load_course(files.root)
    return [finding.message for finding in [*course.findings, *lint(course)]]


def test_a_sound_variation_has_no_findings(files):
    assert predict(files) == []


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"cell": "    deep = 12"}, "the cell must set `depth` on one line of its own, `depth = 12`"),
        ({"cell": "    depth = 12\n    depth = 13"}, "on one line of its own"),
        ({"cell": "    depth = 24"}, "the cell must set `depth` to its first value in `vary`, 12"),
        ({"prompt": "Guess"}, "`prompt.en` does not show `{depth}`, which `vary` varies"),
        ({"values": "[12]"}, "`depth` in `vary` needs at least two values"),
    ],
)
def test_what_is_wrong_with_a_variation_is_said(files, changes, says):
    messages = predict(files, **changes)
    assert any(says in message for message in messages), messages
