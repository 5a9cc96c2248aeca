"""Measures the app from outside and writes docs/performance.md: `python benchmarks/performance.py`.

First paint beside the least Textual app and, where they are installed, beside other terminal programs; bytes sent per
key and per screen; a cell's round trip beside jupyter_client alone; memory; the same over a slow link. Everything that
depends on the machine stands beside something run in turn with it, so read the ratios. Takes about seven minutes.
"""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from floods import floods
from program import BARE, NORMTUTOR, Program, environment

DOCUMENT = Path(__file__).parents[1] / "docs" / "performance.md"
PEERS = {"euporie": ("euporie-notebook",), "posting": ("posting",), "harlequin": ("harlequin",)}
ROUNDS = 7
SLOW_LINK = 50_000
"""Bytes a second."""
DELAY = 0.2

Row = tuple[str, ...]


def first_paint() -> Iterator[Row]:
    """Seconds until something of the app is on the screen, all programs by turns."""
    programs = {
        "normtutor (target: 1.25)": (NORMTUTOR, "normtutor"),
        "normtutor, its lessons there": (NORMTUTOR, r"▱▱"),
        "a one-widget Textual app": (BARE, "HELLO"),
    }
    for name, command in PEERS.items():
        if shutil.which(command[0]):
            programs[name] = (command, r"\S")
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(ROUNDS):
        for name, (command, marker) in programs.items():
            with tempfile.TemporaryDirectory() as home, Program(command, environment(home)) as program:
                seconds[name].append(program.wait(marker))
    least = min(seconds["a one-widget Textual app"])
    for name, times in seconds.items():
        yield name, f"{min(times):.2f} s", f"{statistics.median(times):.2f} s", f"{min(times) / least:.2f}"
    commands = {
        "`python -c pass`": (sys.executable, "-c", "pass"),
        "`normtutor --version` (target: 0.08 s)": (*NORMTUTOR, "--version"),
        "`normtutor due` (target: 0.06 s)": (*NORMTUTOR, "due"),
    }
    took: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(20):
        for name, command in commands.items():
            took[name].append(_run(*command))
    for name, times in took.items():
        yield name, f"{min(times):.3f} s", f"{statistics.median(times):.3f} s", f"{min(times) / least:.2f}"


def _run(*command: str) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began


def bytes_sent() -> Iterator[Row]:
    """Bytes from the app for keys and screens, at 80x24."""
    with tempfile.TemporaryDirectory() as home, Program(NORMTUTOR, environment(home)) as program:
        program.wait("Python ready")
        program.settle()
        yield "home, from the start", f"{program.sent / 1000:.1f} kB", ""
        for name, keys in (
            ("down in the list of lessons", b"\x1b[B"),
            ("opening a lesson", b"\r"),
            ("the next step", b"n"),
        ):
            sent, first = program.press(keys, quiet=1.0)
            yield name, f"{sent / 1000:.1f} kB", f"{1000 * first:.0f} ms"
        before = program.sent
        program.settle(5.0)
        yield "five idle seconds", f"{program.sent - before} B", ""
    with (
        tempfile.TemporaryDirectory() as home,
        Program((*NORMTUTOR, "open", "gradient-by-layer"), environment(home)) as program,
    ):
        program.wait("Python ready")
        program.settle()
        program.press(b"ex", quiet=1.0)
        sent, first = program.press(b"x")
        yield "a letter in a cell's editor", f"{sent / 1000:.1f} kB", f"{1000 * first:.0f} ms"


def memory() -> Iterator[Row]:
    """Resident memory of the process that draws."""
    for name, command, marker in (
        ("normtutor at home, Python ready", NORMTUTOR, "Python ready"),
        ("normtutor in a lesson", (*NORMTUTOR, "open", "gradient-by-layer"), "Python ready"),
        ("a one-widget Textual app", BARE, "HELLO"),
    ):
        with tempfile.TemporaryDirectory() as home, Program(command, environment(home)) as program:
            program.wait(marker)
            program.settle()
            yield name, f"{program.resident() / 1e6:.0f} MB"


