"""What holds for every test."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tutor.text import i18n

# Read when torch is loaded. Threads that wait by spinning make small models twenty times slower on a busy machine.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# Every core has a worker of its own.
os.environ.setdefault("OMP_NUM_THREADS", "1")

HERE = Path(__file__).parent
THOROUGH = (
    "commands/test_check.py",
    "judge",
    "kernels/test_broken.py",
    "kernels/test_experiments.py",
    "kernels/test_functional.py",
    "kernels/test_launch.py",
    "kernels/test_operators.py",
    "kernels/test_probes.py",
    "kernels/test_show.py",
    "kernels/test_teaching.py",
    "memory/test_learners.py",
    "memory/test_progress.py",
    "memory/test_torture.py",
    "runtime/test_floods.py",
    "runtime/test_life.py",
    "runtime/test_transcript.py",
    "text/test_sanitize.py",
    "ui/test_code.py",
    "ui/test_copy_find.py",
    "ui/test_formula.py",
    "ui/test_hostile.py",
    "ui/test_layouts.py",
    "ui/test_looks.py",
)
"""What `make check` leaves to `make test`, to stay under a minute: all of it is marked `slow`."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the thorough tests."""
    paths = [HERE / name for name in THOROUGH]
    for item in items:
        if any(path == item.path or path in item.path.parents for path in paths):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def anywhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[None]:
    """Every test begins in English with a home of its own, whatever this machine's user or a test before it chose."""
    home = tmp_path_factory.getbasetemp() / "homes" / hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:16]
    monkeypatch.setenv("NORMTUTOR_HOME", str(home))
    monkeypatch.setenv("LANG", "C.UTF-8")
    for name in ("NORMTUTOR_LANG", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    i18n.set_language("en")
    yield
    i18n.set_language("en")
