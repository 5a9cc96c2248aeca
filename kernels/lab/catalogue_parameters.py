"""The parameters that several experiments share, and short ways to write the others. Needs no torch."""

from __future__ import annotations

from dataclasses import replace

from kernels.lab.parameters import Parameter, Scalar
from kernels.lab.spec import Reach, Values
from kernels.lab.words import Words

ARCHS = ("plain", "residual", "post", "pre", "deepnorm", "sandwich", "output-norm", "parallel")
"""The keys of `kernels.stack.ARCHS`, which cannot be asked for without torch."""


def name(name: str, default: str, choices: tuple[str, ...], help: Words) -> Parameter:
    """One of some names."""
    return Parameter(name=name, kind="name", default=default, choices=choices, help=help)


def names(name: str, default: tuple[str, ...], choices: tuple[str, ...], help: Words) -> Parameter:
    """One or more of some names."""
    return Parameter(name=name, kind="name", default=default, choices=choices, help=help, several=True)


def integer(name: str, default: int, low: int, high: int, steps: tuple[Scalar, ...], help: Words) -> Parameter:
    """A whole number."""
    return Parameter(name=name, kind="int", default=default, low=low, high=high, steps=steps, help=help)


def integers(name: str, default: tuple[int, ...], low: int, high: int, help: Words, multiple: int = 1) -> Parameter:
    """One or more whole numbers."""
    return Parameter(
        name=name, kind="int", default=default, low=low, high=high, multiple=multiple, help=help, several=True
    )


def real(name: str, default: float, low: float, high: float, steps: tuple[Scalar, ...], help: Words) -> Parameter:
    """A number."""
    return Parameter(name=name, kind="float", default=default, low=low, high=high, steps=steps, help=help)


def floats(name: str, default: tuple[float, ...], low: float, high: float, help: Words) -> Parameter:
    """One or more numbers."""
    return Parameter(name=name, kind="float", default=default, low=low, high=high, help=help, several=True)


def archs(*default: str) -> Parameter:
    """Kinds of stacks."""
    return names("arch", default, ARCHS, Words("kinds of stacks, such as pre,post", "loại stack, chẳng hạn pre,post"))


def width(default: int = 128) -> Parameter:
    """The width of the hidden state; the stacks have four heads."""
    return Parameter(
        name="d_model",
        kind="int",
        default=default,
        low=4,
        high=2048,
        multiple=4,
        steps=(16, 32, 64, 128, 256, 512),
        aliases=("width",),
        help=Words("width of the hidden state", "độ rộng của hidden state"),
    )


def seeds(default: int) -> Parameter:
    """How many seeds are averaged."""
    help = Words("how many seeds; more than one gives a band", "bao nhiêu seed; nhiều hơn một thì có dải")
    return integer("seeds", default, 1, 32, (1, 2, 3, 4, 8, 16), help)


DEPTH = integer("depth", 48, 1, 192, (1, 6, 12, 24, 48, 96, 192), Words("number of blocks", "số block"))
INIT = name("init", "xavier", ("xavier", "default"), Words("initialisation of the weights", "cách khởi tạo trọng số"))
NORM = name("norm", "layer", ("layer", "rms"), Words("the norm", "loại norm"))
FINAL_NORM = name(
    "final_norm",
    "auto",
    ("auto", "yes", "no"),
    Words(
        "a norm after the last block; auto: where models have one", "norm sau block cuối; auto: như các model vẫn có"
    ),
)
DTYPE = name("dtype", "fp32", ("fp64", "fp32", "bf16", "fp16"), Words("number format", "kiểu số"))
SEED = integer(
    "seed",
    0,
    0,
    2**31 - 1,
    tuple(range(10)),
    Words("the first seed of everything random", "seed đầu của mọi số ngẫu nhiên"),
)

LAYER = Words("layer", "tầng")
LARGE, VAST = (1e-3, 1e3), (1e-12, 1e12)
"""Ranges in which a change is predicted (`ViewSpec.factors`)."""
MOST_WEIGHTS = 2_000_000_000
"""Of one stack. A block has 12 d_model² weights, in float32 4 bytes each."""


def layers(values: Values) -> Reach:
    """From the input to the last layer."""
    return Reach(0, values["depth"], LAYER, first=Words("layer 0 = the input", "tầng 0 = đầu vào"))


def blocks(values: Values) -> Reach:
    """From the first block to the last: the input has no weights."""
    return Reach(1, values["depth"], LAYER, first=Words("layer 1 = next to the input", "tầng 1 = ngay sau đầu vào"))


def arriving(reach: Reach) -> Reach:
    """An axis of layers on which gradients are measured, with where those come from."""
    first = Words(
        f"{reach.first.en}; gradients arrive from the right", f"{reach.first.vi}; gradient truyền tới từ bên phải"
    )
    return replace(reach, first=first)


def too_large(values: Values) -> Words | None:
    """What is said of a stack with more than `MOST_WEIGHTS`; None for one that is small enough."""
    blocks = max(values["depths"]) if "depths" in values else values.get("depth", values.get("layer", 1))
    weights = 12 * values["d_model"] ** 2 * blocks
    if weights <= MOST_WEIGHTS:
        return None
    return Words(
        f"depth {blocks} with d_model {values['d_model']} is {weights / 1e9:.1f} billion weights; at most "
        f"{MOST_WEIGHTS / 1e9:.0f} are allowed: take fewer layers or a smaller d_model",
        f"depth {blocks} với d_model {values['d_model']} là {weights / 1e9:.1f} tỷ trọng số; nhiều nhất "
        f"{MOST_WEIGHTS / 1e9:.0f} tỷ: hãy giảm số tầng hoặc d_model",
    )
