"""The app for a screen reader: no borders, bars or columns, and the terminal's cursor where the focus is.

A screen reader reads the terminal as text and follows its cursor. So the style is laid over all others, and after each
painting the cursor, which Textual hides and leaves anywhere, is put, visible, on the line that the keys act on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.geometry import Offset
from textual.widgets import DataTable, Input, OptionList, TextArea

from tutor.text.aloud import aloud
from tutor.ui.widgets.feedback import Feedback

if TYPE_CHECKING:
    from textual.app import App

STYLE = """
* {
    border: none !important; outline: none !important;
    scrollbar-size: 0 0 !important; scrollbar-gutter: auto !important;
}
TopBar, KeyBar { height: auto !important; padding: 0 !important; background: $background !important; }
StepView, Feedback, #page, #report, #lessons, #settings { padding: 0 !important; }
.option-list--option, .option-list--option-highlighted, .option-list--option-disabled { padding: 0 !important; }
Prose { max-width: 100% !important; }
#box { width: 100% !important; max-width: 100% !important; padding: 0 !important; }
FlowView Horizontal, LabScreen Horizontal { layout: vertical !important; }
FlowView #drawing { width: 100% !important; margin: 0 !important; }
TextArea { width: 100% !important; }
"""
_KEY = ("screen-reader", "")


def dress(app: App[Any]) -> None:
    """Lay the style for a screen reader over the app's, or take it away again, as `aloud()` says."""
    sheet = app.stylesheet
    if aloud() == sheet.has_source(*_KEY):
        return
    if aloud():
        sheet.add_source(STYLE, read_from=_KEY, is_default_css=False)
        app.animation_level = "none"
    else:
        del sheet.source[_KEY]
        sheet._require_parse = True
    app.refresh_css(animate=False)


def follow(app: App[Any]) -> None:
    """Put the terminal's cursor where the focus is."""
    place = spot(app)
    driver = app._driver
    if place is None or driver is None or place == app.cursor_position:
        return
    app.cursor_position = place
    driver.write(f"\x1b[{place.y + 1};{place.x + 1}H")


def spot(app: App[Any]) -> Offset | None:
    """Where a reader should be: a list's highlighted line, a text's cursor, or where what has the focus starts."""
    focused = app.focused
    if focused is None:
        return None
    if isinstance(focused, Input | TextArea):
        return focused.cursor_screen_offset
    said = [each.region for each in app.screen.query(Feedback) if each.display and each.region.y > 0]
    if focused.id == "page" and said:
        return said[-1].offset  # the verdict that has just come
    region = focused.content_region
    y = region.y
    if isinstance(focused, OptionList) and focused.highlighted is not None:
        y += focused._index_to_line.get(focused.highlighted, 0) - focused.scroll_offset.y
    elif isinstance(focused, DataTable):
        y += focused.cursor_row + 1 - focused.scroll_offset.y
    elif (row := getattr(focused, "cursor", None)) is not None and isinstance(row, int):
        y += row
    return Offset(max(0, region.x), max(0, min(y, app.size.height - 1)))
