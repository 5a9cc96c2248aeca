from __future__ import annotations

import unicodedata

import pytest

from tutor.text import fold


def test_fold_drops_every_mark() -> None:
    assert fold.fold("Chuẩn hóa ĐƯỜNG") == "chuan hoa duong"
    assert fold.fold(unicodedata.normalize("NFD", "ổn định")) == "on dinh"
    assert fold.fold("LayerNorm") == "layernorm"


@pytest.mark.parametrize(("old", "new"), [("hóa", "hoá"), ("thủy", "thuỷ"), ("HÓA", "hoá"), ("khỏe", "khoẻ")])
def test_key_ignores_where_the_tone_stands(old: str, new: str) -> None:
    assert fold.key(old) == fold.key(new) == fold.key(unicodedata.normalize("NFD", new))


@pytest.mark.parametrize(
    ("one", "other"), [("sâu", "sau"), ("tầng", "tăng"), ("cộng", "công"), ("hoa", "hoá"), ("dư", "du")]
)
def test_key_keeps_every_mark(one: str, other: str) -> None:
    assert fold.key(one) != fold.key(other)


@pytest.mark.parametrize(
    ("keys", "word"),
    [
        ("chuaanr", "chuẩn"),
        ("hoas", "hoá"),
        ("truwowcs", "trước"),
        ("truwocws", "trước"),
        ("truowcs", "trước"),
        ("ddinhj", "định"),
        ("dinhdj", "định"),
        ("oonr", "ổn"),
        ("tangaf", "tầng"),
        ("dduwowngf", "đường"),
        ("khuyeechs", "khuyếch"),
        ("w", None),
        ("khong", None),
        ("layers", None),
        ("torch", None),
        ("lesson", None),
        ("batch", None),
        ("sublayer", None),
        ("", None),
        ("đi", None),
        ("a" * 40, None),
    ],
)
def test_telex(keys: str, word: str | None) -> None:
    assert fold.telex(keys) == (None if word is None else fold.key(word))


def test_syllables() -> None:
    for word in ("nghiêng", "nghieng", "chuẩn", "trước", "truoc", "ư", "khuếch", "thuyen"):
        assert fold.is_syllable(word), word
    for word in ("token", "batch", "residual", "layer", "norm1", "strings", "chuẩnhóa"):
        assert not fold.is_syllable(word), word
