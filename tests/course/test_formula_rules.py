"""What the lint finds in a question that asks for a formula."""

from __future__ import annotations

import pytest

FORMULA = """\
- id: chain
  kind: formula
  prompt: {vi: Đạo hàm?, en: The derivative?}
  symbols:
    x: vector
    g: row
    I: identity
    F: {kind: map, jacobian: J}
    J: {kind: matrix, also: [J_F]}
    mean: {is: mean(x), also: [mu]}
  derivatives: {L/x: g}
  accept: [g (I + J)]
  identity: mean
  uses: [mean J]
"""


def test_the_sound_one_is_sound(files) -> None:
    assert files.lint(formula=FORMULA) == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("accept: [g (I + J)]", "accept: []", "`accept` is empty"),
        ("also: [mu]", "also: [J_F]", "`J_F` stands for two names"),
        ("also: [J_F]", "also: [x]", "`x` stands for two names"),
        ("also: [J_F]", "also: ['J F']", "`J F` is no name"),
        ("jacobian: J}", "jacobian: g}", "must be a `matrix`"),
        ("F: {kind: map", "F: {kind: vector", "`F` is no `map`"),
        ("{is: mean(x)", "{kind: vector, is: mean(x)", "its kind follows"),
        ("{L/x: g}", "{L/x: G}", "`G` is not in `symbols`"),
        ("{L/x: g}", "{L: g}", "`L` in `derivatives` is no quotient"),
        ("identity: mean", "identity: J", "`identity`: `J` must be in `symbols`, made by `is`"),
        ("uses: [mean J]", "uses: [meen J]", "did you mean `mean`?"),
        ("uses: [mean J]", "uses: ['']", "an entry of `uses` is empty"),
        ("uses: [mean J]", "within: 1.0", "relative difference"),
    ],
)
def test_each_fault_is_found_in_its_line(files, old: str, new: str, says: str) -> None:
    assert old in FORMULA
    faulty = FORMULA.replace(old, new)
    ((line, message),) = files.lint(formula=faulty)
    assert says in message
    assert line == 1 + files.sound(formula=faulty).rpartition(new)[0].count("\n")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("x: vector", "x: vektor", "`x` cannot be `vektor`; did you mean `vector`?"),
        ("{kind: map, jacobian", "{kind: map, jacobean", "unknown key `jacobean`; did you mean `jacobian`?"),
        ("x: vector", "x: [vector]", "`x` must be a text"),
    ],
)
def test_a_name_is_a_word_or_a_mapping(files, old: str, new: str, says: str) -> None:
    faulty = files.sound(formula=FORMULA.replace(old, new))
    _, found = files.load(faulty)
    assert [says in message for _, message in found] == [True]
    assert found[0][0] == files.line(faulty, new)
