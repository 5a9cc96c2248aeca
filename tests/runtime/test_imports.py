import subprocess
import sys

HEAVY = {"torch", "triton", "numpy", "zmq", "jupyter_client", "IPython", "ipykernel", "pynvml", "textual"}


def loaded_by(code: str) -> set[str]:
    code += "\nimport sys; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    return set(out.split())


def test_importing_the_runtime_loads_nothing_heavy() -> None:
    names = "session, device, outputs, transcript, private, endings, reading"
    assert not loaded_by(f"from tutor.runtime import {names}") & HEAVY


def test_a_started_session_loads_no_numerics_and_no_ipython() -> None:
    code = """
import asyncio
from tutor.runtime import session
session.PRELUDE = "1"
async def main():
    mine = session.Session()
    await mine.start()
    assert mine.state is session.State.READY, mine.detail
    await mine.stop()
asyncio.run(main())
"""
    assert not loaded_by(code) & {"torch", "triton", "numpy", "IPython", "ipykernel", "textual"}
