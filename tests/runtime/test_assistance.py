"""Completion and signatures from a real kernel."""

from __future__ import annotations

import pytest

from tests.runtime.conftest import begin, run
from tutor.runtime.assistance import about, complete, location, offset
from tutor.runtime.session import Session

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_names_that_may_follow(quick: Session) -> None:
    await run(quick, "class Thing:\n    alpha = 1\n    alpine = 2\n    _hidden = 3\nthing_one = Thing()")
    code = "đ = 1\nthing_one.al"
    found = await complete(quick, code, len(code))
    assert found is not None
    assert (code[: found.start] + found.matches[0], len(found.matches)) == ("đ = 1\nthing_one.alpha", 2)
    found = await complete(quick, "thing_one.", 10)
    assert found is not None and not [match for match in found.matches if "_hidden" in match]
    found = await complete(quick, "thing_one._hid", 14)
    assert found is not None and found.matches[0].endswith("_hidden")
    assert await complete(quick, "no_such_name_at_all", 19) is None


async def test_names_that_a_terminal_should_not_see_are_left_out(quick: Session) -> None:
    await run(quick, "class Evil:\n    def __dir__(self): return ['good', 'a\\x1b]52;c;x\\x07']\nevil = Evil()")
    found = await complete(quick, "evil.", 5)
    assert found is None or all(match.isprintable() for match in found.matches)


async def test_what_a_function_takes(quick: Session) -> None:
    await run(quick, "def scaled(x, factor=2):\n    '''Multiplies.\\n\\nMore.'''\n    return x * factor")
    text = await about(quick, "scaled(", 7)
    assert text == "scaled(x, factor=2)\nMultiplies.\n\nMore."
    assert await about(quick, "nothing_of_this_name(", 21) == ""


async def test_a_busy_kernel_is_not_asked(quick: Session) -> None:
    task, _told = await begin(quick, "import time\nprint('go', flush=True)\ntime.sleep(60)")
    assert await complete(quick, "impo", 4) is None
    assert await about(quick, "print(", 6) == ""
    await quick.interrupt()
    assert (await task).ending == "interrupted"
    assert await complete(quick, "prin", 4) is not None


async def test_places_in_a_text() -> None:
    text = "một\n\nhai ba"
    for place in range(len(text) + 1):
        assert offset(text, location(text, place)) == place
