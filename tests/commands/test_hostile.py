"""Hostile texts in the course, the journal, the settings and the command line: plain lines come out."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest

from tests.ui.conftest import COURSE
from tests.ui.evil import EVIL, course, hostile, write, written
from tests.ui.test_layouts import LESSON as LAYOUTS
from tests.ui.wire import clean
from tutor.cli import main

LINE = EVIL.replace("\x00", "")
STRANGE = "strange\x1b[2J\x9b2J\u202e"
COMMANDS = [
    ("list",),
    ("progress",),
    ("review", "--flags"),
    ("claims",),
    ("check", "--fast"),
    ("grade", LINE, "--answer", "x"),
    *(("grade", step, "--answer", LINE) for step in ("pick", "tell", "count", "pre", "line", "several")),
    ("run", LINE),
    ("lab", LINE),
    ("lab", "hidden-variance", "--depth", LINE),
    ("export", "notebook", "first", "-"),
    ("export", "notebook", "first", f"/nowhere/{STRANGE}"),
    ("export", "progress", "-o", f"/nowhere/{STRANGE}"),
    ("import", f"/nowhere/{STRANGE}"),
    ("new", LINE),
    ("reset", LINE),
    ("check", f"/nowhere/{STRANGE}"),
    ("list", "--lang", LINE),
    (LINE,),
]
DOCUMENTS = [("list",), ("progress",), ("check", "--fast"), ("grade", "tell", "--answer", LINE)]


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = course(tmp_path / "course", (COURSE / "first.yaml").read_text(encoding="utf-8"), LAYOUTS)
    write(root, "claims", hostile([{"id": "c", "from": "here", "verdict": "holds", "show": "derive", "claim": "x"}]))
    (root / f"{STRANGE}.yaml").write_text('id: "\\e[2J"\nid: x', encoding="utf-8")
    home = tmp_path / STRANGE
    home.mkdir()
    written(home)
    (home / "settings.toml").write_text('"\\u001b]0;T" = 1\ntheme = "\\u009b2J"\n', encoding="utf-8")
    (home / f"{STRANGE}.jsonl").write_text("torn\n", encoding="utf-8")
    for name in ("TERM", "USER", "EDITOR", "COLORTERM", "NORMTUTOR_PLOT", "CUDA_VISIBLE_DEVICES", "COLUMNS"):
        monkeypatch.setenv(name, LINE)
    monkeypatch.setenv("NORMTUTOR_HOME", str(home))
    monkeypatch.setenv("NORMTUTOR_COURSE", str(root))
    monkeypatch.setenv("NORMTUTOR_TRUST", "1")
    monkeypatch.chdir(tmp_path)


def test_what_the_commands_print(capsys: pytest.CaptureFixture[str]) -> None:
    for command in COMMANDS:
        with suppress(SystemExit):
            main(command)
        printed = capsys.readouterr()
        assert printed.out or printed.err
        clean(printed.out)
        clean(printed.err)


def test_documents_hold_every_character_as_an_escape(capsys: pytest.CaptureFixture[str]) -> None:
    for command in DOCUMENTS:
        main([*command, "--json"])
        out = capsys.readouterr().out
        json.loads(out)
        clean(out.replace("\u0301", ""))  # the texts are as they are, with all their marks
