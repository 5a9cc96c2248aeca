"""Submissions that crash, hang, eat the machine or cannot be read: a clear result in time, and the next one as ever."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.judge.conftest import Judge, check, exercise, failing

ASKED = exercise(
    "rms_norm",
    "rms_norm(x, weight, eps)",
    checks=[check("rows", (3, 7), (2, 5, 9)), check("gradients", (4, 6), gradients=True)],
    seconds=1.5,
)
RIGHT = """
def rms_norm(x, weight, eps):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight
"""
CALLED = "def rms_norm(x, weight, eps):\n    {}\n    return x\n"

ENDINGS = {
    "os._exit(0)": ("import os\n" + CALLED.format("os._exit(0)"), "ended"),
    "os._exit(0) while it is defined": ("import os\nos._exit(0)\n" + RIGHT, "ended"),
    "a crash in native code": ("import ctypes\n" + CALLED.format("ctypes.string_at(0)"), "ended"),
    "an endless loop": (CALLED.format("while True: pass"), ("seconds", "wall")),
    "an endless loop while it is defined": ("while True: pass\n", ("seconds", "wall")),
    "an endless wait": ("import threading\n" + CALLED.format("threading.Event().wait()"), "wall"),
    "an endless flood of lines": (CALLED.format("while True: print('x')"), ("seconds", "wall", "printed")),
    "a signal to itself": ("import os\n" + CALLED.format("os.kill(os.getpid(), 15)"), "ended"),
    "a stop": ("import os, signal\n" + CALLED.format("os.kill(os.getpid(), signal.SIGSTOP)"), "wall"),
    "every pipe closed": ("import os\n" + CALLED.format("os.closerange(0, 64)"), "ended"),
    "recursion without a limit": (
        "import sys\nsys.setrecursionlimit(10**9)\ndef rms_norm(x, weight, eps):\n    return rms_norm(x, weight, eps)\n",
        ("memory", "ended", "seconds", "wall"),
    ),
    "a flood of text": (CALLED.format("print('x' * 100_000_000)"), "printed"),
    "a fork bomb": ("import os\n" + CALLED.format("while True: os.fork()"), "processes"),
    "a fork bomb in sessions of its own": (
        "import os\n" + CALLED.format("while True:\n        if os.fork() == 0: os.setsid()"),
        "processes",
    ),
    "it kills its own keeper": ("import os\n" + CALLED.format("os.kill(os.getppid(), 9)"), ("keeper", "ended", None)),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_however_it_ends_it_is_a_result_and_the_next_is_graded_normally(judge: Judge, name: str) -> None:
    source, expected = ENDINGS[name]
    began = time.monotonic()
    result = judge.grade(ASKED, source)
    took = time.monotonic() - began  # on a busy machine the clock runs out before the processor time does
    ways = expected if isinstance(expected, tuple) else (expected,)
    assert (result["ended"] or {}).get("why") in ways, result
    assert failing(result) >= {"rows", "gradients"}
    assert not any(each["passed"] and not each["tried"] for each in result["checks"]), "nothing passes untried"
    assert took < 2 * ASKED["seconds"] + 20
    assert failing(judge.grade(ASKED, RIGHT)) == set()


def test_memory_that_grows_step_by_step_is_stopped_too(judge: Judge) -> None:
    grows = CALLED.format("hoard = []\n    while True: hoard.append(torch.ones(1 << 24))")
    result = judge.grade({**ASKED, "seconds": 30.0}, grows)
    assert (result["ended"] or {}).get("why") == "memory", result
    assert result["peak"] < 4 << 30
    assert failing(judge.grade(ASKED, RIGHT)) == set()


def test_a_hundred_gigabytes_are_refused_and_said_so(judge: Judge) -> None:
    for code in ("bytearray(100 << 30)", "torch.empty(25 << 30).fill_(1)"):
        result = judge.grade(ASKED, CALLED.format(code))
        (rows,) = [each for each in result["checks"] if each["id"] == "rows"]
        assert rows["problem"]["facts"]["type"] == "MemoryError", rows


def test_nothing_that_it_started_outlives_it(judge: Judge, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    source = (
        "import os\n"
        f"MARK = {str(mark)!r}\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        with open(MARK, 'w') as file: file.write(str(os.getpid()))\n"
        "        while True: os.read(os.pipe()[0], 1)\n"
        "    os._exit(0)\n"
        "while not os.path.exists(MARK) or not open(MARK).read(): pass\n" + RIGHT
    )
    assert failing(judge.grade(ASKED, source)) == set()
    pid = int(mark.read_text())
    assert not Path(f"/proc/{pid}").exists()


def test_its_standard_input_is_empty(judge: Judge) -> None:
    assert failing(judge.grade(ASKED, "import sys\nassert sys.stdin.read() == ''\n" + RIGHT)) == set()


def test_what_it_prints_is_kept_but_is_no_verdict(judge: Judge) -> None:
    source = "import sys, warnings\nprint('PASSED')\nprint('oh', file=sys.stderr)\nwarnings.warn('hm')\n"
    result = judge.grade(ASKED, source + RIGHT)
    assert failing(result) == set()
    assert "PASSED" in result["printed"] and "oh" in result["printed"]
    assert failing(judge.grade(ASKED, source + CALLED.format("print('all checks pass')")))


UNREADABLE = {
    "empty": ("", {"kind": "missing", "empty": True, "name": "rms_norm"}),
    "only a comment": ("# nothing\n", {"kind": "missing", "empty": True}),
    "not Python": ("x = 1\ndef rms_norm(x, weight eps):\n    pass\n", {"kind": "syntax", "line": 2}),
    "another name": ("def RMSNorm(x, weight, eps):\n    return x\n", {"kind": "missing", "near": "RMSNorm", "line": 1}),
    "another signature": (
        "\n\ndef rms_norm(x, eps):\n    return x\n",
        {"kind": "signature", "line": 3, "got": "(x, eps)"},
    ),
    "a keyword that is required": (
        "def rms_norm(x, weight, *, eps):\n    return x\n",
        {"kind": "signature", "line": 1},
    ),
    "no function": ("rms_norm = 3\n", {"kind": "not-a-function"}),
    "it fails at once": ("y = 1\nz = y / 0\n" + RIGHT, {"kind": "fails", "type": "ZeroDivisionError", "line": 2}),
    "it exits at once": ("raise SystemExit(0)\n" + RIGHT, {"kind": "fails", "type": "SystemExit", "line": 1}),
    "nested too deep": ("(" * 5000 + ")" * 5000, {"kind": "syntax"}),
    "bytes that are no text": ("x = '\0'\n", {"kind": "syntax"}),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_used_says_what_is_missing_and_where(judge: Judge, name: str) -> None:
    source, expected = UNREADABLE[name]
    found = judge.grade(ASKED, source)["unreadable"]
    assert found is not None and {key: found.get(key) for key in expected} == expected, found


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("return None", "not-a-tensor"),
        ("return x.tolist()", "not-a-tensor"),
        ("return x, x", "not-a-tensor"),
        ("return x[..., :1]", "shape"),
        ("return x.double()", "dtype"),
        ("return x * float('nan')", "not-finite"),
        ("return x.to_sparse()", "raised"),
        ("return x.to(torch.complex64)", "dtype"),
        ("return x.to(torch.int8)", "dtype"),
        ("return torch.zeros(1 << 27)", "too-many"),
        ("return rms_norm(x, weight, eps)", "raised"),
        ("while True: threading.Thread(target=threading.Event().wait).start()", "raised"),
        ("raise SystemExit(0)", "raised"),
        ("raise KeyboardInterrupt", "raised"),
        ("return undefined", "raised"),
    ],
)
def test_what_comes_back_instead_of_a_result_is_named(judge: Judge, code: str, kind: str) -> None:
    result = judge.grade(ASKED, f"import threading\n\ndef rms_norm(x, weight, eps):\n    {code}\n")
    assert {each["problem"]["kind"] for each in result["checks"] if each["id"] == "rows"} == {kind}, result


def test_a_judge_that_is_killed_is_replaced_and_the_killer_does_not_pass(judge: Judge) -> None:
    before = judge.process.pid
    source = f"import os, signal\nos.kill({before}, signal.SIGKILL)\n" + RIGHT
    # The source names the first judge only, so the second one sees it fail: nobody passes by killing.
    assert judge.grade(ASKED, source)["unreadable"]["type"] == "ProcessLookupError"
    assert judge.process.pid != before
    assert failing(judge.grade(ASKED, RIGHT)) == set()
