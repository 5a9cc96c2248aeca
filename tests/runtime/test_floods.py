"""Cells that put out far more than anyone can read: the app stays alive, and the end is seen."""

import asyncio
import subprocess
from pathlib import Path

import pytest

from tests.runtime.conftest import Heart, Told, run
from tutor.runtime.outputs import Curves, Failure, Output, Stream, Value
from tutor.runtime.session import Session
from tutor.runtime.transcript import Transcript

pytestmark = pytest.mark.asyncio(loop_scope="session")

STILL = 0.2
"""Seconds for which the event loop may stand still."""


def read(told: Told) -> Transcript:
    transcript = Transcript()
    for output in told:
        if isinstance(output, Stream):
            transcript.append(output.text, output.dropped)
    return transcript


def count(told: Told) -> int:
    return sum(len(output.text) + output.dropped for output in told if isinstance(output, Stream))


async def test_one_line_of_50_mb(session: Session) -> None:
    async with Heart() as heart:
        finished, told = await run(session, "print('a' * 50_000_000 + 'END')")
    assert finished.ending == "ok"
    assert count(told) == 50_000_004
    assert sum(len(output.text) for output in told if isinstance(output, Stream)) < 1_000_000
    [line] = read(told).lines()
    assert line.startswith("aaaa") and line.endswith("aEND") and " … " in line
    assert heart.longest < STILL


async def test_very_many_lines(session: Session) -> None:
    code = "for start in range(0, 1_000_000, 1000): print('\\n'.join(map(str, range(start, start + 1000))))"
    async with Heart() as heart:
        _, told = await run(session, code)
    assert count(told) == 6_888_890
    lines = read(told).lines()
    assert (lines[0], lines[-1]) == ("0", "999999")
    assert heart.longest < STILL


async def test_flushing_after_every_line_is_no_message_a_line(session: Session) -> None:
    async with Heart() as heart:
        _, told = await run(session, "for i in range(20_000): print(i, flush=True)")
    assert count(told) == 108_890
    assert len(told) < 500
    assert read(told).lines()[-1] == "19999"
    assert heart.longest < STILL


async def test_a_progress_bar_stays_one_line(session: Session) -> None:
    code = "import sys\nfor i in range(20_000): print(f'\\r{i:5}/20000', end='', file=sys.stderr, flush=True)"
    _, told = await run(session, code)
    lines = read(told).lines()
    assert len(lines) == 1 and lines[0].endswith("19999/20000")


async def test_native_floods(session: Session) -> None:
    async with Heart() as heart:
        _, told = await run(
            session, "import os\nfor _ in range(400): os.write(1, b'x' * 50_000)\nos.write(1, b'\\nEND\\n')"
        )
    assert count(told) == 20_000_005
    assert read(told).lines()[-1] == "END"
    assert heart.longest < STILL


async def test_a_forked_child_that_floods(session: Session) -> None:
    code = """
import os
pid = os.fork()
if pid == 0:
    for i in range(50_000): print(i)
    os._exit(0)
print(os.waitpid(pid, 0)[1], 'END')
"""
    async with Heart() as heart:
        _, told = await run(session, code)
    assert count(told) == 288_890 + len("0 END\n")
    assert heart.longest < STILL


async def test_a_flood_that_pauses_shows_its_end_meanwhile(session: Session) -> None:
    code = "print('x' * 2_000_000 + 'END')\nimport threading; threading.Event().wait(60)"
    told = Told()
    task = asyncio.create_task(session.run(code, on_output=told))
    await told.until(lambda outputs: outputs.printed.endswith("END\n"))
    assert not task.done()
    await session.interrupt()
    await task


async def test_floods_of_displays(session: Session) -> None:
    async with Heart() as heart:
        finished, told = await run(session, "for i in range(3000): display(i)")
        assert len(told) < 1000
        assert len(told) + finished.dropped == 3000
        assert told[-1] == Value("2999")
        finished, told = await run(session, "h = display(-1, display_id='h')\nfor i in range(3000): h.update(i)")
    assert len(told) < 1000 and finished.dropped == 0
    assert told[-1] == Value("2999", "h")
    assert heart.longest < STILL


