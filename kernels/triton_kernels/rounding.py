"""Rounding float32 to the dtype of a tensor, the same in Triton's interpreter as on a GPU."""

import triton
import triton.language as tl
from triton import knobs

# Triton reads TRITON_INTERPRET when a kernel is decorated: one process either interprets or compiles.
INTERPRETED: bool = knobs.runtime.interpret
_INTERPRETED = tl.constexpr(INTERPRETED)


@triton.jit
def _to_bfloat16(x):
    """Round float32 to bfloat16, to nearest and ties to even, on the bits.

    The interpreter truncates instead, which puts half of all values off by one unit in the last place.
    """
    bits = x.to(tl.uint32, bitcast=True)
    rounded = bits + 0x7FFF + ((bits >> 16) & 1)
    is_nan = (bits & 0x7FFFFFFF) > 0x7F800000
    rounded = tl.where(is_nan, bits | 0x00400000, rounded)
    return (rounded >> 16).to(tl.uint16).to(tl.bfloat16, bitcast=True)


@triton.jit
def round_to(x, dtype: tl.constexpr):
    """Round float32 `x` to `dtype`, to nearest and ties to even."""
    return _to_bfloat16(x) if _INTERPRETED and dtype == tl.bfloat16 else x.to(dtype)
