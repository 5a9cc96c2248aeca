"""What is loaded when: the app's process never loads torch, and the quick commands load no Textual either."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

NUMERICS = {"torch", "triton", "numpy"}
SLOW = NUMERICS | {"textual", "rich", "jupyter_client", "zmq", "plotext", "tree_sitter", "IPython", "asyncio", "fsrs"}

APP = """
import asyncio, json, sys
from tutor.ui.app import TutorApp

async def main():
    app = TutorApp(start="placement")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await app.workers.wait_for_complete()
        await pilot.pause()
        started = app.python.session is not None and app.python.session.pid is not None
        print(json.dumps([started, sorted({name.partition(".")[0] for name in sys.modules})]))

asyncio.run(main())
"""

COMMAND = """
import json, sys
from tutor.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print()
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def loaded(program: str, *arguments: str, home: Path) -> list[object] | list[str]:
    """The last line that a program prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=os.environ | {"NORMTUTOR_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
def test_the_app_never_loads_torch_even_with_a_lesson_open_and_the_kernel_started(tmp_path: Path) -> None:
    started, modules = loaded(APP, home=tmp_path)
    assert started
    assert "textual" in modules and "jupyter_client" in modules
    assert sorted(NUMERICS & set(modules)) == []


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["due"], ["list"], ["grade", "--help"], ["lab"]])
def test_quick_commands_load_nothing_slow(tmp_path: Path, arguments: list[str]) -> None:
    modules = loaded(COMMAND, *arguments, home=tmp_path)
    assert "tutor" in modules
    assert sorted(SLOW & set(modules)) == []


def test_the_version_is_told_without_reading_a_command_line(tmp_path: Path) -> None:
    modules = loaded(COMMAND, "--version", home=tmp_path)
    assert [name for name in ("argparse", "gettext", "msgspec") if name in modules] == []
