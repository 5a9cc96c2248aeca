"""`grade` and `check` on a course with an exercise, a claim and a break: real processes from end to end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

LESSON = """
id: code
title: Code
minutes: 5
steps:
- id: tiny-rms
  kind: exercise
  prompt: Write it.
  entry: rms_norm(x, weight, eps)
  reference: rms_norm
  starter: |
    def rms_norm(x, weight, eps):
        ...
  checks:
  - {id: rows, say: {vi: Hàng, en: Rows}, shapes: [[2, 3], [3, 8]], public: true}
  - {id: near-eps, say: {vi: Gần eps, en: Near eps}, shapes: [[2, 4]], families: [tiny-variance]}
  solutions:
  - |
    def rms_norm(x, weight, eps):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight
  mutants:
  - id: no-eps
    say: {vi: Thiếu eps., en: There is no eps.}
    code: |
      def rms_norm(x, weight, eps):
          return x * torch.rsqrt(x.square().mean(-1, keepdim=True)) * weight
  - id: sum
    say: {vi: Tổng thay vì mean., en: The sum in place of the mean.}
    change: [{old: ".mean(", new: ".sum("}]
  hints:
  - {vi: Mean của bình phương., en: The mean of the squares.}
- id: tiny-claim
  kind: claim
  statement: RMSNorm(x + c) = RMSNorm(x)
  holds: false
  search: {inputs: {x: rows, c: scalar}, left: "rms_norm(x + c, 0)", right: "rms_norm(x, 0)"}
- id: tiny-break
  kind: break
  prompt: Break it.
  faulty: one_pass_variance
  input: {x: a row}
  broken_if: relative_error > 0.1
  solutions: ["x = [10000.0, 10001.0, 10002.0, 10003.0]"]
  starter: x = [1.0, 2.0]
"""
RIGHT = "def rms_norm(x, weight, eps):\n    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps) * weight\n"


@pytest.fixture
def code(course: Path) -> Path:
    path = course / "code.yaml"
    path.write_text(LESSON, encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_file_is_graded(normtutor, code: Path, tmp_path: Path) -> None:
    answer = tmp_path / "answer.py"
    answer.write_text(RIGHT)
    verdict = json.loads(normtutor("grade", "tiny-rms", "--json", answer).stdout)
    assert (verdict["verdict"], verdict["score"]) == ("right", 1.0)
    assert [check["id"] for check in verdict["checks"]] == ["rows", "near-eps", "inputs-unchanged"]
    answer.write_text(RIGHT.replace(" + eps", ""))
    text = normtutor("grade", "tiny-rms", answer).stdout
    assert "✗ Near eps" in text and "There is no eps." in text


@pytest.mark.slow
def test_public_checks_claims_and_breaks_are_graded(normtutor, code: Path) -> None:
    wrong = RIGHT.replace(" + eps", " + 1e-5")
    verdict = json.loads(normtutor("grade", "tiny-rms", "--public", "--answer", wrong, "--json").stdout)
    assert [check["id"] for check in verdict["checks"]] == ["rows", "inputs-unchanged"]
    assert json.loads(normtutor("grade", "tiny-claim", "--answer", "no", "--json").stdout)["verdict"] == "right"
    verdict = json.loads(normtutor("grade", "tiny-break", "--answer", "1e4 10001 10002", "--json").stdout)
    assert verdict["verdict"] == "right", verdict


MISTAKES = [
    ("rms", "mean(-1, keepdim=True) + eps) * weight", "mean(-1, keepdim=True) + 2 * eps) * weight", "the solution does not pass"),
    ("rms", "        ...\n", "        return F.rms_norm(x, x.shape[-1:], weight, eps)\n", "the starter passes"),
    ("rms", "mean(-1, keepdim=True)) * weight", "mean(-1, keepdim=True) + eps) * weight", "passes every check"),
    ("rms", "  - id: no-eps\n", "  - id: first\n    say: x\n    code: |\n      def rms_norm(x, weight, eps):\n          return x * torch.rsqrt(x.square().mean(-1, keepdim=True)) * weight\n  - id: no-eps\n", "is named as first"),
    ("rms", 'new: ".sum("', 'new: ".square().sqrt().mean("', "the mutant sum passes every check"),
    ("rms", "reference: rms_norm", "reference: rmsnorm", "there is no reference 'rmsnorm'"),
    ("rms", "public: true}", "public: true, probe: zero}", "has no probe 'zero'"),
    ("claim", "holds: false", "holds: true", "the search finds"),
    ("claim", '"rms_norm(x + c, 0)"', '"rms_norm(x + c)"', "rms_norm takes 2 arguments"),
    ("break", '"x = [10000.0, 10001.0, 10002.0, 10003.0]"', '"x = [1.0, 2.0, 3.0]"', "does not break the kernel"),
    ("break", "starter: x = [1.0, 2.0]", "starter: x = [10000.0, 10001.0]", "breaks the kernel already"),
    ("break", "faulty: one_pass_variance", "faulty: nothing", "there is no faulty kernel"),
]  # fmt: skip


@pytest.mark.slow
def test_a_sound_lesson_has_no_findings_and_every_mistake_is_named(normtutor, code: Path) -> None:
    _head, *steps = LESSON.split("- id: tiny-")
    lesson = LESSON
    for index, (kind, old, new, _) in enumerate(MISTAKES):
        (step,) = [step for step in steps if step.startswith(kind)]
        assert old in step
        lesson += "- id: tiny-" + step.replace(old, new, 1).replace(kind, f"{kind}-{index}", 1)
    code.write_text(lesson, encoding="utf-8")
    findings = json.loads(normtutor("check", code, "--json", code=1).stdout)["findings"]
    told = {finding["step"]: finding for finding in findings}
    wanted = {f"tiny-{kind}-{index}": says for index, (kind, _, _, says) in enumerate(MISTAKES)}
    assert told.keys() == wanted.keys()
    for step, says in wanted.items():
        assert says in told[step]["message"], told[step]
    lines = lesson.split("\n")
    for step, finding in told.items():
        begins = next(at for at, line in enumerate(lines, 1) if line == f"- id: {step}")
        assert begins <= finding["line"] < begins + 30
