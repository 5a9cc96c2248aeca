"""Every variable that the source reads is in the help."""

from __future__ import annotations

import re
from pathlib import Path

from tutor.commands.command_line import parser_of
from tutor.commands.environment import VARIABLES
from tutor.text import i18n

ROOT = Path(__file__).parents[2]


def test_every_variable_that_is_read_is_listed_in_both_languages() -> None:
    read = {
        name
        for package in ("tutor", "kernels")
        for path in (ROOT / package).rglob("*.py")
        for name in re.findall(r"\bNORMTUTOR_[A-Z_]+\b", path.read_text(encoding="utf-8"))
        if path.name != "environment.py"
    }
    assert len(read) >= 7
    for lang in ("en", "vi"):
        i18n.set_language("vi" if lang == "vi" else "en")
        shown = parser_of(()).format_help()
        assert not {name for name in read if name not in shown}
        assert max(map(len, shown.splitlines())) <= 90
        assert "normtutor review --inline" in shown
    assert "ngôn ngữ" in i18n.translate(VARIABLES["NORMTUTOR_LANG"], "vi")