def round_trips() -> Iterator[Row]:
    """A cell with `1 + 1`, through the tutor's session and through jupyter_client alone, by turns."""
    ours, theirs = asyncio.run(_round_trips())
    for name, times in (("normtutor's session", ours), ("jupyter_client alone", theirs)):
        yield name, f"{1000 * min(times):.1f} ms", f"{1000 * statistics.median(times):.1f} ms"


async def _round_trips() -> tuple[list[float], list[float]]:
    from jupyter_client.manager import AsyncKernelManager

    from tutor.runtime.device import Device, child_environment
    from tutor.runtime.session import Session

    session = Session(environment=child_environment(Device(kind="cpu", triton="interpreted")))
    await session.start()
    manager = AsyncKernelManager(kernel_name="python3")
    await manager.start_kernel()
    client = manager.client()
    client.start_channels()
    await client.wait_for_ready(timeout=60)
    ours, theirs = [], []
    try:
        for _ in range(30):
            began = time.perf_counter()
            await session.run("1 + 1", on_output=lambda _output: None)
            ours.append(time.perf_counter() - began)
            began = time.perf_counter()
            await client.execute_interactive("1 + 1", output_hook=lambda _message: None)
            theirs.append(time.perf_counter() - began)
    finally:
        client.stop_channels()
        await manager.shutdown_kernel(now=True)
        await session.stop()
    return ours, theirs


def torch_ready() -> Iterator[Row]:
    """Seconds from the start of the app until a cell that uses torch has run, and what `import torch` takes alone."""
    with tempfile.TemporaryDirectory() as home:
        with Program((*NORMTUTOR, "open", "gradient-by-layer"), environment(home)) as program:
            program.wait("Python ready")
            os.write(program._master, b"\n")
            ran = program.wait(r"-> \d")
        alone_took = _run(sys.executable, "-c", "import torch")
    yield "a lesson's first cell has run, from the start of the app", f"{ran:.1f} s"
    yield "`python -c 'import torch'`, by itself afterwards (target: at most 2 s less)", f"{alone_took:.1f} s"


def slow_link() -> Iterator[Row]:
    """Over 50 kB/s, with every key 200 ms late: seconds until what was asked for is on the screen."""
    with tempfile.TemporaryDirectory() as home:
        arguments = (*NORMTUTOR, "open", "gradient-by-layer")
        with Program(arguments, environment(home), rate=SLOW_LINK) as program:
            yield "opening the app at a lesson", f"{program.wait('gradient_norms'):.1f} s"
            program.wait("Python ready")
            program.settle()
            for name, keys, marker in (
                ("running a cell until its curves are there", b"\n", r"-> \d"),
                ("the next step", b"n", r"1 / σ|1/√|σ"),
                ("all steps", b"t", "esc"),
            ):
                began = time.perf_counter()
                time.sleep(DELAY)
                os.write(program._master, keys)
                program.wait(marker)
                yield name, f"{time.perf_counter() - began:.1f} s"
                program.settle()


def _processor() -> str:
    """The processor's model, where Linux tells it."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def table(head: Row, rows: Iterator[Row]) -> str:
    """A Markdown table, its progress told on the way."""
    lines = [head, tuple("---" for _ in head)]
    for row in rows:
        print("  ", *row, flush=True)
        lines.append(row)
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> None:
    """Measure all, then write the document."""
    parts = [
        "# Performance",
        f"Written by `benchmarks/performance.py` on {date.today():%Y-%m-%d}: {os.cpu_count()} cores of "
        f"{_processor()}, Python {platform.python_version()}, Textual {version('textual')}. "
        "Times depend on the machine, ratios hardly do: what is compared ran by turns.",
    ]
    for title, head, rows in (
        ("First paint", ("program", "least", "median", "least, as a ratio"), first_paint()),
        ("What is sent, at 80x24", ("for", "bytes", "the first of them after"), bytes_sent()),
        ("Memory of the process that draws", ("program", "resident"), memory()),
        ("A cell's round trip, `1 + 1`", ("through", "least", "median"), round_trips()),
        ("Floods of output", ("of", "a key usually", "the slowest", "for", "memory gained"), floods([])),
        ("Until torch is there", ("for", "took"), torch_ready()),
        ("Over 50 kB/s and 200 ms", ("for", "until it is on the screen"), slow_link()),
    ):
        print(title, flush=True)
        parts += [f"## {title}", table(head, rows)]
    DOCUMENT.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
