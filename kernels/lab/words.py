"""A text in both of the tutor's languages. Needs no torch."""

from __future__ import annotations

from typing import Literal, NamedTuple

from kernels.ticks import short

Lang = Literal["vi", "en"]


class Words(NamedTuple):
    """The same said in English and in Vietnamese."""

    en: str
    vi: str

    def get(self, lang: str) -> str:
        """The text in a language; English where it is neither of the two."""
        return self.vi if lang == "vi" else self.en

    def to_dict(self) -> dict[str, str]:
        """As documents hold it."""
        return {"vi": self.vi, "en": self.en}


def join(parts: list[Words], separator: str = " ") -> Words:
    """The texts one after the other; empty ones leave no gap."""
    return Words(
        separator.join(part.en for part in parts if part.en), separator.join(part.vi for part in parts if part.vi)
    )


def number(value: float) -> Words:
    """A number of three digits, as each language writes it."""
    return localised(short(value))


def localised(text: str) -> Words:
    """A number that is already written in English digits."""
    return Words(text, text.replace(".", ","))
