"""What one cell breaks, the next one finds whole."""

import pytest

from tests.runtime.conftest import run
from tutor.runtime.outputs import Value
from tutor.runtime.session import Session

pytestmark = pytest.mark.asyncio(loop_scope="session")

BREAKS = [
    "import sys; sys.stdout = None",
    "import sys; del sys.stdout, sys.stderr",
    "import sys\nclass Bad:\n    def __getattr__(self, name): raise OSError(name)\nsys.stdout = sys.stderr = Bad()",
    "import io, sys; sys.stdout = sys.stderr = io.StringIO()",
    "import sys; sys.stdout.close(); sys.stderr.close()",
    "import sys; sys.stdout.write = None; sys.stdout.flush = 3",
    "import os; os.close(1); os.close(2)",
    "import os; os.close(0); os.close(1); kept = open('/dev/null', 'w')",
    "import os; os.dup2(os.open('/dev/null', os.O_WRONLY), 1)",
    "import sys; sys.displayhook = sys.excepthook = None",
    "import builtins; builtins.print = builtins.len = None",
    "import builtins; del builtins.isinstance, builtins.getattr",
]


async def test_no_cell_breaks_the_next(quick: Session) -> None:
    pid = quick.pid
    for code in BREAKS:
        finished, told = await run(quick, code)
        assert finished.ending in ("ok", "error"), (code, finished, told)
        assert "Lost" not in [getattr(output, "name", "") for output in told], code
        finished, told = await run(quick, "print('seen', flush=True); import os; os.system('echo below'); len('four')")
        assert finished.ending == "ok", (code, told)
        assert "seen" in told.printed and "below" in told.printed, code
        assert Value("4") in told, code
    assert quick.pid == pid