async def test_floods_of_clearing_end_with_the_last_text(session: Session) -> None:
    code = "from IPython.display import clear_output\nfor i in range(3000):\n    clear_output(wait=True); print(i)"
    _, told = await run(session, code)
    assert len(told) < 1000
    last = max(index for index, output in enumerate(told) if isinstance(output, Stream) and output.clears)
    assert "".join(output.text for output in told[last:] if isinstance(output, Stream)).endswith("2999\n")


async def test_huge_values_errors_and_messages(session: Session) -> None:
    before = forget_peak()
    async with Heart() as heart:
        finished, told = await run(session, "big = 'y' * 20_000_000\nbig", expressions={"big": "big"})
        [value] = told
        assert isinstance(value, Value) and len(value.text) <= 100_000
        assert value.text.startswith("'yyy") and value.text.endswith("yyy'")
        assert len(finished.values["big"]) <= 100_000
        finished, told = await run(session, "raise ValueError(big)")
        [failure] = told
        assert isinstance(failure, Failure) and len(failure.message) < 30_000
        code = (
            "from IPython.display import publish_display_data\npublish_display_data({'text/plain': '', 'x/y': big})\n3"
        )
        finished, told = await run(session, code)
        assert (finished.ending, finished.dropped, list(told)) == ("ok", 1, [Value("3")])
        code = "show(Curve('many', range(100_000), range(100_000)))"
        finished, told = await run(session, code)
        assert isinstance(told[-1], Curves)
    assert heart.longest < STILL
    assert resident_mb("VmHWM") - before < 200


def resident_mb(field: str) -> float:
    """What this process holds in memory now (VmRSS) or has at most held (VmHWM), in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))


def forget_peak() -> float:
    """Begins a new peak, since earlier tests in this process have left one; returns what is held now, in MB."""
    Path("/proc/self/clear_refs").write_text("5")
    return resident_mb("VmRSS")


def hold_until(file: Path) -> None:
    """Keeps everything in this process waiting, as when it is stopped by ctrl+z, until a cell makes the file."""
    subprocess.run(["sh", "-c", f"while [ ! -e {file} ]; do sleep 0.02; done"], check=True, timeout=60)


async def test_messages_that_pile_up_while_the_app_stands_still_are_all_read(session: Session, tmp_path: Path) -> None:
    file = tmp_path / "sent"
    code = f"""
from pathlib import Path
kernel = get_ipython().kernel
print('go', flush=True)
for i in range(5000):
    content = {{'data': {{'text/plain': str(i)}}, 'metadata': {{}}}}
    kernel.session.send(kernel.iopub_socket, 'display_data', content, parent=kernel.get_parent('shell'))
Path({str(file)!r}).touch()
"""
    told = Told()

    def take(output: Output) -> None:
        if not told:
            hold_until(file)
        told(output)

    async with Heart() as heart, asyncio.timeout(60):
        finished = await session.run(code, on_output=take)
    assert finished.ending == "ok"
    assert [output.text for output in told if isinstance(output, Value)] == [str(i) for i in range(5000)]
    assert heart.longest < STILL


async def test_what_was_sent_before_a_death_is_read_after_it(quick: Session, tmp_path: Path) -> None:
    file = tmp_path / "dead"
    code = f"""
import os, subprocess, sys, time
print('go', flush=True)
for i in range(300): print(i); sys.stdout.flush_now()
time.sleep(0.2)
watch = f'while kill -0 {{os.getpid()}} 2>/dev/null; do sleep 0.02; done; sleep 0.1; touch {file}'
subprocess.Popen(['sh', '-c', watch], start_new_session=True)
os.kill(os.getppid(), 9)
time.sleep(60)
"""
    told = Told()

    def take(output: Output) -> None:
        if not told:
            hold_until(file)
        told(output)

    async with asyncio.timeout(60):
        finished = await quick.run(code, on_output=take)
    assert finished.ending == "died"
    assert told.printed.split() == ["go", *map(str, range(300))]
