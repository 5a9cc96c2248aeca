"""All keys on one screen, and what the marks mean."""

from __future__ import annotations

from rich.cells import cell_len
from rich.console import Group
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from tutor.text.aloud import aloud
from tutor.text.i18n import _


def _sections() -> list[tuple[str, list[tuple[str, str]]]]:
    return [
        (
            _("Anywhere"),
            [
                ("? F1", _("this help")),
                ("esc", _("out of a field; then back")),
                ("tab", _("to the next field; nothing keeps it")),
                ("v", _("Vietnamese or English")),
                ("F4", _("start Python again; variables are lost, what you typed stays")),
                ("ctrl+c", _("stop the cell that runs")),
                ("/", _("search the course, and look a term up")),
                ("ctrl+p", _("all commands, themes too")),
                ("ctrl+l", _("paint the screen again")),
                ("ctrl+z", _("to the shell, fg comes back; in code: undo")),
                ("ctrl+q", _("quit; everything is saved")),
            ],
        ),
        (
            _("On the first screen"),
            [
                ("r", _("review what is due, or practise")),
                ("p", _("progress: what you know, what comes, what to do next")),
                ("s", _("settings: reviews a day, minutes, keys and more")),
                ("l", _("the lab")),
            ],
        ),
        (
            _("In a lesson"),
            [
                ("enter", _("next step, or into the field")),
                ("] n alt+→", _("next step")),
                ("[ p alt+←", _("step before")),
                ("t", _("all steps")),
                ("space", _("scroll on")),
                ("ctrl+j F5", _("run the cell, or hand in the answer")),
                ("e", _("into the editor or the field")),
                ("tab", _("in code: how a name may go on; shift+tab what it is")),
                ("F6", _("the code or the answer in $EDITOR")),
                ("x F2", _("the author's code again (ctrl+z brings yours back)")),
                ("r", _("try the question again")),
                ("o", _("I was right: overrules the grader, both are kept")),
                ("m", _("a full answer, after yours")),
                ("F3", _("a data flow: slots or arrows")),
                ("w", _("where this comes from, and whether it held here")),
                ("s", _("source of what the cell uses")),
                ("y", _("copy the output, its numbers, the code or the answer")),
                ("ctrl+f", _("find in the output, a traceback or a source")),
            ],
        ),
        (
            _("In a review"),
            [
                ("enter", _("next question, or into the field")),
                ("e", _("after a right answer: it was easy")),
                ("u", _("take the last answer back; it is asked again")),
                ("z", _("ask this one later")),
                ("g", _("I do not know: show me")),
                ("b", _("after the answer: the step that it came from")),
                ("f", _("this question is bad; note why, and it is not asked again")),
                ("esc", _("pause; r goes on where you stopped")),
            ],
        ),
        (
            _("In the lab"),
            [
                ("enter ctrl+j", _("run the experiment; esc or ctrl+c cancels it")),
                ("e x", _("the parameters; all of them as they were")),
                ("t", _("all experiments")),
                ("p", _("predict the curve before it runs")),
                ("r", _("earlier runs, up to six laid over each other")),
                ("← → home end", _("read exact values under a cursor")),
                ("+ - z 0", _("zoom in and out; the other axis; all of it")),
                ("l o", _("linear or logarithmic; what else was measured")),
                ("d w", _("the numbers in a table; what am I looking at")),
            ],
        ),
        (
            _("Marks"),
            [
                ("✓ ~ ✗", _("right, partly right, not so")),
                ("?", _("the grader is not sure; tick what you said")),
                ("!", _("our fault; does not count")),
            ],
        ),
    ]


class HelpScreen(ModalScreen[None]):
    """Scrolls; any of esc, ? and q closes it."""

    CSS_PATH = "help.tcss"
    BINDINGS = [Binding("escape,question_mark,f1,q", "close", "Back", id="help.close")]

    def compose(self) -> ComposeResult:
        """A table of keys."""
        parts: list[Text | Table] = []
        sections = self._ordered()
        longest = max(cell_len(key) for _title, keys in sections for key, _what in keys)
        for title, keys in sections:
            parts.append(Text(title, "bold"))
            if aloud():
                parts += [Text(f"{key}: {what}") for key, what in keys]
                continue
            grid = Table.grid(padding=(0, 1, 0, 0))
            grid.add_column(width=longest, no_wrap=True)
            grid.add_column(ratio=1)
            for key, what in keys:
                grid.add_row(Text(key, "bold"), Text(what))
            parts.extend([grid, Text("")])
        parts.append(
            Text(
                _(
                    "Cells start with torch, nn, F and everything of the kernels package imported; "
                    "variables carry over from cell to cell."
                )
            )
        )
        parts.append(Text(_("esc closes this   ↑ ↓ scroll"), "dim"))
        with VerticalScroll(id="box"):
            yield Static(Group(*parts), markup=False)

    def _ordered(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Those of the screen that help was asked on come first, then what works anywhere."""
        anywhere, home, lesson, review, lab, marks = _sections()
        names = {type(screen).__name__ for screen in self.app.screen_stack}
        if "LabScreen" in names:
            first = [lab]
        elif "ReviewScreen" in names:
            first = [review, lesson]
        elif "LessonScreen" in names:
            first = [lesson]
        else:
            first = [home]
        rest = [each for each in (home, lesson, review, lab) if each not in first]
        return [*first, anywhere, *rest, marks]

    def action_close(self) -> None:
        """Back."""
        self.dismiss(None)
