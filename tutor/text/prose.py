"""Lesson text, feedback and answers: Markdown with `$maths$`, as one Rich renderable or as plain text."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from tutor.text.sanitize import sanitize

if TYPE_CHECKING:
    from rich.console import RenderableType


def render(markdown: str, *, width: int | None = None, code_theme: str = "ansi_dark") -> RenderableType:
    """The text laid out for the console it is shown on, at most `width` cells wide.

    `code_theme` is a Pygments style for fenced code: `ansi_dark` or `ansi_light`, for the background that it stands on.
    Whatever the text holds, nothing but text comes out: it is sanitised, HTML and square brackets are shown as they
    are written, links as their text and address.
    """
    # rich.markdown costs 0.26 s, which the first paint should not wait for.
    from tutor.text.markdown import Document

    return Document(sanitize(markdown), width, code_theme)


def plain(markdown: str, width: int = 80) -> str:
    """The same without colours and styles, for commands and files: lines at most `width` cells, without padding."""
    from rich.console import Console

    out = StringIO()
    console = Console(file=out, width=width, color_system=None, force_terminal=False, legacy_windows=False)
    console.print(render(markdown))
    return "\n".join(line.rstrip() for line in out.getvalue().rstrip().split("\n"))


def formulas(markdown: str) -> tuple[str, ...]:
    """The LaTeX of every formula in a text, in order, as `render` finds them: for those who check a course."""
    from tutor.text.markdown import formulas

    return formulas(sanitize(markdown))
