import asyncio
import unicodedata
from collections.abc import Iterator

import msgspec
import pytest

from tests.runtime.conftest import Told, begin, run
from tutor.runtime.outputs import Curves, Failure, Stream, Value
from tutor.runtime.prelude import PRELUDE
from tutor.runtime.session import Session, State

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_prelude_has_run(session: Session) -> None:
    assert (session.state, session.detail) == (State.READY, "")
    finished, _ = await run(
        session,
        "1",
        expressions={"t": "torch.tensor([1.0])", "n": "nn.__name__", "f": "F.__name__", "k": "Stack.__name__"},
    )
    assert finished.values == {"t": "tensor([1.])", "n": "'torch.nn'", "f": "'torch.nn.functional'", "k": "'Stack'"}
    assert "import torch" in PRELUDE


async def test_a_value_and_print(session: Session) -> None:
    finished, told = await run(session, "print('hello'); 6 * 7")
    assert finished.ending == "ok"
    assert list(told) == [Stream("stdout", "hello\n"), Value("42")]


async def test_output_streams_while_the_cell_runs(session: Session) -> None:
    code = "import threading\nprint('go')\nheard = threading.Event()\nheard.wait(30)\nprint('end')"
    task, told = await begin(session, code)
    assert "end" not in told.printed
    await session.interrupt()
    assert (await task).ending == "interrupted"


async def test_variables_carry_over(session: Session) -> None:
    await run(session, "carried = 5")
    finished, _ = await run(session, "carried += 1", expressions={"carried": "carried"})
    assert finished.values == {"carried": "6"}


async def test_expressions_that_fail_say_why_and_the_others_count(session: Session) -> None:
    finished, _ = await run(session, "x = 2", expressions={"x": "x", "no": "nowhere", "bad": "1 +", "text": "'a' * 3"})
    assert finished.values == {"x": "2", "text": "'aaa'"}
    assert finished.errors["no"] == "NameError: name 'nowhere' is not defined"
    assert finished.errors["bad"].startswith("SyntaxError")


async def test_expressions_are_not_evaluated_after_an_error(session: Session) -> None:
    finished, _ = await run(session, "x = 2; 1 / 0", expressions={"x": "x"})
    assert (finished.ending, finished.values) == ("error", {})


async def test_curves_arrive_as_data(session: Session) -> None:
    _, told = await run(session, "show(Curve('growth', [0, 1, 2], [1.0, float('nan'), 3.0]), log_y=True)")
    [curves] = [output for output in told if isinstance(output, Curves)]
    assert curves.document["log_y"] is True
    assert curves.document["curves"][0]["label"] == "growth"
    assert curves.document["curves"][0]["y"] == [1.0, None, 3.0]
    assert "growth" in curves.text


async def test_a_triton_kernel_runs_in_a_cell(session: Session) -> None:
    kernel = """
import triton, triton.language as tl
@triton.jit
def shift(x, y, by, N: tl.constexpr):
    index = tl.arange(0, N)
    offset = 3
    tl.store(y + index, tl.load(x + index) + by + offset.to(tl.float32))
"""
    launch = "x = torch.arange(8.0); y = torch.empty(8)\nshift[(1,)](x, y, 1.5, N=8)"
    finished, told = await run(session, kernel)
    assert finished.ending == "ok", told
    finished, told = await run(session, launch, expressions={"right": "torch.equal(y, x + 4.5)"})
    assert finished.values == {"right": "True"}, told
    # Changed and run again, as a learner does.
    await run(session, kernel.replace("offset = 3", "offset = 5"))
    finished, told = await run(session, launch, expressions={"right": "torch.equal(y, x + 6.5)"})
    assert finished.values == {"right": "True"}, told


