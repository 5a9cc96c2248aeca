"""The cases that an implementation of the four norms must pass, each against the float64 truth of `norm_bounds`.

A case takes the implementation and a device and returns what is wrong, as sentences. `test_functional.py` runs them on
both backends, `test_broken.py` on implementations that are wrong on purpose, which is what shows that the cases bite.
"""

import cases_gradients  # noqa: F401
import cases_layout  # noqa: F401
import cases_values  # noqa: F401
from norm_checks import CASES as CASES
from norm_checks import FOUR as FOUR
from norm_checks import Ops as Ops
from norm_checks import apply as apply
