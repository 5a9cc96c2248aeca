"""Every formula and every data flow of the course can be shown, in both languages and in a narrow terminal."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from rich.cells import cell_len

from tutor.text import flow, maths, prose

LESSONS = sorted(
    path for path in (Path(__file__).parents[2] / "lessons").glob("*.yaml") if path.stem not in ("glossary", "claims")
)
NOT_PROSE = {"id", "code", "cell", "any", "true_if", "value", "answer", "vary", "samples", "within", "claims", "flow"}


def texts(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        for key, value in node.items():
            if key not in NOT_PROSE:
                yield from texts(value)
    elif isinstance(node, list):
        for value in node:
            yield from texts(value)


def flows(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "flow" and isinstance(value, str):
                yield value
            else:
                yield from flows(value)
    elif isinstance(node, list):
        for value in node:
            yield from flows(value)


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_can_be_shown(path: Path) -> None:
    lesson = yaml.safe_load(path.read_text(encoding="utf-8"))
    for text in texts(lesson):
        for latex in prose.formulas(text):
            try:
                rows = maths.render(latex)
            except maths.MathsError as error:
                pytest.fail(f"{latex}\n{error}")
            assert maths.fit(latex, 72) is not None, f"wider than a screen: {latex}"
            assert cell_len(maths.on_one_row(latex)) < 120, f"too long for a line of prose: {rows}"
    for text in flows(lesson):
        rows = flow.draw(flow.parse(text), width=40)
        assert " -> " not in rows[0], f"only its edges can be shown: {text}"
        assert cell_len(rows[0]) <= 40
