"""Whether everything is shown as lines to be read aloud, for those who work with a screen reader.

Set by the environment (`NORMTUTOR_SCREEN_READER=1`), the command line or the settings; `0` in the environment wins over
the settings.
"""

from __future__ import annotations

import os

VARIABLE = "NORMTUTOR_SCREEN_READER"

_set = False


def aloud() -> bool:
    """Whether text is laid out to be read from top to bottom: no columns, boxes, bars or drawings."""
    chosen = os.environ.get(VARIABLE, "")
    return chosen.lower() not in ("0", "no", "off", "false") if chosen else _set


def use(on: bool) -> None:
    """What the settings say; the environment has the last word."""
    global _set
    _set = on
