"""Training with and without warm-up: a small language model for each placement of the norm."""

from __future__ import annotations

import math
from itertools import product

from kernels.curve import Curve
from kernels.lab.language import Corpus, LanguageModel, Step, train
from kernels.lab.monitor import Monitor, Work
from kernels.lab.readings_warmup import Run, read_gradients, read_losses
from kernels.lab.seeds import over_seeds
from kernels.lab.spec import Measured
from kernels.stack import Stack
from kernels.threads import one_thread

POINTS = 100
"""A curve has about so many points; each is the mean of the steps that it stands for."""
LAST = 20
"""The loss at the end is the mean of so many steps."""


def warmup(
    monitor: Monitor,
    *,
    arch: tuple[str, ...],
    warmup: tuple[int, ...],
    lr: tuple[float, ...],
    depth: int,
    d_model: int,
    tokens: int,
    batch: int,
    steps: int,
    init: str,
    norm: str,
    seeds: int,
    seed: int,
) -> Measured:
    """One run for each placement, warm-up and learning rate, the same text and the same seeds for all."""
    corpus = Corpus.read()
    every = max(1, steps // POINTS)
    ends = tuple(range(every, steps + 1, every))
    work = Work(monitor, len(arch) * len(warmup) * len(lr) * seeds * steps)
    losses: list[Curve] = []
    gradients: list[Curve] = []
    runs: list[Run] = []
    with one_thread():
        for kind, warm, rate in product(arch, warmup, lr):
            label = f"{kind}, warm-up {warm}" + (f", lr {rate:g}" if len(lr) > 1 else "")
            samples: list[list[Step]] = []
            for each in range(seed, seed + seeds):
                stack = Stack(kind, depth, d_model, init=init, norm=norm, causal=True, seed=each)
                model = LanguageModel(stack, corpus.characters, tokens)
                samples.append([])
                for step in train(model, corpus, lr=rate, warmup=warm, steps=steps, batch=batch, seed=each):
                    samples[-1].append(step)
                    work.step()
                    if len(samples[-1]) % every == 0 and len(samples) == 1:
                        done = len(samples[0]) // every
                        monitor.curves([*losses, _curve(label, kind, ends[:done], samples, "loss", every)])
                    if not math.isfinite(step.loss):
                        missing = steps - len(samples[-1])
                        samples[-1] += [Step(math.nan, math.nan)] * missing  # it will not come back from that
                        work.step(missing)
                        break
            losses.append(_curve(label, kind, ends, samples, "loss", every))
            gradients.append(_curve(label, kind, ends, samples, "gradient", every))
            runs += [Run(kind, warm, rate, label, each, *_end(sample)) for each, sample in enumerate(samples, seed)]
            monitor.curves(losses)
    return {
        "loss": (tuple(losses), read_losses(runs, corpus.entropy, seeds)),
        "gradient": (tuple(gradients), read_gradients(gradients, runs)),
    }


def _curve(label: str, arch: str, ends: tuple[int, ...], samples: list[list[Step]], what: str, every: int) -> Curve:
    """The mean of each stretch of `every` steps, over the seeds."""
    rows = []
    for sample in samples:
        values = [getattr(step, what) for step in sample]
        rows.append([sum(values[end - every : end]) / every for end in ends])
    y_label = "cross entropy, nats" if what == "loss" else "norm of all gradients"
    return over_seeds(label, ends, rows, arch=arch, x_label="step", y_label=y_label)


def _end(sample: list[Step]) -> tuple[float, float, int | None]:
    """The loss at the first step, at the end, and the step at which it was no number any more."""
    lost = next((n for n, step in enumerate(sample, 1) if not math.isfinite(step.loss)), None)
    last = sample[-LAST:]
    return sample[0].loss, sum(step.loss for step in last) / len(last), lost
