"""Experiments on the CPU, whatever the machine has."""

import pytest


@pytest.fixture(autouse=True)
def on_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NORMTUTOR_DEVICE", "cpu")
