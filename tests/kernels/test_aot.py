"""Every Triton kernel compiles for GPUs that are not here, and spills nothing where that is judged.

Compilation needs a process without TRITON_INTERPRET. It proves that the code is valid and what it takes, not that it is
right: that is what the interpreter, and a GPU, are for. `aot_compile.cases` says which combinations and why.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from aot_compile import SHARED_KB, SPILLS_MATTER
from triton.runtime import JITFunction
from triton.runtime.interpreter import InterpretedFunction

from kernels.triton_kernels import backward, forward, teaching

SCRIPT = Path(__file__).parent / "aot_compile.py"
KERNELS = {
    name
    for module in (forward, backward, teaching)
    for name, value in vars(module).items()
    if isinstance(value, JITFunction | InterpretedFunction) and value.fn.__module__ == module.__name__
    if not name.startswith("_")
}


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "targets",
    [("cuda:80", "hip:gfx942"), ("cuda:90", "hip:gfx90a"), ("cuda:100", "cuda:120", "hip:gfx1100")],
    ids=" ".join,
)
def test_kernels_compile(targets, tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment |= {"PYTHONPATH": os.pathsep.join(sys.path), "TRITON_CACHE_DIR": str(tmp_path)}
    result = subprocess.run(
        [sys.executable, SCRIPT, *targets], env=environment, capture_output=True, text=True, timeout=280, check=False
    )
    assert result.returncode == 0, result.stderr[-3000:]
    compiled = [json.loads(line) for line in result.stdout.splitlines()]
    for target in targets:
        assert {each["kernel"] for each in compiled if each["target"] == target} == KERNELS
    assert all(each["binary"] > 0 and each["registers"] > 0 for each in compiled)
    assert [each for each in compiled if each["shared"] > 1024 * SHARED_KB[each["target"]]] == []
    assert [each for each in compiled if each["target"] in SPILLS_MATTER and each["spilled"] > 0] == []
