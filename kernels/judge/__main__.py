"""The judge: reads orders on standard input, one JSON document a line, and answers on standard output likewise.

    {"id", "op": "grade" | "search" | "break", ...}   ->  {"id", "progress": [done, of]} ...  {"id", "result": {...}}
    {"op": "cancel", "id"}                            ->  {"id", "cancelled": true}
    {"op": "ready"}                                   ->  {"ready": ..., "memory": bytes}

It ends when standard input does. A result with "fault" is the judge's own failure and says nothing of the submission.
"""

from __future__ import annotations

import gc
import json
import os
import select
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from kernels.judge import forkserver


class Orders:
    """The lines of standard input, and the news among them that an order is no longer wanted."""

    def __init__(self) -> None:
        self._buffer = b""
        self._waiting: list[dict[str, Any]] = []
        self.current: object = None

    def next(self) -> dict[str, Any]:
        """The next order. Raises EOFError when there will be none."""
        while not self._waiting:
            self._read()
        return self._waiting.pop(0)

    def cancelled(self, seconds: float) -> bool:
        """Whether the current order is cancelled by now, after waiting for news at most so long."""
        while select.select([0], [], [], seconds)[0]:
            self._read()
            seconds = 0
        for order in self._waiting:
            if order.get("op") == "cancel" and order.get("id") == self.current:
                self._waiting.remove(order)
                return True
        return False

    def _read(self) -> None:
        data = os.read(0, 1 << 20)
        if not data:
            raise EOFError
        self._buffer += data
        *lines, self._buffer = self._buffer.split(b"\n")
        self._waiting += [json.loads(line) for line in lines if line.strip()]


def tell(document: dict[str, Any]) -> None:
    """Writes one answer."""
    sys.stdout.write(json.dumps(document, allow_nan=False) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Starts the fork server, then serves orders one after the other."""
    torch.set_num_threads(1)  # before any fork: a thread pool does not survive one
    import_module("torch.fx.experimental.symbolic_shapes")  # what the first gradient of a process loads, for 0.6 s
    server = forkserver.start()
    gc.freeze()
    from kernels.judge import orders  # what is expected is known from here on, and only here

    tell({"ready": True, "torch": torch.__version__, "pid": os.getpid()})
    inbox = Orders()
    try:
        while True:
            order = inbox.next()
            inbox.current = order.get("id")
            if order.get("op") == "ready":
                tell({"ready": True, "memory": memory()})
            elif order.get("op") != "cancel":
                tell({"id": order["id"], **_serve(orders, order, server, inbox)})
    except EOFError:
        pass


def _serve(orders: Any, order: dict[str, Any], server: Any, inbox: Orders) -> dict[str, Any]:
    def progress(done: int, of: int) -> None:
        tell({"id": order["id"], "progress": [done, of]})

    try:
        return {"result": orders.serve(order, server, progress, inbox.cancelled)}
    except orders.CancelledError:
        return {"cancelled": True}
    except EOFError:
        raise
    except Exception as error:
        traceback.print_exc()
        if isinstance(error, OSError):  # the fork server is gone: a new judge starts a new one
            raise SystemExit(1) from error
        return {"result": {"fault": f"{type(error).__name__}: {error}"}}


def memory() -> int:
    """Bytes that the judge and the fork server take together, each shared page counted once."""
    total = 0
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    for pid in ("self", *children):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) * 1024
    return total


if __name__ == "__main__":
    main()
