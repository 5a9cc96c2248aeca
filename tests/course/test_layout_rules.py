from __future__ import annotations

import pytest

from tutor.commands.verify import verify
from tutor.course.lint import lint
from tutor.course.load import load_course

HEAD = "id: layouts\ntitle: Layouts\nminutes: 5\nsteps:\n"
FLOW = """\
- id: draw
  kind: flow
  prompt: Draw it.
  answer: "x -> LN -> Sub -> +; x -> +"
"""
ORDER = """\
- id: line
  kind: order
  prompt: Put in order.
  items:
  - {id: one, text: first}
  - {id: two, text: second}
  - {id: three, text: third}
  also: [[two, one, three]]
"""
MULTI = """\
- id: several
  kind: multi
  prompt: Tick.
  options:
  - {id: right, text: a, right: true}
  - {id: wrong, text: b, why: Not so.}
"""


def found(files, text: str) -> list[str]:
    files.write(HEAD + text, "layouts.yaml")
    course = load_course(files.root)
    assert course.findings == ()
    return [str(finding) for finding in [*lint(course), *verify(course)]]


def test_sound_ones_have_no_findings(files) -> None:
    assert found(files, FLOW + ORDER + MULTI) == []


@pytest.mark.parametrize(
    ("step", "old", "new", "message"),
    [
        (ORDER, ORDER[ORDER.index("  - {id: two") :], "", "needs at least 3"),
        (ORDER, "[two, one, three]", "[two, one, thre]", "there is no item `thre`; did you mean `three`?"),
        (ORDER, "[two, one, three]", "[two, one]", "must name every item once"),
        (ORDER, "[two, one, three]", "[one, two, three]", "is there already"),
        (MULTI, ", right: true", ", why: x", "needs at least one that is `right: true` and one that is not"),
        (MULTI, ", why: Not so.", "", "option `wrong` is wrong and has no `why`"),
        (FLOW, '"x -> LN -> Sub -> +; x -> +"', "[]", "`answer` is empty"),
        (FLOW, "Sub", "Subb", "cannot be read: “Subb” is no block I know."),
        (FLOW, "x -> LN -> Sub -> +; x -> +", "LN -> Sub", "has no input `x`"),
        (FLOW, '"x -> LN -> Sub -> +; x -> +"', '["x -> LN", "x -> LN -> y"]', "is the same as one before it"),
        (FLOW, "x -> LN -> Sub -> +; x -> +", "x -> LN -> Sub -> +; x -> Attn -> FFN -> +; Attn -> Linear -> +",
         "cannot be drawn"),
    ],
)  # fmt: skip
def test_a_mistake_is_found(files, step: str, old: str, new: str, message: str) -> None:
    assert old in step
    (finding,) = found(files, step.replace(old, new))
    assert message in finding