async def test_runs_come_one_after_another(session: Session) -> None:
    order: list[str] = []
    codes = ["import time; time.sleep(0.05); order = ['a']", "order.append('b')", "order.append('c'); print(order)"]
    runs = [session.run(code, on_output=lambda output: order.append(output.text)) for code in codes]  # type: ignore[union-attr]
    endings = [finished.ending for finished in await asyncio.gather(*runs)]
    assert endings == ["ok"] * 3
    assert "".join(order) == "['a', 'b', 'c']\n"


async def test_replaced_and_cleared_outputs(session: Session) -> None:
    _, told = await run(session, "h = display('one', display_id=True); h.update('two'); display('three')")
    one, two, three = told
    assert isinstance(one, Value) and isinstance(two, Value) and isinstance(three, Value)
    assert one.display == two.display != ""
    assert (one.text, two.text, three.text, three.display) == ("'one'", "'two'", "'three'", "")
    _, told = await run(
        session, "from IPython.display import clear_output\nprint('old')\nclear_output(wait=True)\nprint('new')"
    )
    assert [(output.text, output.clears) for output in told if isinstance(output, Stream)] == [
        ("old\n", False),
        ("new\n", True),
    ]
    _, told = await run(session, "print('old'); clear_output(wait=True); display(1)")
    assert list(told)[1:] == [Stream("stdout", "", clears=True), Value("1")]


async def test_everything_that_comes_out_is_sanitised(session: Session) -> None:
    hostile = r"\x1b]52;c;ZWNobyBoaQ==\x07\x1b[2J\u202e\x9b2J"
    code = f"""
class Evil:
    def __repr__(self): return 'a{hostile}b'
class EvilError(Exception): pass
EvilError.__name__ = 'Evil{hostile}Error'
print('a{hostile}b'); import sys; print('\\x1b]0;never ended', file=sys.stderr, end='')
display(Evil())
show(Curve('a{hostile}b', [0, 1], [1, 2]))
raise EvilError('a{hostile}b')
"""
    _, told = await run(session, code, name="cell\x1b[2J")
    finished, more = await run(session, "Evil()", expressions={"x": "Evil()", "y": f"int('{hostile}')"})
    strings = list(strings_of([*told, *more, finished]))
    assert any("ab" in string for string in strings)
    for string in strings:
        assert not [c for c in string if c != "\n" and unicodedata.category(c) in {"Cc", "Cf", "Cs", "Co"}], string
    assert {type(output) for output in told} == {Stream, Value, Curves, Failure}


