"""What was typed before there was anything to type it for: it must not act on what appears a moment later."""

from __future__ import annotations

import math
import time

from textual import events

LEAVING = frozenset(("q", "ctrl+q"))
"""Keys that mean the same at any time."""


class Early:
    """Knows since when there has been something to answer to."""

    def __init__(self) -> None:
        self._since = math.inf

    def over(self) -> None:
        """The first screen is about to be there: what is typed from now on counts."""
        self._since = min(self._since, time.monotonic())

    def drops(self, event: events.Event) -> bool:
        """Whether an event is a key, a click or a paste from before that, however late it is seen."""
        if not isinstance(event, events.InputEvent | events.Paste) or event.time >= self._since:
            return False
        return not (isinstance(event, events.Key) and event.key in LEAVING)
