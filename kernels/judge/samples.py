"""The lesson's own code, asked in one child after another source: mutants, and an author's solutions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernels.judge.case import Answer, Case
from kernels.judge.exercise import Exercise, Job, definition, new_child
from kernels.judge.session import Child, EndedError

MOST_SOURCES = 40
"""So much time a child for samples has, in times that of one source."""


class Samples:
    """What runs of one exercise with one seed share: the cases, the answers of mutants to them, and a child."""

    def __init__(self) -> None:
        self.cases: list[Case] = []
        self._answers: dict[tuple[str, int], Answer | None] = {}
        self._child: Child | None = None
        self._defined: str | None = None

    def child(self, exercise: Exercise, job: Job) -> Child:
        """The child for samples, new where the last one has ended. Whoever asks for it will define a source."""
        if self._child is None:
            self._child = new_child(exercise, job, sources=MOST_SOURCES)
        self._defined = None
        return self._child

    def close(self) -> dict[str, Any]:
        """Ends the child; its report."""
        child, self._child, self._defined = self._child, None, None
        return child.close() if child is not None else {}

    def take(self, exercise: Exercise, source: str, answers: list[Answer]) -> None:
        """Remembers the answers to all cases of a source that is one of the mutants."""
        for mutant in exercise.mutants:
            if mutant["code"] == source:
                self._answers |= {
                    (mutant["id"], id(case)): each for case, each in zip(self.cases, answers, strict=False)
                }

    def answer(self, exercise: Exercise, mutant: Mapping[str, Any], case: Case, job: Job, seed: int) -> Answer | None:
        """A mutant's answer to one of the cases; None where it gives none."""
        key = mutant["id"], id(case)
        if key not in self._answers:
            self._answers[key] = self._ask(exercise, mutant, case, job, seed)
        return self._answers[key]

    def _ask(self, exercise: Exercise, mutant: Mapping[str, Any], case: Case, job: Job, seed: int) -> Answer | None:
        child = self._child if self._defined == mutant["id"] else None
        try:
            if child is None:
                child = self.child(exercise, job)
                if child.define(definition(exercise, mutant["code"], job, seed)) is not None:
                    return None
                self._defined = mutant["id"]
            return child.ask(case, exercise.entry(case))
        except EndedError:  # a mutant that hangs or crashes takes the child with it
            self.close()
            return None
