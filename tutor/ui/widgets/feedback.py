"""A verdict, readable at a glance: the word, what was found and missed, why."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from textual.widgets import Static

from tutor.course.quotes import with_note
from tutor.grading.report import gathered, in_checks
from tutor.grading.verdict import Check, Verdict
from tutor.text import prose
from tutor.text.aloud import aloud
from tutor.text.i18n import _, language
from tutor.text.sanitize import sanitize


def headline(verdict: Verdict, *, overruled: bool) -> tuple[str, str, str]:
    """The mark, the word and the style class of a verdict. The mark tells them apart without colour."""
    if overruled:
        return "✓", _("You say you were right; both are kept."), "right"
    return {
        "right": ("✓", _("Right."), "right"),
        "partly": ("~", _("Partly right."), "partly"),
        "wrong": ("✗", _("Not right."), "wrong"),
        "unsure": ("?", _("Not sure I read you right."), "unsure"),
        "unreadable": ("…", _("I could not read that; it does not count."), "unsure"),
        "not-graded": ("!", _("Not graded: that is our fault and does not count."), "unsure"),
    }[verdict.verdict]


class Feedback(Static):
    """Shows a `Verdict`; empty without one."""

    DEFAULT_CSS = """
    Feedback { height: auto; width: 1fr; display: none; border-left: thick $foreground 30%; padding: 0 0 0 1;
               margin: 1 0 0 0; }
    Feedback.-right { display: block; border-left: thick $success; }
    Feedback.-partly { display: block; border-left: thick $warning; }
    Feedback.-wrong { display: block; border-left: thick $error; }
    Feedback.-unsure { display: block; border-left: thick $primary; }
    """

    def __init__(self) -> None:
        super().__init__("", markup=False)

    def show(self, verdict: Verdict | None, *, overruled: bool = False, checks: bool = False) -> None:
        """Show this verdict, or nothing; with `checks`, what was checked and how each came out."""
        self.remove_class("-right", "-partly", "-wrong", "-unsure")
        if verdict is None:
            self.update("")
            return
        mark, word, name = headline(verdict, overruled=overruled)
        self.add_class(f"-{name}")
        parts: list[RenderableType] = [Text(word if aloud() else f"{mark} {word}", "bold")]
        if verdict.misconception is not None and verdict.misconception.message not in verdict.feedback:
            parts.append(prose.render(verdict.misconception.message))
        found = [point.says or point.id for point in verdict.points if point.found]
        missed = [point.hint or point.says or point.id for point in verdict.points if not point.found]
        if found:
            parts.append(_listing(_("Found:"), "✓", found))
        if missed and verdict.verdict in ("partly", "wrong"):
            parts.append(_listing(_("Missing:"), "·", missed))
        if verdict.feedback:
            parts.append(prose.render(with_note(verdict.feedback, language())))
        if checks and verdict.checks:
            parts.append(_report(verdict.checks))
        self.update(Group(*parts))


def _report(checks: Sequence[Check]) -> RenderableType:
    if aloud():
        said = [(_("Passed"), check) for check in checks if check.passed]
        said = [(_("Failed"), check) for check in checks if not check.passed] + said
        return Group(*(prose.render(f"{word}: {check.message}") for word, check in said))
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=1)
    grid.add_column(ratio=1)
    for check, names in gathered(checks):
        # What failed first: it is what there is to do.
        if not check.passed:
            grid.add_row(Text("✗", "bold"), prose.render(check.message))
        if names:
            grid.add_row("", prose.render(in_checks(names)))
    for check in checks:
        if check.passed:
            grid.add_row(Text("✓", "dim"), Text(sanitize(check.message), "dim"))
    return grid


def _listing(title: str, mark: str, lines: list[str]) -> RenderableType:
    if aloud():
        return Group(Text(title), *(prose.render(line) for line in lines))
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=1)
    grid.add_column(ratio=1)
    for line in lines:
        grid.add_row(Text(mark), prose.render(line))
    return Group(Text(title, "dim"), Padding(grid, (0, 0, 0, 1)))
