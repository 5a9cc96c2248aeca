"""The first start: which language, and a tour of half a minute. Both can be skipped, and the tour be opened again."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tutor.text.i18n import N_, _
from tutor.ui.widgets.options import Options

if TYPE_CHECKING:
    from tutor.course.model import Lang
    from tutor.ui.app import TutorApp

LANGUAGES: tuple[tuple[Lang, str], ...] = (("en", "English"), ("vi", "Tiếng Việt"))
ASKED = "language-asked"
"""The setting in the journal that says so: whoever has a journal is not asked."""

CARDS: tuple[tuple[str, str, str], ...] = (
    (
        N_("Keys"),
        "enter  ] [  t  esc",
        N_(
            "The last line of every screen says which keys work there. enter goes on, ] and [ move through the steps "
            "of a lesson, t lists them, esc goes back."
        ),
    ),
    (
        N_("Code that runs"),
        '>>> show(hidden_variance(Stack("pre", depth=48)))   ctrl+j',
        N_(
            "ctrl+j runs a cell, here on this machine. e goes into it: change it and run it again as often as you like."
        ),
    ),
    (
        N_("Predict first"),
        "› grows with depth     stays level     enter",
        N_("Say what you expect before you run it. What the cell then measures decides, not what a book says."),
    ),
    (
        N_("In your own words"),
        "pre-ln normalises first        ✓ right    ? not sure    o",
        N_(
            "Answer as you would tell a colleague, with marks or without. Where the tutor is not sure it shows what "
            "it found and you tick what you said; o overrules it."
        ),
    ),
    (
        N_("It comes back"),
        "r  review        p  progress        l  lab",
        N_(
            "On the first screen r asks what is about to fade, ten minutes at most. Everything you do is saved at once."
        ),
    ),
    (
        N_("Help, and out"),
        "?        ctrl+p        q  ctrl+q",
        N_("? shows all keys, ctrl+p all commands, this tour among them. q here, or ctrl+q anywhere, quits."),
    ),
)
"""What a card is about, what it looks like on the screen, and what to do with it."""


class LanguageScreen(ModalScreen[str]):
    """Asks once, in both languages. Returns `tour`, or nothing where the learner skips that."""

    CSS_PATH = "welcome.tcss"
    BINDINGS = [
        Binding("s", "take(False)", "Take the language, without the tour", id="welcome.short"),
        Binding("escape,q", "skip", "Skip both", id="welcome.skip"),
    ]

    def compose(self) -> ComposeResult:
        """The languages, that of the locale first under the cursor."""
        with Vertical(id="box"):
            yield Static(Text("Language · Ngôn ngữ", "bold"), markup=False)
            yield Options(*(Option(name, id=lang) for lang, name in LANGUAGES), markup=False)
            keys = (
                "enter  take it, then a tour of half a minute\n"
                "       chọn, rồi xem giới thiệu nửa phút\n"
                "s      without the tour · không xem giới thiệu\n"
                "esc    skip · bỏ qua"
            )
            yield Static(Text(keys, "dim"), markup=False)

    def on_mount(self) -> None:
        """What the locale says."""
        languages = self.query_one(OptionList)
        languages.highlighted = [lang for lang, _name in LANGUAGES].index(cast("TutorApp", self.app).lang)
        languages.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the chosen language, and show the tour."""
        event.stop()
        self.call_later(self.action_take, True)

    async def action_take(self, tour: bool) -> None:
        """The language under the cursor, from now on."""
        at = self.query_one(OptionList).highlighted
        await cast("TutorApp", self.app).speak(LANGUAGES[at or 0][0])
        self.dismiss("tour" if tour else "")

    def action_skip(self) -> None:
        """What the locale says, and no tour."""
        self.dismiss("")


class TourScreen(ModalScreen[None]):
    """A card a thing, over the screen that they speak of."""

    CSS_PATH = "welcome.tcss"
    BINDINGS = [
        Binding("enter,space,right,right_square_bracket,n", "move(1)", "Next card", id="tour.next"),
        Binding("left,left_square_bracket,p", "move(-1)", "Card before", id="tour.previous"),
        Binding("escape,q", "close", "Leave the tour", id="tour.close"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.at = 0

    def compose(self) -> ComposeResult:
        """One card."""
        with Vertical(id="box"):
            yield Static("", id="card", markup=False)

    def on_mount(self) -> None:
        """The first card."""
        self._show()

    def _show(self) -> None:
        title, looks, text = CARDS[self.at]
        keys = _("enter next   ← before   esc leave the tour")
        card = Text.assemble(
            (_(title), "bold"), (f"  {self.at + 1}/{len(CARDS)}", "dim"), f"\n\n  {looks}\n\n", _(text)
        )
        self.query_one("#card", Static).update(card.append(f"\n\n{keys}", "dim"))

    def action_move(self, by: int) -> None:
        """Another card; behind the last one the tour ends."""
        self.at += by
        if self.at >= len(CARDS):
            self.dismiss(None)
        else:
            self.at = max(0, self.at)
            self._show()

    def action_close(self) -> None:
        """Enough."""
        self.dismiss(None)
