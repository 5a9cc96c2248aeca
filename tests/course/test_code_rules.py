"""What the lint says of exercises, claims and breaks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCUMENT = (Path(__file__).parents[2] / "docs" / "lesson-format.md").read_text(encoding="utf-8")


def example(kind: str) -> str:
    (found,) = [
        block for block in re.findall(r"```yaml\n(.*?)```", DOCUMENT, re.DOTALL) if f"\n  kind: {kind}\n" in block
    ]
    return found


MUTANTS = "  mutants:\n" + example("exercise").partition("  mutants:\n")[2].partition("  hints:")[0]


@pytest.mark.parametrize("kind", ["exercise", "claim", "break"])
def test_the_example_of_the_document_is_sound(files, kind):
    assert files.lint(**{kind: example(kind)}) == []


@pytest.mark.parametrize(
    ("kind", "old", "new", "says"),
    [
        ("exercise", "entry: rms_norm(x, weight, eps)", "entry: rms_norm", "must be as it is called"),
        ("exercise", "    public: true\n", "", "no check is `public: true`"),
        ("exercise", "    shapes: [[3, 7], [2, 5, 129], [4, 1]]\n", "", "has no `shapes`"),
        ("exercise", "[[3, 7], [2, 5, 129], [4, 1]]", "[[3, 0]]", "sizes of at least 1"),
        ("exercise", "[[3, 7], [2, 5, 129], [4, 1]]", "[[100000, 100000]]", "at most 1,000,000 values"),
        ("exercise", "eps: [1.0e-5]", "eps: [1.0e-5, 0.1, 0.2, 0.3]", "tries 48 combinations"),
        ("exercise", "eps: [1.0e-5]", "eps: [-1.0]", "at least 0"),
        ("exercise", "fails: [inputs-unchanged]", "fails: [input]", "there is no check `input`"),
        ("exercise", "forbid: [rms_norm, layer_norm]", "forbid: [F.rms_norm]", "bare name"),
        ("exercise", "{old: .mean(, new: .sum(}", "{old: .average(, new: .sum(}", "the first solution does not have `.average(`"),
        ("exercise", "{old: .mean(, new: .sum(}", "{old: .mean(, new: .mean(}", "`new` is the same as `old`"),
        ("exercise", "{old: .mean(, new: .sum(}", "{old: .mean(, new: .sum((}", "is not Python"),
        ("exercise", "    - {old: .mean(, new: .sum(}\n", "    - {old: .mean(, new: .sum(}\n    code: x\n", "not both"),
        ("exercise", "    - {old: .mean(, new: .sum(}\n", "    - {old: .mean(, new: .sum(}\n    - {old: .mean(, new: .min(}\n", "after the changes before"),
        ("exercise", "  hints:\n  - {vi: Mean của bình phương., en: The mean of the squares.}\n", "", "`hints` is empty"),
        ("exercise", MUTANTS, "  mutants: []\n", "`mutants` is empty"),
        ("exercise", "seconds: 10", "seconds: 0", "more than 0 seconds"),
        ("exercise", "    def rms_norm(x, weight, eps):\n        ...\n", "    def rms_norm(x weight):\n        ...\n", "not Python"),
        ("exercise", "    def rms_norm(x, weight, eps):\n        ...\n", "    def norm(x):\n        ...\n", "does not define `rms_norm`"),
        ("exercise", "  - {vi: Mean của bình phương., en: The mean of the squares.}\n", "  - a\n  - b\n  - c\n  - d\n", "at most 3"),
        ("claim", "left: rms_norm(x + c, 0)", "left: rms_norm(x + , 0)", "not Python"),
        ("claim", "{x: rows, c: scalar}", "{x: rows, c: scalar, d: scalar}", "uses `d`"),
        ("claim", "within: 1.0e-6", "within: 2.0", "less than 1"),
        ("break", "broken_if: relative_error > 0.1", "broken_if: error > 0.1", "`broken_if` must be"),
        ("break", "  - x = [10000.0, 10001.0, 10002.0, 10003.0]\n", "  - x = [\n", "not Python"),
    ],
)  # fmt: skip
def test_each_mistake_is_found(files, kind, old, new, says):
    sound = example(kind)
    assert old in sound
    assert any(says in message for _, message in files.lint(**{kind: sound.replace(old, new, 1)})), files.lint(
        **{kind: sound.replace(old, new, 1)}
    )
