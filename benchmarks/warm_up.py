"""Warm-up against none: a character-level language model with each norm placement, as the lesson `placement` quotes it.

    python benchmarks/warm_up.py                    all rows, some minutes
    python benchmarks/warm_up.py --depth 12 --seeds 1

The loss is the cross entropy of the next character in nats, the mean of the last 20 steps; a model that only knows how
often each character occurs stays at the unigram entropy, which is printed. `normtutor lab warmup` draws such runs.
"""

from __future__ import annotations

import argparse

from kernels import Stack
from kernels.lab.language import Corpus, LanguageModel, train

D_MODEL, TOKENS, BATCH = 64, 32, 16
LAST = 20
ROWS = ((12, 1e-3, 400), (6, 2e-3, 300))
"""(depth, peak learning rate, steps)."""
CASES = (("post", 0), ("post", 200), ("pre", 0), ("pre", 200), ("deepnorm", 0))
"""(placement, warm-up steps)."""


def main() -> None:
    """Print a line a case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--depth", type=int, choices=[depth for depth, _rate, _steps in ROWS])
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    corpus = Corpus.read()
    print(f"{len(corpus.text)} characters, {corpus.characters} different, unigram entropy {corpus.entropy:.2f}")
    for depth, rate, steps in ROWS:
        if options.depth in (None, depth):
            for arch, warmup in CASES:
                losses = []
                for seed in range(options.seeds):
                    stack = Stack(arch, depth, D_MODEL, causal=True, seed=seed, device="cpu")
                    model = LanguageModel(stack, corpus.characters, TOKENS)
                    settings = {"lr": rate, "warmup": warmup, "steps": steps, "batch": BATCH, "seed": seed}
                    run = train(model, corpus, **settings, fused=False)  # as when the lesson's figures were measured
                    losses.append(sum([step.loss for step in run][-LAST:]) / LAST)
                shown = "  ".join(f"{loss:.2f}" for loss in losses)
                print(f"{depth:3} layers  lr {rate:g}  {arch:9} warm-up {warmup:4}  {shown}", flush=True)


if __name__ == "__main__":
    main()
