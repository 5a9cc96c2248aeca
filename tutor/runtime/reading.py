"""Turns the messages of one run into outputs: sanitised, in order, and no more of them than can be used."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from kernels.curve import MIME
from tutor.runtime.failure import failure
from tutor.runtime.outputs import Curves, Failure, Output, Stream, Value
from tutor.text.sanitize import StreamSanitizer, sanitize

MOST_TEXT = 100_000
"""Characters of one value."""
MOST_MESSAGE = 8 << 20
"""Bytes of one message. Decoding more would hold up the app; honest outputs are far smaller."""
TOO_LARGE = ":too-large"
"""Ends the type of a message that was not decoded."""
_DROPPED = re.compile(r"\x1b_normtutor-dropped:(\d{1,15})\x1b\\")


class Reading:
    """The outputs of one run. `emit` is called with each; `cells` are the names of cells by the number of their run."""

    def __init__(self, emit: Callable[[Output], None], name: str, cells: dict[int, str]) -> None:
        self._emit = emit
        self._name = name
        self._cells = cells
        self._streams = {"stdout": StreamSanitizer(), "stderr": StreamSanitizer()}
        self._clear_waits = False
        self.failure: Failure | None = None
        self.dropped = 0

    def take(self, kind: str, content: object) -> None:
        """One message of the run, by its type. A cell can send what it likes: what is no such message is left out."""
        if not isinstance(content, Mapping):
            return
        if kind == "stream":
            self._stream(content)
        elif kind in ("execute_result", "display_data", "update_display_data"):
            self._display(content)
        elif kind == "clear_output":
            self._clear(wait=bool(content.get("wait")))
        elif kind == "error":
            self.failure = self.failure or failure(content, self._cells, self._name)
        elif kind.endswith(TOO_LARGE):
            self.dropped += 1
        elif kind == "execute_input":
            count = content.get("execution_count")
            self._cells[count if isinstance(count, int) else 0] = self._name

    def fail(self, content: Mapping[str, Any]) -> None:
        """The reply says that the run failed: where no exception was shown, the reply's own is."""
        if self.failure is None:
            self.failure = failure(content, self._cells, self._name)

    def _stream(self, content: Mapping[str, Any]) -> None:
        name, text = content.get("name"), content.get("text")
        if name not in ("stdout", "stderr") or not isinstance(text, str):
            return
        parts = _DROPPED.split(text)
        for index in range(0, len(parts), 2):
            dropped = int(parts[index - 1]) if index else 0
            shown = self._streams[name].feed(parts[index])
            if shown or dropped:
                self._put(Stream("stdout" if name == "stdout" else "stderr", shown, dropped))

    def _display(self, content: Mapping[str, Any]) -> None:
        data = content.get("data")
        if not isinstance(data, dict):
            return
        text = data.get("text/plain")
        text = sanitize(text, limit=MOST_TEXT).expandtabs() if isinstance(text, str) else ""
        transient = content.get("transient")
        display_id = transient.get("display_id") if isinstance(transient, Mapping) else None
        display = sanitize(str(display_id or ""), limit=100, newlines=False)
        curves = data.get(MIME)
        if isinstance(curves, dict):
            self._put(Curves(clean_document(curves), text, display))
        elif text:
            self._put(Value(text, display))

    def _clear(self, *, wait: bool) -> None:
        self._clear_waits = True
        if not wait:
            self._put(Stream("stdout", ""))

    def _put(self, output: Output) -> None:
        if self._clear_waits:
            self._clear_waits = False
            if isinstance(output, Stream):
                output = Stream(output.name, output.text, output.dropped, clears=True)
            else:
                self._emit(Stream("stdout", "", clears=True))
        self._emit(output)


def clean_document(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document of curves in which every string is fit to be shown; what it means is for its reader to check."""
    return {_line(key): _clean(value, 0) for key, value in document.items()}


def _clean(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return _line(value)
    if depth > 8:
        return None
    if isinstance(value, list):
        # Long lists hold numbers: nothing to do, and no time to lose on them.
        if all(type(item) in (int, float) for item in value):
            return value
        return [_clean(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {_line(str(key)): _clean(item, depth + 1) for key, item in value.items()}
    return value


def _line(text: str) -> str:
    return sanitize(text, limit=200, newlines=False)


def evaluated(reply: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """The texts of the expressions, and why the others have none."""
    values: dict[str, str] = {}
    errors: dict[str, str] = {}
    for name, result in (reply.get("user_expressions") or {}).items():
        if result.get("status") == "ok":
            values[name] = sanitize(str(result.get("data", {}).get("text/plain", "")), limit=MOST_TEXT)
        else:
            errors[name] = sanitize(f"{result.get('ename')}: {result.get('evalue')}", limit=1000)
    return values, errors
