"""Cells that use no torch do not wait for it; all others find it there."""

import pytest

from tutor.runtime.prelude import NOTHING, PRELUDE, prelude_for


@pytest.mark.parametrize(
    "code",
    ["x = torch.ones(3)", "h = nn.Linear(2, 2)", "y = F.relu(x)", "show(curve)", "layer_norm(x, w, b)",
     "import torch as t", "from torch import nn as n", "import kernels.lab", "from triton import jit",
     "exec(words)", "globals()[name]", "import importlib", "%timeit 1", "x ="],
)  # fmt: skip
def test_what_may_use_torch_gets_it(code: str) -> None:
    assert prelude_for(["base = 1", code]) == PRELUDE


@pytest.mark.parametrize("code", ["base = 40\nprint('torch', base)", "import math\nmath.sqrt(2)", "x.torch", ""])
def test_what_plainly_does_not_use_it_does_not_wait(code: str) -> None:
    assert prelude_for([code]) == NOTHING
