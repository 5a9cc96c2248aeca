"""What `normtutor lab` says of the experiments in the learner's language; `kernels` itself speaks English."""

from __future__ import annotations

import re

from tutor.text.i18n import N_, _

ABOUT = {
    "hidden-variance": N_("The variance of the hidden state after each layer, at initialisation."),
    "gradient-norms": N_(
        "The norm of the loss gradient at each layer, at initialisation: vanishing, exploding or level."
    ),
    "hidden-mean": N_("How far the mean of a token is from 0, against its RMS, after each layer."),
    "update-ratio": N_("The size of the first SGD update against the size of the weight, at each layer."),
    "singular-values": N_("The singular values of one block's Jacobian at one token."),
    "cancellation": N_("The relative error of a row's variance by method, as the mean grows from 1 to 100,000."),
    "half-sums": N_("A sum added one value at a time in fp32, fp16 and bf16; --of is ones or squares."),
    "rms-and-layer-norm": N_("How far RMSNorm's output is from LayerNorm's, as the mean grows against the deviation."),
}

_REFUSALS = (
    (r"(?P<name>\w+) must be at least 1, not (?P<value>.+)", N_("{name} must be at least 1, not {value}")),
    (
        r"unknown (?P<name>\w+) '(?P<value>.*)': did you mean '(?P<near>.*)'\? It is one of (?P<known>.+)",
        N_("unknown {name} “{value}”: did you mean “{near}”? It is one of {known}"),
    ),
    (
        r"unknown (?P<name>\w+) '(?P<value>.*)': It is one of (?P<known>.+)",
        N_("unknown {name} “{value}”: it is one of {known}"),
    ),
    (
        r"of must be '(?P<one>\w+)' or '(?P<other>\w+)', not '(?P<value>.*)'",
        N_("of must be {one} or {other}, not “{value}”"),
    ),
    (r"archs is empty: name at least one kind of stack", N_("--arch is empty: name at least one kind of stack")),
)
"""What the experiments refuse, as they say it, and the same for `_`."""


def refusal(complaint: str) -> str:
    """A complaint of `kernels.experiments` ("NAME: why") in the language in use; as it is where it is not known."""
    experiment, _colon, why = complaint.partition(": ")
    for pattern, message in _REFUSALS:
        found = re.fullmatch(pattern, why)
        if found is not None:
            return f"{experiment}: {_(message).format(**found.groupdict())}"
    return complaint
