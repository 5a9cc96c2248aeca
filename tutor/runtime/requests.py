"""What is asked of the kernel, and how it goes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from tutor.runtime.outputs import Output
from tutor.text.sanitize import sanitize

Receive = Callable[[str, Mapping[str, Any]], None]
"""Called with the type and the content of each message of a run. A content that was too large is empty."""


class Request:
    """One request under way: what it is told of, and what it waits for.

    `begun` is done when the kernel has begun with it, `idle` when it has published all that belongs to it, `done` when
    it has replied as well, `failed` when `receive` raised.
    """

    def __init__(self, receive: Receive) -> None:
        loop = asyncio.get_running_loop()
        self.receive = receive
        self.begun: asyncio.Future[None] = loop.create_future()
        self.idle: asyncio.Future[None] = loop.create_future()
        self.done: asyncio.Future[None] = loop.create_future()
        self.failed: asyncio.Future[None] = loop.create_future()
        self.reply: Mapping[str, Any] | None = None

    def published(self, kind: str, content: Mapping[str, Any]) -> None:
        """A message on the channel that all may read."""
        if kind == "status":
            if content.get("execution_state") == "idle":
                finish(self.idle)
                self._look()
            return
        if kind == "execute_input":
            finish(self.begun)
        try:
            self.receive(kind, content)
        except Exception as error:  # the caller's, who gets it back
            if not self.failed.done():
                self.failed.set_exception(error)

    def replied(self, content: Mapping[str, Any]) -> None:
        """The reply."""
        self.reply = content
        self._look()

    def _look(self) -> None:
        if self.reply is not None and self.idle.done():
            finish(self.done)


class Run:
    """One run asked for: what is to be run, and how far it has come."""

    def __init__(
        self, code: str, name: str, expressions: Mapping[str, str], on_output: Callable[[Output], None]
    ) -> None:
        self.code = code
        self.name = sanitize(name, limit=60, newlines=False)
        self.expressions = expressions
        self.request: Request | None = None
        loop = asyncio.get_running_loop()
        self.given_up: asyncio.Future[None] = loop.create_future()
        self.closed: asyncio.Future[None] = loop.create_future()
        self.abandoned = False
        self.ended_by_us = ""
        self._on_output = on_output

    def put(self, output: Output) -> None:
        """Hands an output on, while somebody waits for it."""
        if not self.abandoned:
            self._on_output(output)


def finish(future: asyncio.Future[None]) -> None:
    """Marks it as done, if it is not."""
    if not future.done():
        future.set_result(None)


async def first_of(*futures: asyncio.Future[Any], seconds: float | None = None) -> None:
    """Waits until one of them is done, or for so many seconds."""
    await asyncio.wait(futures, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
