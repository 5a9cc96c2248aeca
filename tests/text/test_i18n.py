"""The catalogue is complete: every string of the sources is translated, with the same placeholders."""

import ast
import re
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.pofile import read_po

from tutor.text import i18n

ROOT = Path(__file__).parents[2]
PO = ROOT / "tutor/text/locale/vi/LC_MESSAGES/normtutor.po"
LOOKUPS = ("_", "N_", "ngettext", "translate")
SOURCES = sorted((ROOT / "tutor").rglob("*.py"))


def extracted() -> dict[str, str]:
    """Message id -> the file that shows it."""
    found = {}
    keywords = {**DEFAULT_KEYWORDS, "translate": None}
    strings = extract_from_dir(ROOT / "tutor", [("**.py", "python")], keywords=keywords)
    for file, _line, message, _comments, _context in strings:
        found[message[0] if isinstance(message, tuple) else message] = file
    found.pop("", None)
    return found


def test_no_string_is_hidden_in_an_f_string() -> None:
    """What collects the strings does not look into those."""
    for path in (ROOT / "tutor").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            inside = ast.walk(node) if isinstance(node, ast.JoinedStr) else ()
            calls = [call.func.id for call in inside if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)]
            hidden = {"N_", "ngettext"}.intersection(calls) or ("_" in calls and _says(node))
            assert not hidden, f"{path.relative_to(ROOT)}:{node.lineno}"


def _says(node: ast.AST) -> bool:
    """Whether a string itself is passed to `_`, not a name."""
    return any(
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "_"
        and isinstance(call.args[0], ast.Constant)
        for call in ast.walk(node)
    )


def catalogue() -> dict[str, Message]:
    with PO.open("rb") as file:
        catalog = read_po(file)
    assert not catalog.obsolete, "obsolete strings: make translations"
    return {(m.id[0] if isinstance(m.id, tuple) else m.id): m for m in catalog if m.id}


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_every_string_of_the_interface_is_in_the_catalogue() -> None:
    known = catalogue()
    missing = {id: file for id, file in extracted().items() if id not in known}
    assert not missing, "make translations, then translate"


def test_the_catalogue_holds_nothing_else() -> None:
    assert not set(catalogue()) - set(extracted()), "make translations"


def test_every_string_is_translated_with_its_placeholders() -> None:
    messages = catalogue()
    assert len(messages) > 20
    for id, message in messages.items():
        shown = message.string if isinstance(message.string, str) else message.string[0]
        assert shown.strip(), f"not translated: {id}"
        assert not message.fuzzy, f"fuzzy: {id}"
        ids = message.id if isinstance(message.id, tuple) else (message.id,)
        if message.python_brace_format or "{" in id:
            # A plural form may leave out a number that the singular writes as a word.
            assert fields(shown) == set().union(*(fields(one) for one in ids)), id
        assert re.findall(r"`[^`]*`", shown) == re.findall(r"`[^`]*`", ids[-1]), f"the code in {id}"
        assert shown[-1] in "…" or (shown[-1] in ".:?!") == (id[-1] in ".:?!"), f"the ending of {id}"


def test_strings_are_not_put_together_before_they_are_looked_up() -> None:
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("_", "N_", "ngettext")
            ):
                made = [text for text in node.args if isinstance(text, ast.JoinedStr | ast.BinOp)]
                assert not made, f"{source}:{node.lineno}: fill in values with .format after the lookup"


def test_vietnamese_is_shown_and_english_again() -> None:
    i18n.set_language("vi")
    assert i18n.language() == "vi"
    assert i18n._("Right.") == "Đúng."
    i18n.set_language("en")
    assert i18n._("Right.") == "Right."


def test_a_string_can_be_asked_for_in_a_given_language() -> None:
    i18n.set_language("en")
    assert i18n.translate("Right.", "vi") == "Đúng."
    assert i18n.translate("Right.", "en") == "Right."
    assert i18n.translate("", "vi") == ""
    assert i18n.language() == "en"


def test_what_has_no_translation_stays_english() -> None:
    i18n.set_language("vi")
    assert i18n._("A string that no catalogue has") == "A string that no catalogue has"
    assert i18n._("") == ""
    assert i18n.N_("Right.") == "Right."


def test_plurals() -> None:
    i18n.set_language("en")
    assert [i18n.ngettext("{n} thing", "{n} things", n) for n in (1, 2)] == ["{n} thing", "{n} things"]
    i18n.set_language("vi")
    one, many = (i18n.ngettext("{n} output left out", "{n} outputs left out", n) for n in (1, 2))
    assert one == many != "{n} outputs left out"


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "vi_VN.UTF-8"}, "vi"),
        ({"LANG": "vi"}, "vi"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "vi_VN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "vi_VN.UTF-8"}, "vi"),
        ({"LC_ALL": "", "LANG": "vi_VN.UTF-8"}, "vi"),
        ({"NORMTUTOR_LANG": "vi", "LANG": "en_US.UTF-8"}, "vi"),
        ({"NORMTUTOR_LANG": "EN", "LANG": "vi_VN.UTF-8"}, "en"),
        ({"NORMTUTOR_LANG": "fr", "LANG": "vi_VN.UTF-8"}, "vi"),
    ],
)
def test_the_language_to_begin_with(environment: dict[str, str], language: str) -> None:
    assert i18n.default_language(environment) == language


def test_a_catalogue_edited_since_the_installation_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "vi" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
    (folder / "normtutor.po").write_text(header + 'msgid "Right."\nmsgstr "Chuẩn."\n', encoding="utf-8")
    monkeypatch.setattr(i18n, "LOCALE", tmp_path)
    i18n._catalog.cache_clear()
    try:
        i18n.set_language("vi")
        assert i18n._("Right.") == "Chuẩn."
    finally:
        i18n._catalog.cache_clear()
