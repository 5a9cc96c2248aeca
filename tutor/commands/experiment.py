"""Runs a module of `kernels` in a child: torch stays out of this process, and ctrl+c stops it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

from tutor.commands.support import FoundWrongError, WrongUseError, status
from tutor.text.i18n import _

SECONDS_TO_DIE = 2.0
LONGEST_LINE = 1 << 24
"""Bytes that a child may write to standard error without a line break."""


async def run_module(module: str, name: str, arguments: list[str]) -> dict[str, Any]:
    """The JSON document that the `main` of `module` prints, run in a child that does not outlive this call.

    `name` is what to call it in messages. A document that was printed counts, whatever the exit code says of it.
    """
    from tutor.runtime import device

    environment = device.child_environment(await asyncio.to_thread(device.choose))
    # As `python -m MODULE`, but with this installation's `kernels`, not one in the working directory.
    program = f"import sys; sys.path.append(sys.argv.pop(1)); from {module} import main; sys.exit(main())"
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-c", program, _installation(), *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
        start_new_session=True,
        limit=LONGEST_LINE,
    )
    status(f"{name} …")
    assert child.stdout is not None and child.stderr is not None
    try:
        output, complaint = await asyncio.gather(child.stdout.read(), _show_progress(name, child.stderr))
        code = await child.wait()
    finally:
        await end(child)
    if code == 2:
        raise WrongUseError(complaint or name)
    try:
        result = json.loads(output)
    except ValueError as error:  # nothing, or a part: it ended before its time
        why = complaint or _("it ended with exit code {code}").format(code=code)
        raise FoundWrongError(_("{experiment} failed: {why}").format(experiment=name, why=why)) from error
    assert isinstance(result, dict)
    return result


def _installation() -> str:
    import kernels

    return str(Path(kernels.__file__).resolve().parents[1])


async def _show_progress(name: str, stream: asyncio.StreamReader) -> str:
    """Shows lines such as "progress 3/96" on a terminal; returns the last other line, which says what went wrong."""
    last = ""
    try:
        async for raw in stream:
            line = raw.decode(errors="replace").strip()
            found = re.fullmatch(r"progress (\d+)/(\d+)", line)
            if found is None:
                last = line or last
            else:
                status(f"{name} {found[1]}/{found[2]}")
    finally:
        status("")
    return last


async def end(child: asyncio.subprocess.Process) -> None:
    """Ends the child and whatever it started, if they still run."""
    if child.returncode is not None:
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, number)
        except ProcessLookupError:
            break
        try:
            await asyncio.wait_for(child.wait(), SECONDS_TO_DIE)
            break
        except TimeoutError:
            continue
