"""What a learner is told when a cell fails."""

from textwrap import dedent

import pytest

from tests.runtime.conftest import run
from tutor.runtime.outputs import Failure
from tutor.runtime.session import Session

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def fail(session: Session, code: str, name: str = "cell") -> Failure:
    finished, told = await run(session, dedent(code).strip("\n"), name=name)
    assert finished.ending == "error"
    [failed] = [output for output in told if isinstance(output, Failure)]
    return failed


async def test_the_learners_line_is_pointed_at(session: Session) -> None:
    failed = await fail(session, "x = 1\n\ny = x + 1 / 0\n")
    assert (failed.name, failed.message, failed.line) == ("ZeroDivisionError", "division by zero", 3)
    assert failed.traceback.splitlines() == [
        "line 3",
        "    y = x + 1 / 0",
        "            ^^^^^",
        "ZeroDivisionError: division by zero",
    ]


async def test_library_frames_are_left_out_but_for_the_last(session: Session) -> None:
    failed = await fail(session, "layer = nn.Linear(5, 4)\nlayer(torch.ones(2, 3))")
    assert failed.line == 2
    assert failed.traceback.splitlines()[:4] == [
        "line 2",
        "    layer(torch.ones(2, 3))",
        failed.traceback.splitlines()[2],
        "    return F.linear(input, self.weight, self.bias)",
    ]
    assert failed.traceback.splitlines()[2].startswith("torch/nn/modules/linear.py, line ")
    assert failed.traceback.endswith("RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 5x4)")


async def test_functions_of_other_cells_are_named_by_their_cell(session: Session) -> None:
    await run(session, "def halve(v):\n    return 1 / v\n", name="defs")
    failed = await fail(session, "zero = 0\nhalve(zero)", name="use")
    assert failed.line == 2
    assert failed.traceback.splitlines()[:4] == [
        "line 2",
        "    halve(zero)",
        "defs, line 2, in halve",
        "    return 1 / v",
    ]
    await run(session, "def halve(v):\n    return 1 / v\n", name="same")
    failed = await fail(session, "halve(0)", name="same")
    assert "an earlier run of this cell, line 2, in halve" in failed.traceback


@pytest.mark.parametrize(
    ("code", "name", "line", "part"),
    [
        ("x = 1\ny = (1,\nz = 2", "SyntaxError", 2, "'(' was never closed"),
        ("x = 1\nx +", "SyntaxError", 2, "    x +\n       ^"),
        ("for i in range(3):\n    x = i\n  y = i", "IndentationError", 3, "unindent does not match"),
        ("if True:\nx = 1", "IndentationError", 2, "expected an indented block"),
        ("print 'old'", "SyntaxError", 1, "Did you mean print(...)?"),
        ("return 1", "SyntaxError", 1, "'return' outside function"),
    ],
)
async def test_what_is_no_python(session: Session, code: str, name: str, line: int, part: str) -> None:
    failed = await fail(session, code)
    assert (failed.name, failed.line) == (name, line)
    assert part in failed.traceback
    assert "ast.py" not in failed.traceback and "IPython" not in failed.traceback


async def test_syntax_errors_of_a_text_that_the_cell_reads_are_the_cells(session: Session) -> None:
    failed = await fail(session, "x = 1\ncompile('1 +', 'text', 'exec')")
    assert (failed.name, failed.line) == ("SyntaxError", 2)


async def test_a_misspelt_name_gets_a_suggestion(session: Session) -> None:
    assert (await fail(session, "prnt(3)")).message == "name 'prnt' is not defined. Did you mean: 'print'?"
    assert (await fail(session, "torch.nn.Linaer")).message.endswith("Did you mean: 'Linear'?")
    assert (await fail(session, "qqqqqq")).message == "name 'qqqqqq' is not defined"


async def test_causes_are_shown(session: Session) -> None:
    failed = await fail(
        session,
        """
        def look(d):
            return d['key']
        try:
            look({})
        except KeyError as error:
            raise RuntimeError('no settings') from error
        """,
    )
    assert (failed.name, failed.line) == ("RuntimeError", 6)
    assert "caused by:\nline 4\n    look({})\nline 2, in look" in failed.traceback
    assert failed.traceback.endswith("KeyError: 'key'")
    failed = await fail(session, "try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise ValueError('x') from None")
    assert "caused by" not in failed.traceback


async def test_the_cause_of_an_interpreted_kernels_error_is_the_error(session: Session) -> None:
    failed = await fail(
        session,
        """
        import triton, triton.language as tl
        @triton.jit
        def broken(x, N: tl.constexpr):
            i = tl.arange(0, N)
            y = tl.load(x + i)
            tl.store(x + i, y + undefined_name)
        broken[(1,)](torch.ones(8), N=8)
        """,
    )
    assert (failed.name, failed.line) == ("NameError", 6)
    assert failed.message == "name 'undefined_name' is not defined"
    assert "line 7\n    broken[(1,)](torch.ones(8), N=8)" in failed.traceback
    assert "in broken\n    tl.store(x + i, y + undefined_name)" in failed.traceback


async def test_input_is_refused_in_plain_words(session: Session) -> None:
    failed = await fail(session, "x = 1\nname = input('Name? ')")
    assert failed.line == 2
    assert "input() cannot ask for anything here" in failed.message
    assert "ipykernel" not in failed.traceback


async def test_endless_recursion_is_short_and_quick(session: Session) -> None:
    finished, told = await run(session, "def f(n):\n    return f(n + 1)\nf(0)")
    [failed] = told
    assert isinstance(failed, Failure) and failed.name == "RecursionError"
    assert "more calls …" in failed.traceback
    assert len(failed.traceback.splitlines()) < 45
    assert finished.seconds < 5


async def test_exceptions_that_cannot_be_printed(session: Session) -> None:
    failed = await fail(session, "class E(Exception):\n    def __str__(self): raise RuntimeError\nraise E")
    assert (failed.name, failed.line) == ("E", 3)
    failed = await fail(session, "raise ExceptionGroup('several', [ValueError(1), KeyError(2)])")
    assert failed.name == "ExceptionGroup" and "several" in failed.message


async def test_magic_commands_fail_like_code(session: Session) -> None:
    failed = await fail(session, "x = 1\n%no_such_magic")
    assert failed.name == "UsageError" and failed.line == 2


async def test_warnings_name_the_line(session: Session) -> None:
    _, told = await run(session, "import warnings\nwarnings.warn('careful')")
    assert told.printed == "line 2: UserWarning: careful\n"


async def test_an_error_gives_its_tensors_back(session: Session) -> None:
    code = """
    import weakref
    class Big: pass
    alive = weakref.WeakSet()
    def work():
        local = Big(); alive.add(local)
        raise ValueError
    work()
    """
    await fail(session, code)
    finished, _ = await run(session, "import gc; gc.collect()", expressions={"alive": "len(alive)"})
    assert finished.values == {"alive": "0"}
