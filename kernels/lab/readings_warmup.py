"""What runs of training show, put into words by rules, in both languages: who learns, who stalls, who diverges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kernels.curve import Curve
from kernels.lab.words import Words, join, number

LEARNED = 0.5
"""Nats below the entropy of single characters from which a model counts as having learned more than frequencies."""
WARMED_UP = 1
"""Steps of warm-up from which a run counts as having one."""

Outcome = Literal["learns", "stalls", "diverges"]


@dataclass(frozen=True)
class Run:
    """One training run: its loss at first and in the end (nats), and the step at which it was no number any more."""

    arch: str
    warmup: int
    lr: float
    label: str
    seed: int
    first: float
    last: float
    lost: int | None

    def outcome(self, entropy: float) -> Outcome:
        """Diverged when the loss is no number or above where it began; stalled when it knows only frequencies."""
        if self.lost is not None or not self.last <= self.first:
            return "diverges"
        return "learns" if self.last < entropy - LEARNED else "stalls"


def read_losses(runs: Sequence[Run], entropy: float, seeds: int) -> Words:
    """What became of each run, and what that says about warm-up for each placement."""
    unigram = number(entropy)
    said = [_became(label, [run for run in runs if run.label == label], entropy) for label in _labels(runs)]
    said.append(
        Words(
            f"A model that knows only how often each character occurs has a loss of {unigram.en}.",
            f"Model chỉ biết tần suất của từng ký tự có loss {unigram.vi}.",
        )
    )
    said += [
        _needs(arch, [run for run in runs if run.arch == arch], entropy) for arch in dict.fromkeys(r.arch for r in runs)
    ]
    if seeds > 1:
        said.append(Words(f"{seeds} seeds, the band runs over them.", f"{seeds} seed, dải là khoảng của chúng."))
    return join(said)


def read_gradients(curves: Sequence[Curve], runs: Sequence[Run]) -> Words:
    """The gradient norm of each run at the start, at its greatest and in the end."""
    said = []
    for curve in curves:
        finite = [y for y in curve.y if math.isfinite(y)]
        if not finite:
            said.append(Words(f"{curve.label}: no finite gradient.", f"{curve.label}: không có gradient hữu hạn."))
            continue
        top = max(finite)
        at = curve.x[curve.y.index(top)]
        first, most, last = number(finite[0]), number(top), number(finite[-1])
        lost = next((run.lost for run in runs if run.label == curve.label and run.lost is not None), None)
        said.append(
            Words(
                f"{curve.label}: {first.en} at first, {most.en} at most (step {at:g}), {last.en} in the end"
                + (f", no number from step {lost}." if lost else "."),
                f"{curve.label}: lúc đầu {first.vi}, cao nhất {most.vi} (bước {at:g}), cuối cùng {last.vi}"
                + (f", không còn là số từ bước {lost}." if lost else "."),
            )
        )
    return join(said)


def _labels(runs: Sequence[Run]) -> list[str]:
    return list(dict.fromkeys(run.label for run in runs))


def _became(label: str, runs: Sequence[Run], entropy: float) -> Words:
    """One sentence on the runs of one curve."""
    kinds = [run.outcome(entropy) for run in runs]
    lost = next((run.lost for run in runs if run.lost is not None), None)
    last = [number(run.last) for run in runs]
    losses = Words(", ".join(each.en for each in last), "; ".join(each.vi for each in last))
    if lost is not None:
        return Words(
            f"{label}: diverges, no number from step {lost}.", f"{label}: phân kỳ, không còn là số từ bước {lost}."
        )
    words = {
        "learns": Words("learns", "học được"),
        "stalls": Words("stalls", "đứng yên"),
        "diverges": Words("diverges", "phân kỳ"),
    }
    if len(set(kinds)) == 1:
        verb = words[kinds[0]]
        return Words(f"{label}: {verb.en}, loss {losses.en}.", f"{label}: {verb.vi}, loss {losses.vi}.")
    told = [
        Words(f"{words[kind].en} ({at.en})", f"{words[kind].vi} ({at.vi})")
        for kind, at in zip(kinds, last, strict=True)
    ]
    seeds = join(told, ", ")
    return Words(f"{label}: depends on the seed: {seeds.en}.", f"{label}: tùy seed: {seeds.vi}.")


def _needs(arch: str, runs: Sequence[Run], entropy: float) -> Words:
    """Whether this placement needs warm-up here; says so too when the runs do not show it."""
    cold = {run.outcome(entropy) == "learns" for run in runs if run.warmup < WARMED_UP}
    warm = {run.outcome(entropy) == "learns" for run in runs if run.warmup >= WARMED_UP}
    if not cold:
        return Words("", "")
    if cold == {True}:
        return Words(f"So {arch} trains here without warm-up.", f"Vậy ở đây {arch} train được mà không cần warm-up.")
    if cold == {False} and warm == {True}:
        return Words(
            f"So {arch} needs the warm-up here: without it, it does not learn.",
            f"Vậy ở đây {arch} cần warm-up: không có thì không học được.",
        )
    if cold == {False} and warm == {False}:
        return Words(
            f"{arch} does not learn here, and this warm-up does not save it: try a lower rate, fewer layers or "
            "a longer warm-up.",
            f"{arch} không học được ở đây, warm-up này cũng không cứu được: thử learning rate nhỏ hơn, ít tầng hơn "
            "hoặc warm-up dài hơn.",
        )
    if cold == {False}:
        return Words(f"{arch} does not learn here without warm-up.", f"Không có warm-up, {arch} không học được ở đây.")
    return Words(
        f"This does not show whether {arch} needs warm-up here: the runs do not agree.",
        f"Chưa thể nói {arch} có cần warm-up ở đây hay không: các lần chạy không giống nhau.",
    )
