"""Cells that put out far more than anyone reads, in the app: how long a key waits meanwhile, and memory.

`python benchmarks/floods.py` takes two minutes; names choose floods. Each flood runs for some seconds; meanwhile a key
opens and closes the list of steps again and again. What the key takes while nothing runs stands beside it.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from program import NORMTUTOR, Program, environment

FLOODS = {
    "nothing": "import time; time.sleep(4)",
    "100 MB in lines": "for i in range(1_000_000): print('x' * 99)",
    "one line of 50 MB": "print('a' * 50_000_000)",
    "a progress bar": "import sys\nfor i in range(200_000): print(f'\\r{i:6} ▰▱', end='', file=sys.stderr, flush=True)",
    "colours": "for i in range(300_000): print(f'\\x1b[{31 + i % 7}m{i}\\x1b[0m')",
    "both streams by turns": "import sys\nfor i in range(200_000): print(i, file=(sys.stdout, sys.stderr)[i % 2])",
    "displays": "for i in range(5_000): display(i)",
    "plots": "for i in range(2_000): show(Curve('x', range(400), [float(i * k) for k in range(400)]))",
    "huge plots": "y = [float(k) for k in range(100_000)]\nfor i in range(60): show(Curve('x', range(100_000), y))",
    "text and values by turns": "for i in range(300): print('x' * 99 * 100); display(i)",
}
LIST = "enter go there"
LONGEST = 15.0
"""Seconds after which a flood is looked at no longer."""
LESSON = "id: floods\ntitle: Floods\nminutes: 1\nsteps:\n"


def _course(directory: Path) -> None:
    steps = "".join(
        f"- id: flood-{number}\n  kind: cell\n  code: |\n"
        + "".join(f"    {line}\n" for line in [*code.split("\n"), "print('THE' + 'END')"])
        for number, code in enumerate(FLOODS.values())
    )
    (directory / "floods.yaml").write_text(LESSON + steps, encoding="utf-8")


def floods(names: list[str]) -> Iterator[tuple[str, ...]]:
    """For each flood the usual and the slowest key, how long it was looked at, what memory the app has gained."""
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as course:
        _course(Path(course))
        env = environment(home) | {"NORMTUTOR_COURSE": course, "NORMTUTOR_TRUST": "1"}
        for number, name in enumerate(FLOODS):
            if names and name not in names:
                continue
            with Program((*NORMTUTOR, "open", f"flood-{number}"), env) as program:
                program.wait("Python ready")
                program.settle()
                before = program.resident()
                began = time.perf_counter()
                os.write(program._master, b"\n")
                waited = []
                while time.perf_counter() - began < 1 or "busy" in program.text:
                    waited.append(_seconds(program, b"t", shown=True))
                    waited.append(_seconds(program, b"t", shown=False))
                    if time.perf_counter() - began > LONGEST:
                        break
                ran = time.perf_counter() - began
                program.settle(1)
                grown = (program.resident() - before) / 1e6
                waited.sort()
                yield (
                    name,
                    f"{1000 * waited[len(waited) // 2]:.0f} ms",
                    f"{1000 * waited[-1]:.0f} ms",
                    f"{ran:.1f} s",
                    f"{grown:+.0f} MB",
                )


def _seconds(program: Program, key: bytes, *, shown: bool) -> float:
    """From a key until the list of steps is on the screen, or is not any more."""
    began = time.perf_counter()
    os.write(program._master, key)
    while (LIST in program.text) != shown:
        program.read(0.2)
        if time.perf_counter() - began > 20:
            raise TimeoutError(f"the list of steps did not come or go:\n{program.text}")
    return time.perf_counter() - began


if __name__ == "__main__":
    for row in floods(sys.argv[1:]):
        print("  ".join(f"{cell:>14}" for cell in row), flush=True)
