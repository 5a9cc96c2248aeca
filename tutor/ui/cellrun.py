"""What one cell has put out so far: filled by the kernel, shown by a widget, alive while its step is not on screen."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from tutor.runtime.outputs import Curves, Failure, Finished, Output, Stream, Value
from tutor.runtime.transcript import Transcript

MOST_BLOCKS = 40
"""A cell may show many plots; the first and the last are kept, what was between them is counted."""


@dataclass
class Printed:
    """Consecutive printed text."""

    transcript: Transcript = field(default_factory=Transcript)


Block = Printed | Value | Curves | Failure


@dataclass
class CellRun:
    """The blocks of output of the last run of one cell. `version` grows with every change."""

    step: str
    blocks: list[Block] = field(default_factory=list)
    dropped: int = 0
    running: bool = False
    started: float = 0.0
    finished: Finished | None = None
    changed_code: bool = False
    version: int = 0

    def begin(self, *, changed_code: bool) -> None:
        """Forget the last run; another starts now."""
        self.blocks.clear()
        self.dropped = 0
        self.running = True
        self.started = time.monotonic()
        self.finished = None
        self.changed_code = changed_code
        self.version += 1

    def take(self, output: Output) -> None:
        """Add one output of the run, or replace the one that it updates."""
        if isinstance(output, Stream):
            self._print(output)
        elif not self._replaced(output):
            self._add(output)
        self.version += 1

    def _print(self, output: Stream) -> None:
        if output.clears:
            self.blocks.clear()
        if not (self.blocks and isinstance(self.blocks[-1], Printed)):
            self._add(Printed())
        block = self.blocks[-1]
        assert isinstance(block, Printed)
        block.transcript.append(output.text, output.dropped)

    def _replaced(self, output: Value | Curves | Failure) -> bool:
        if isinstance(output, Failure) or not output.display:
            return False
        for index, block in enumerate(self.blocks):
            if isinstance(block, Value | Curves) and block.display == output.display:
                self.blocks[index] = output
                return True
        return False

    def end(self, finished: Finished) -> None:
        """The run is over."""
        self.running = False
        self.finished = finished
        self.dropped += finished.dropped
        self.version += 1

    @property
    def seconds(self) -> float:
        """How long the run took, or has taken so far."""
        if self.finished is not None:
            return self.finished.seconds
        return time.monotonic() - self.started if self.running else 0.0

    def _add(self, block: Block) -> None:
        if len(self.blocks) >= MOST_BLOCKS:
            del self.blocks[MOST_BLOCKS // 2]
            self.dropped += 1
        self.blocks.append(block)
