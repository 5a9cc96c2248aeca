"""One child from the judge's side: asked for one case after the other, with whatever ends it told apart."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import socket
from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor

from kernels.judge import forkserver, wire
from kernels.judge.case import Answer, Case
from kernels.judge.keeper import Limits

GRACE = 5.0
"""Seconds beyond its own limits after which a keeper is held for dead."""


class EndedError(Exception):
    """The child ended, or was ended, before it answered. `report` is the keeper's."""

    def __init__(self, report: Mapping[str, Any]) -> None:
        super().__init__(str(report.get("why")))
        self.report = dict(report)


class CancelledError(Exception):
    """The tutor no longer wants to know."""


class Child:
    """A submission in a process of its own. `ask` may be called until `close`, which is when all of it ends."""

    def __init__(
        self, server: socket.socket, limits: Limits, cancelled: Callable[[float], bool], *, triton: bool
    ) -> None:
        self._writer, self._reader, self._control = forkserver.submit(server, limits, triton=triton)
        os.set_blocking(self._writer, False)
        os.set_blocking(self._reader, False)
        self._limits = limits
        self._cancelled = cancelled
        self._buffer = bytearray()
        self.report: dict[str, Any] = {}

    def define(self, order: Mapping[str, Any]) -> dict[str, Any] | None:
        """Has the submission defined; why it cannot be used, if it cannot. Raises EndedError."""
        header, _ = self._exchange(dict(order), {})
        unreadable = header.get("unreadable")
        return unreadable if isinstance(unreadable, dict) else None

    def ask(self, case: Case, entry: str) -> Answer:
        """The answer to one case. Raises EndedError where there is none."""
        request = {"driver": case.driver, "entry": entry, "off": case.off, **case.request}
        header, tensors = self._exchange(request, case.tensors)
        raised, notes = header.get("raised"), header.get("notes")
        return Answer(tensors, raised if isinstance(raised, dict) else None, notes if isinstance(notes, dict) else {})

    def close(self) -> dict[str, Any]:
        """Ends the child and all that it has started; how it ended. Nothing of it lives when this returns."""
        if not self.report:
            with contextlib.suppress(OSError):
                self._control.shutdown(socket.SHUT_WR)
            self.report = self._last_words()
        for fd in (self._writer, self._reader):
            with contextlib.suppress(OSError):
                os.close(fd)
        self._control.close()
        return self.report

    def _exchange(
        self, header: dict[str, Any], tensors: Mapping[str, Tensor]
    ) -> tuple[dict[str, Any], dict[str, Tensor]]:
        nonce = secrets.token_hex(8)
        data = memoryview(wire.frame({**header, "nonce": nonce}, tensors))
        while True:
            answer = self._frame()
            if answer is not None and not data:
                if answer[0].get("nonce") == nonce:
                    return answer
                continue  # written ahead of the question, so it answers nothing
            watched: list[Any] = [self._reader, self._control]
            ready, writable, _ = select.select(watched, [self._writer] if data else [], [], 0.1)
            if self._cancelled(0):
                raise CancelledError
            if writable:
                try:
                    data = data[os.write(self._writer, data[: 1 << 16]) :]
                except BlockingIOError:
                    pass
                except OSError:
                    data = data[:0]
            if self._reader in ready:
                self._read()
            elif self._control in ready:
                self._read()
                if (answer := self._frame()) is not None and not data and answer[0].get("nonce") == nonce:
                    return answer
                self.report = self._last_words()
                raise EndedError(self.report)

    def _read(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while len(self._buffer) <= wire.MOST_JSON + wire.MOST_DATA:
                data = os.read(self._reader, 1 << 20)
                if not data:
                    self.report = self._last_words()
                    raise EndedError(self.report)
                self._buffer += data
                if len(data) < 1 << 16:
                    return

    def _frame(self) -> tuple[dict[str, Any], dict[str, Tensor]] | None:
        """The next whole frame that has arrived. Raises EndedError for what is none."""
        if len(self._buffer) < wire.HEAD.size:
            return None
        try:
            text, data = wire.head(bytes(self._buffer[: wire.HEAD.size]))
            end = wire.HEAD.size + text + data
            if len(self._buffer) < end:
                return None
            middle = wire.HEAD.size + text
            parsed = wire.parse(bytes(self._buffer[wire.HEAD.size : middle]), bytes(self._buffer[middle:end]))
        except wire.WireError:
            self.report = {**self.close(), "why": "garbled"}
            raise EndedError(self.report) from None
        del self._buffer[:end]
        return parsed

    def _last_words(self) -> dict[str, Any]:
        """The keeper's report. A keeper that was killed has none, and the fork server ends what it leaves."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_WR)
        self._control.settimeout(self._limits.wall + GRACE)
        said = b""
        try:
            while data := self._control.recv(1 << 16):
                said += data
            report = json.loads(said)
            return report if isinstance(report, dict) else {"why": "keeper"}
        except (OSError, ValueError):
            return {"why": "keeper"}