def strings_of(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from strings_of([*value, *value.values()])
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings_of(item)
    elif isinstance(value, msgspec.Struct):
        yield from strings_of(msgspec.structs.astuple(value))


async def test_split_escape_sequences_are_seen_as_one(session: Session) -> None:
    code = (
        "import sys\nfor part in ('a\\x1b', ']0;PW', 'NED', '\\x07b\\n'): print(part, end=''), sys.stdout.flush_now()"
    )
    _, told = await run(session, code)
    assert told.printed == "ab\n"


async def test_what_native_code_and_other_programs_print_is_seen(session: Session) -> None:
    _, told = await run(
        session, "import os, subprocess\nos.write(1, b'native\\n'); print(subprocess.run(['echo', 'other']).returncode)"
    )
    assert "native\n" in told.printed and "other\n" in told.printed


async def test_half_characters_do_not_stop_anything(session: Session) -> None:
    finished, told = await run(session, "print('a\\ud83d' + 'b\\udc9b')\n'\\ud83d'")
    assert finished.ending == "ok"
    assert told.printed == "a\ufffdb\ufffd\n"
    finished, _ = await run(session, "x = '\ud83d'")
    assert finished.ending == "ok"


async def test_interrupt_of_code_that_sleeps_spins_or_awaits(session: Session) -> None:
    for code in (
        "print('go')\nimport time; time.sleep(60)",
        "print('go')\nwhile True: pass",
        "print('go')\nimport asyncio; await asyncio.sleep(60)",
    ):
        task, told = await begin(session, code)
        await session.interrupt()
        finished = await task
        assert (finished.ending, session.state) == ("interrupted", State.READY)
        assert not [output for output in told if isinstance(output, Failure)]
        assert finished.seconds < 10


async def test_an_interrupt_at_any_moment_is_not_lost(session: Session) -> None:
    loop = asyncio.get_running_loop()
    for moment in range(8):
        task = asyncio.create_task(session.run("import time\nfor _ in range(6000): time.sleep(0.01)", on_output=Told()))
        reached = loop.create_future()
        loop.call_later(moment * 0.002, reached.set_result, None)
        await reached
        await session.interrupt()
        assert (await task).ending == "interrupted", moment
    assert session.detail == ""


async def test_an_interrupt_also_ends_the_runs_that_wait(session: Session) -> None:
    first, _ = await begin(session, "print('go')\nimport time; time.sleep(60)")
    second = asyncio.create_task(session.run("ran = True", on_output=Told()))
    await asyncio.sleep(0)
    await session.interrupt()
    assert [(await first).ending, (await second).ending] == ["interrupted", "interrupted"]
    finished, _ = await run(session, "1", expressions={"ran": "'ran' in globals()"})
    assert finished.values == {"ran": "False"}


async def test_an_interrupt_when_nothing_runs_does_nothing(session: Session) -> None:
    await session.interrupt()
    finished, told = await run(session, "1 + 1")
    assert (finished.ending, list(told)) == ("ok", [Value("2")])


async def test_a_cell_that_ignores_the_interrupt_is_named(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tutor.runtime.session.INTERRUPT_PATIENCE", 0.2)
    monkeypatch.setattr("tutor.runtime.session.INTERRUPT_EVERY", 0.1)
    code = """
import signal, time
old = signal.signal(signal.SIGINT, lambda *_: None)
print('go')
end = time.monotonic() + 1.5
while time.monotonic() < end: time.sleep(0.1)
signal.signal(signal.SIGINT, old)
"""
    task, _ = await begin(session, code)
    await session.interrupt()
    assert session.state is State.BUSY
    assert "does not stop" in session.detail
    assert (await task).ending == "ok"
    assert (session.state, session.detail) == (State.READY, "")


async def test_a_cancelled_run_leaves_the_session_usable(session: Session) -> None:
    task, told = await begin(session, "print('go')\nimport time; time.sleep(60)")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    before = list(told)
    finished, more = await run(session, "2")
    assert (finished.ending, list(more)) == ("ok", [Value("2")])
    assert list(told) == before


async def test_an_exception_of_the_one_who_listens_is_theirs(session: Session) -> None:
    def listen(output: object) -> None:
        raise LookupError("the widget has gone")

    with pytest.raises(LookupError, match="the widget has gone"):
        await session.run("print(1)", on_output=listen)
    finished, _ = await run(session, "3")
    assert finished.ending == "ok"


async def test_exit_ends_the_cell_and_nothing_else(session: Session) -> None:
    await run(session, "kept = 1")
    for code in ("exit()", "quit()", "import sys; sys.exit(3)", "raise SystemExit"):
        finished, told = await run(session, code)
        assert finished.ending == "error", code
        assert told.printed == ""
        [failure] = told
        assert isinstance(failure, Failure) and failure.name == "SystemExit"
    finished, _ = await run(session, "1", expressions={"kept": "kept"})
    assert finished.values == {"kept": "1"}


async def test_a_library_in_the_working_directory_shadows_nothing(quick: Session) -> None:
    finished, _ = await run(
        quick, "import sys, kernels", expressions={"path": "sys.path[0] not in ('', '.')", "k": "kernels.__file__"}
    )
    assert finished.values["path"] == "True"
    assert finished.values["k"].endswith("kernels/__init__.py'")


async def test_forked_children_can_print(session: Session) -> None:
    code = """
import os
pid = os.fork()
if pid == 0:
    print('child', flush=True)
    os._exit(0)
os.waitpid(pid, 0)
print('parent')
"""
    _, told = await run(session, code)
    assert sorted(told.printed.split()) == ["child", "parent"]
