"""The GPU on the screen, and given back when nobody uses it. There is none here: NVML's part is played."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ui.conftest import ScriptedSession
from tests.ui.helpers import at, ready, shown, until
from tutor.runtime.device import Device
from tutor.runtime.holding import Holding
from tutor.text import i18n
from tutor.ui import gpu
from tutor.ui.app import TutorApp

GB = 1 << 30
GPU = Device(
    kind="cuda", index=1, name="NVIDIA H100", free_bytes=70 * GB, total_bytes=80 * GB, triton="compiled", uuid="GPU-b"
)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[Holding | None]:
    """What NVML will answer; the last answer stays."""
    answers: list[Holding | None] = [Holding(0, 10 * GB, 70 * GB, 80 * GB)]
    monkeypatch.setattr("tutor.runtime.device.choose", lambda *_: GPU)
    monkeypatch.setattr(
        "tutor.runtime.holding.look", lambda *_, **_kw: answers.pop(0) if len(answers) > 1 else answers[0]
    )
    return answers


async def test_who_holds_the_gpu_is_shown_and_it_is_given_back(
    looks: list[Holding | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = TutorApp()
    async with app.run_test(size=(140, 40)) as pilot:
        await ready(pilot)
        await until(pilot, lambda: "others 10.0 GiB, 70.0 GiB free" in shown(app), "who holds what")
        assert "GPU 1 · ours 0.0 GiB, others" in shown(app)
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: "GPU 1 · ours 0.0 GiB · 70.0 GiB free" in shown(app), "the short form")
        assert "Python ready · saved" in shown(app)
        i18n.set_language("vi")
        app._refresh_bars()
        await until(pilot, lambda: "GPU 1 · mình 0.0 GiB · trống 70.0 GiB" in shown(app), "in Vietnamese")
        assert "đã lưu" in shown(app)
        i18n.set_language("en")

        watch, session = app.python.gpu, app.python.session
        assert isinstance(session, ScriptedSession)
        told: list[Any] = []
        with monkeypatch.context() as patched:
            patched.setattr(app, "_refresh_bars", lambda: told.append(1))
            await watch._look(GPU)
            await pilot.pause()
        assert not told, "nothing has changed, and nothing is painted"

        watch._used -= gpu.RELEASE_AFTER
        watch.look()
        await until(pilot, lambda: session.released == 1, "the cache is given back")
        session.gpu_bytes = GB
        watch._used -= 60 * 30
        watch.look()
        await until(pilot, lambda: session.stopped, "the GPU is given back")
        assert watch.rests


async def test_a_cell_after_the_rest_starts_python_and_says_what_is_lost(looks: list[Holding | None]) -> None:
    looks[:] = [None]
    app = TutorApp("play")
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        await at(pilot, "play")
        watch, session = app.python.gpu, app.python.session
        assert isinstance(session, ScriptedSession)
        await until(pilot, lambda: watch._failed, "NVML failed once and is not asked again")
        session.gpu_bytes = GB
        watch._used -= 60 * 31
        watch.look()
        await until(pilot, lambda: watch.rests, "given back")
        await until(pilot, lambda: "GPU given back" in shown(app), "said on the first line")
        await pilot.press("ctrl+j")
        await until(pilot, lambda: "has started again: variables" in shown(app).replace("\n", " "), "what is lost")
        assert not watch.rests and session.ran


async def test_never_and_not_while_something_runs(looks: list[Holding | None]) -> None:
    app = TutorApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        watch, session = app.python.gpu, app.python.session
        assert isinstance(session, ScriptedSession)
        session.gpu_bytes = GB
        app.python.running = "x"
        watch._used -= 60 * 31
        await watch._give_back()
        app.python.running = None
        await watch._give_back()
        assert not session.stopped
        app.preferences.settings = app.preferences.settings._replace(idle_minutes=0)
        watch._used -= 60 * 9999
        await watch._give_back()
        assert not session.stopped and session.released == 1
