"""What an app under Pilot would have sent to a terminal, and whether all of it is what Textual's driver means."""

from __future__ import annotations

import re

import pytest
from textual.drivers.headless_driver import HeadlessDriver

# Bidi controls, zero width, tags, fillers and separators count as controls: they change what is seen, or what is there.
_HIDDEN = (
    "\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ud800-\udfff\ue000-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
_TEXT = f"[^{_HIDDEN}]+"
# A run of text has its colours before it and their end after it: a colour or a move smuggled into it fits nowhere.
SENT = re.compile(
    rf"(?:\x1b\[\?2026[hl]|\x1b\[\d+;\d+H|\x1b\[\d+(?:;\d+)*m(?:{_TEXT})?\x1b\[0m|{_TEXT}|\r?\n|\x1b\]22;[a-z-]+(?:\x07|\x1b\\))*+"
)
_LINES = re.compile(f"(?:{_TEXT}|[\n\t])*+")
BELL = "\x07"
_TOWER = re.compile("[\u0300-\u036f]{5,}")


class Wire:
    """All that the app has written. Its screens are painted as for a terminal."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sent: list[str] = []
        monkeypatch.setattr(HeadlessDriver, "is_headless", False)
        monkeypatch.setattr(HeadlessDriver, "write", lambda _, data: self.sent.append(data))

    def check(self) -> int:
        """Fail at the first byte that is not the driver's; returns how many characters there were, and forgets them."""
        total = sum(map(len, self.sent))
        for data in self.sent:
            if data != BELL:  # a full field rings; a bell in a text is never sent alone
                clean(data, SENT)
        self.sent.clear()
        return total


def clean(data: str, grammar: re.Pattern[str] = _LINES) -> None:
    """Fail where the text is not all of the grammar; by default, where it is not plain lines."""
    found = grammar.match(data)
    assert found is not None
    at = found.end()
    assert at == len(data), f"{data[max(0, at - 60) : at]!r} is followed by {data[at : at + 40]!r}"
    assert not (tower := _TOWER.search(data)), (
        f"{len(tower[0])} marks in a row after {data[tower.start() - 30 : tower.start()]!r}"
    )
