"""A small sound course, written to disk, for tests to damage."""

from __future__ import annotations

from pathlib import Path

import pytest

from tutor.course.lint import lint
from tutor.course.load import load_course, load_lesson
from tutor.course.model import Lesson

GLOSSARY = """\
LN: {vi: [ln], en: [layernorm]}
BN: {vi: [bn], en: [batchnorm]}
BATCH: {vi: [lô], en: [batch]}
DEPEND: {vi: [phụ thuộc], en: [depend]}
"""
CLAIMS = """\
- {id: pre-norm, from: A4.1, verdict: holds, show: measure, claim: "Pre-Norm: x + Sublayer(LN(x))."}
"""
HEAD = """\
id: sound
title: {vi: Ví dụ, en: Example}
minutes: 20
steps:
"""
STEPS = {
    "text": """\
- id: stream
  kind: text
  claims: [pre-norm]
  body:
    vi: |
      Trong Pre-Norm, $y = x + F(x)$.
    en: |
      In Pre-Norm, $y = x + F(x)$.
  flow:
  - {title: Pre-Norm, flow: "x -> LN -> Sub -> +; x -> +"}
""",
    "cell": """\
- id: try-it
  kind: cell
  code: |
    a = 1
    print(a)
""",
    "choice": """\
- id: which-axis
  kind: choice
  prompt: {vi: Trục nào?, en: Which axis?}
  options:
  - {id: feature, text: d, right: true}
  - {id: batch, text: b, why: {vi: Không., en: "No."}}
""",
    "number": """\
- id: rms
  kind: number
  prompt: {vi: "RMS của [{a}, {b}]?", en: "The RMS of [{a}, {b}]?"}
  vary: {a: [3, 5], b: [4, 12]}
  answer: sqrt((a**2 + b**2) / 2)
  wrong:
  - {value: sqrt(a**2 + b**2), say: {vi: Thiếu, en: Missing}}
""",
    "predict": """\
- id: guess
  kind: predict
  prompt: {vi: Đoán, en: Guess}
  cell: |
    v = 1
  ask:
    choice:
    - {id: grows, text: {vi: tăng, en: grows}, true_if: v > 1}
    - {id: stays, text: {vi: giữ, en: stays}, true_if: v == 1}
""",
    "short": """\
- id: rq4
  kind: short
  prompt: {vi: Vì sao?, en: Why?}
  topics: [LN, BN]
  points:
  - id: ln-batch
    required: true
    any: ["LN: !DEPEND BATCH", "BN & BATCH"]
  misconceptions:
  - {id: swapped, any: ["LN: DEPEND"], say: {vi: Ngược, en: Swapped}}
  model_answer: {vi: LN không phụ thuộc lô., en: LN does not depend on the batch.}
  samples:
  - {text: LN does not depend on the batch, verdict: right}
  - {text: LN depends on the batch, verdict: wrong}
""",
}


class Files:
    """A course on disk: a glossary, claims, and what a test adds."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write(GLOSSARY, "glossary.yaml")
        self.write(CLAIMS, "claims.yaml")

    def write(self, text: str | bytes, name: str = "sound.yaml") -> Path:
        """Writes a file and gives its path."""
        path = self.root / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def load(self, text: str | bytes) -> tuple[Lesson | None, list[tuple[int, str]]]:
        """The lesson that a text gives, and its findings as lines and messages."""
        lesson, findings = load_lesson(self.write(text))
        return lesson, [(finding.line, finding.message) for finding in findings]

    def lint(self, **changed: str) -> list[tuple[int, str]]:
        """The findings of the lint about the sound lesson with some steps changed, as lines and messages."""
        self.write(self.sound(**changed))
        course = load_course(self.root)
        assert course.findings == ()
        return [(finding.line, finding.message) for finding in lint(course)]

    @staticmethod
    def sound(*kinds: str, **changed: str) -> str:
        """The sound lesson, with the steps of these kinds (all by default), some of them changed."""
        steps = {**STEPS, **changed}
        return HEAD + "".join(steps[kind] for kind in (kinds or steps))

    @staticmethod
    def changed(kind: str, old: str, new: str) -> dict[str, str]:
        """The sound step of a kind with a part replaced, as an argument for `sound` and `lint`."""
        assert old in STEPS[kind]
        return {kind: STEPS[kind].replace(old, new)}

    @staticmethod
    def line(text: str, part: str) -> int:
        """The line (1-based) of the first occurrence of `part`."""
        return text[: text.index(part)].count("\n") + 1


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """An empty course in a directory of its own."""
    return Files(tmp_path)
