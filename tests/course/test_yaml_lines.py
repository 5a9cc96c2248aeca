from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.course import yaml_lines
from tutor.course.yaml_lines import Mapping, Scalar, Sequence, parse, quoted, suggestion


@pytest.fixture(params=["libyaml", "python"], autouse=True)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test with both parsers: PyYAML is not built with libyaml everywhere."""
    monkeypatch.setattr(yaml_lines, "LOADER", yaml.CSafeLoader if request.param == "libyaml" else yaml.SafeLoader)


def scalar(text: str) -> Scalar:
    root, faults = parse(f"a: {text}\n")
    assert isinstance(root, Mapping)
    assert faults == []
    node = root.get("a")
    assert isinstance(node, Scalar)
    return node


def test_every_value_has_its_line() -> None:
    root, faults = parse("a: 1\nb:\n  c: x\n  d:\n  - y\n  - |\n    one\n    two\n")
    assert isinstance(root, Mapping)
    assert faults == []
    b = root.get("b")
    assert isinstance(b, Mapping)
    assert b.line == 2, "a mapping stands where its key stands"
    d = b.get("d")
    assert isinstance(d, Sequence)
    assert (d.line, [item.line for item in d.items]) == (4, [5, 6])
    block = d.items[1]
    assert isinstance(block, Scalar)
    assert (block.line_of(1), block.line_of(2)) == (7, 8)


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("yes", "bool"),
        ("off", "bool"),
        ("1:30", "int"),
        ("0777", "int"),
        ("1e-5", "str"),
        ("1.0e-5", "float"),
        ("2020-01-01", "timestamp"),
        ("", "null"),
        ("'yes'", "str"),
        ('"1:30"', "str"),
        ("word", "str"),
        ("9" * 100, "str"),
    ],
)
def test_what_yaml_takes_a_value_for(text: str, tag: str) -> None:
    assert scalar(text).tag == tag


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("a: *bold*\n", 1, "must be quoted"),
        ("a: 1\nb: &x 1\nc: *x\n", 2, "anchors are not used"),
        ("a: 1\nb: [*x, *x]\n", 2, "aliases are not used"),
        ("- !!python/object/apply:os.system [ls]\n", 1, "tags"),
        ("a: 1\nb: !x y\n", 2, "tags"),
        ("a: 1\nb: c: d\n", 2, "a text that holds `: ` must be quoted"),
        ("a: 1\nb: 'open\nc: 1\n", 2, "never closed"),
        ("a:\n\t- 1\n", 2, "a tab: indent with spaces"),
        ("a: 1\nb: @x\n", 2, "must be quoted"),
        ("a: 1\nb: 'it's'\n", 2, "not YAML"),
        ("a: |\n  x\n y\n", 3, "indentation"),
        ("a: 1\n---\nb: 2\n", 2, "second document"),
        ("", 1, "empty"),
        ("# only a comment\n", 1, "empty"),
        ("a: 1\nb: \x1b[2J\n", 2, "U+001B"),
        ("[" * 5000, 1, "nest"),
        ("- " * 5000, 1, "nest"),
    ],
)
def test_what_cannot_be_read_is_one_message_with_its_line(text: str, line: int, part: str) -> None:
    root, faults = parse(text)
    assert root is None
    assert len(faults) == 1
    assert faults[0].line == line
    assert part in faults[0].message


def test_an_alias_bomb_is_refused_at_its_first_anchor() -> None:
    bomb = "a: &a [x, x, x]\n" + "".join(
        f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefghi", "bcdefghij", strict=True)
    )
    assert parse(bomb)[1][0].line == 1


def test_keys_that_come_twice_are_all_reported() -> None:
    root, faults = parse("a: 1\nb: {c: 1, c: 2}\na: 2\n")
    assert root is not None
    assert [fault.line for fault in faults] == [2, 3]
    assert "line 1" in faults[1].message


def test_a_key_must_be_a_word() -> None:
    assert parse("? [a, b]\n: 1\n")[1][0].message == "a key must be a word, not a list or a mapping"


@settings(deadline=None)
@given(st.text())
def test_any_text_gives_a_tree_or_a_fault(text: str) -> None:
    root, faults = parse(text)
    assert (root is None) <= bool(faults)
    assert all(1 <= fault.line <= text.count("\n") + 1 for fault in faults)


def test_messages_show_foreign_text_harmless_and_short() -> None:
    assert quoted("a\x1b[2J\n") == "`a\\x1b[2J\\n`"
    assert len(quoted("x" * 1000)) < 50
    assert suggestion("promt", ["prompt", "points"]) == "; did you mean `prompt`?"
    assert suggestion("qqq", ["prompt"]) == ""
