"""The first and the last line of the quiz."""

from __future__ import annotations

from rich.text import Text

from tutor.memory.quiz import Quiz
from tutor.text.i18n import _
from tutor.ui.steps.base import Keys

MARGIN = 4
"""Columns of the first line that its two sides do not have."""


def first_line(quiz: Quiz, title: str, state: Text, width: int) -> tuple[Text, Text]:
    """How far it is and how much time is used; what it is about, which gives way to that, and the state of things."""
    where = _("{n} of {total}").format(n=quiz.number, total=quiz.total)
    time = _("{used} of {whole} min").format(used=int(quiz.seconds // 60), whole=f"{quiz.minutes:.0f}")
    left = Text.assemble((_("Review"), "bold"), f" · {where} · {time}")
    about = Text(title, "dim")
    about.truncate(max(0, width - left.cell_len - state.cell_len - MARGIN - 3), overflow="ellipsis")
    return left, Text.assemble(about, " · ", state)


def keys(quiz: Quiz, hints: Keys, *, running: bool, hinted: bool) -> Keys:
    """The keys outside a field: `hints` are those of the question; with `running` something can be stopped."""
    found: Keys = [("ctrl+c", _("stop"))] if running else []
    found += hints
    if quiz.answered_now:
        right = bool(quiz.done) and quiz.done[-1].verdict == "right" and not hinted
        found += [("e", _("easy"))] if right else []
        found += [("b", _("its step")), ("u", _("undo")), ("f", _("flag"))]
    else:
        found += [("z", _("later")), ("g", _("I don't know")), ("f", _("flag"))]
    return [*found, ("esc", _("pause")), ("?", _("keys"))]


def keys_in_a_field(hints: Keys) -> Keys:
    """The keys that do not type a letter."""
    own = [pair for pair in hints if pair[0] in ("enter", "ctrl+j") or pair[0].startswith("f")]
    leave = ("esc", _("leave the field"))
    return [*own, *([leave] if leave not in own else []), ("F1", _("keys"))]
