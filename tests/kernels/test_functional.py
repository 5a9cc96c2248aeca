"""The functional norms against float64, on both backends; see norm_cases."""

import functools

import pytest
from norm_cases import CASES, Ops

from kernels import functional

NAMES = Ops._fields


def ops_of(backend: str) -> Ops:
    return Ops(*(functools.partial(getattr(functional, name), backend=backend) for name in NAMES))


@pytest.mark.parametrize("backend", ["torch", "triton"])
@pytest.mark.parametrize("name", CASES)
def test_case(name, backend, device):
    assert CASES[name](ops_of(backend), device) == []
