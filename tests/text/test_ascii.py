from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tutor.text.ascii import ascii_only, to_ascii


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("│ Lưu ý: đường gradient …", "| Luu y: duong gradient ~"),
        ("┌──┐", "+--+"),
        ("▰▰▱ ✓ ✗ →", "##. v x >"),
        ("γ(x - μ)/√σ² + β", "g(x - m)/Vs2 + b"),
        ("⣿\u2800", "* "),
        ("漢 a", "?? a"),
        ("e\u0301", "e"),
        ("plain", "plain"),
    ],
)
def test_what_is_shown_instead(text: str, plain: str) -> None:
    assert to_ascii(text) == plain


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"])))
def test_it_is_ascii_and_columns_stay(text: str) -> None:
    for char in text:
        assert to_ascii(char).isascii()
        assert len(to_ascii(char)) == cell_len(char)
    assert to_ascii("\x1b[31m" + text).startswith("\x1b[31m")


@pytest.mark.parametrize(
    ("environ", "only"),
    [
        ({}, False),
        ({"LANG": "vi_VN.UTF-8"}, False),
        ({"LANG": "C.utf8"}, False),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "C"}, True),
        ({"LANG": "en_US.ISO-8859-1"}, True),
        ({"LC_CTYPE": "POSIX"}, True),
        ({"LC_ALL": "C", "NORMTUTOR_ASCII": "0"}, False),
        ({"LANG": "C.UTF-8", "NORMTUTOR_ASCII": "1"}, True),
    ],
)
def test_when(environ: dict[str, str], only: bool) -> None:
    assert ascii_only(environ) is only


def test_every_symbol_of_the_maths_is_something_that_can_be_read() -> None:
    from tutor.text.latex_symbols import SUBSCRIPTS, SUPERSCRIPTS, SYMBOLS

    shown = {char for char, _kind in SYMBOLS.values()} | set(SUBSCRIPTS.values()) | set(SUPERSCRIPTS.values())
    lost = [char for char in sorted(shown) if "?" in to_ascii(char)]
    assert not lost
    assert to_ascii("2ⁿ⁻¹ ⋯ Jₙ₋₁") == "2n-1 . Jn-1"
