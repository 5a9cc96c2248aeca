"""Runs experiments for another process: orders on standard input, one JSON document a line, answers on standard output.

    {"id", "experiment", "values"}   ->  {"id", "progress": [done, total]} and {"id", "curves": [...]}, now and then;
                                         at last {"id", "result"}, {"id", "refused": {"vi", "en"}} or {"id", "fault"}
    {"load": true}                   ->  {"ready": versions}, once torch is loaded

It ends when standard input does, also in the middle of an experiment. To cancel one, end the process: nothing that it
does has to be put right.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any, TextIO

from kernels.curve import Curve
from kernels.lab.monitor import Monitor
from kernels.lab.parameters import WrongParameterError

PROGRESS_INTERVAL = 0.1
CURVES_INTERVAL = 0.5
"""Seconds between two answers of a kind while an experiment runs."""


class Teller(Monitor):
    """Sends on what an experiment tells, as often as somebody can read it."""

    def __init__(self, output: TextIO, id: object) -> None:
        self._output = output
        self._id = id
        self._progress_at = self._curves_at = 0.0

    def tell(self, **answer: Any) -> None:
        """Write one answer."""
        self._output.write(json.dumps({"id": self._id, **answer}, ensure_ascii=False, allow_nan=False) + "\n")
        self._output.flush()

    def progress(self, done: float, total: float) -> None:
        """Not more often than every `PROGRESS_INTERVAL`."""
        now = time.monotonic()
        if now - self._progress_at >= PROGRESS_INTERVAL:
            self._progress_at = now
            self.tell(progress=[done, total])

    def curves(self, curves: Sequence[Curve]) -> None:
        """Not more often than every `CURVES_INTERVAL`."""
        now = time.monotonic()
        if now - self._curves_at >= CURVES_INTERVAL:
            self._curves_at = now
            self.tell(curves=[curve.to_dict() for curve in curves])


def serve(orders: queue.SimpleQueue[dict[str, Any] | None], output: TextIO) -> None:
    """Answer orders until there is a None among them."""
    while (order := orders.get()) is not None:
        if "load" in order:
            import torch

            output.write(json.dumps({"ready": {"torch": torch.__version__}}) + "\n")
            output.flush()
        else:
            answer(order, Teller(output, order.get("id")))


def answer(order: dict[str, Any], teller: Teller) -> None:
    """Run one experiment and tell what came of it. A fault of its own is an answer too."""
    from kernels.lab import experiment

    try:
        result = experiment(str(order["experiment"]), monitor=teller, **order.get("values", {}))
    except WrongParameterError as error:
        teller.tell(refused=error.words.to_dict())
    except Exception as error:  # whatever it is, whoever waits for an answer gets one
        teller.tell(fault=f"{type(error).__name__}: {error}"[:2000])
    else:
        teller.tell(result=result.to_dict())


def main() -> None:
    """Serve standard input and output; what else writes to standard output goes to standard error."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # threads that wait by spinning are slow on a busy machine
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    orders: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(orders,), daemon=True).start()
    serve(orders, output)


def _read(orders: queue.SimpleQueue[dict[str, Any] | None]) -> None:
    """Orders as they come. When there will be no more, whoever asked has gone, and so has the use of going on."""
    for line in sys.stdin:
        orders.put(json.loads(line))
    os._exit(0)


if __name__ == "__main__":
    main()
