"""Interface strings in the learner's language, by gettext: the English text is the message id.

Mark a string where it is shown, `_("Run the cell")`, with values filled in afterwards: `_("step {n}").format(n=3)`.
`N_` marks a string that is translated later, where it is shown. After adding strings, `make translations` brings them
into every `locale/*/LC_MESSAGES/normtutor.po`; installing compiles those to the `.mo` files that are read here.
"""

from __future__ import annotations

import gettext
import os
from collections.abc import Mapping
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Literal

Lang = Literal["vi", "en"]

DOMAIN = "normtutor"
LOCALE = Path(__file__).parent / "locale"

_current: Lang | None = None


def default_language(environ: Mapping[str, str] = os.environ) -> Lang:
    """The language to begin with: NORMTUTOR_LANG where it names one, else what the locale asks for, else English."""
    chosen = environ.get("NORMTUTOR_LANG", "").lower()[:2]
    if chosen == "vi":
        return "vi"
    if chosen == "en":
        return "en"
    # The first variable that is set decides, as POSIX has it: LC_ALL=C over LANG=vi_VN means English.
    locale = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := environ.get(name))), "")
    return "vi" if locale.lower().startswith("vi") else "en"


def set_language(lang: Lang) -> None:
    """Switches every later `_` to `lang`."""
    global _current
    _current = lang


def language() -> Lang:
    """The language in use; `default_language()` until `set_language` was called."""
    return _current or default_language()


def _(message: str) -> str:
    """`message` in the language in use; the English text itself where there is no translation."""
    return translate(message, language())


def translate(message: str, lang: Lang) -> str:
    """`message` in `lang`, whatever language is in use: a verdict is asked for in a given one."""
    # gettext answers "" with the catalogue's header.
    return _catalog(lang).gettext(message) if message else ""


def ngettext(singular: str, plural: str, n: int) -> str:
    """The form of a message that fits `n` things."""
    return _catalog(language()).ngettext(singular, plural, n)


def N_(message: str) -> str:  # noqa: N802 - gettext's name for it, which the extraction looks for
    """Marks a message for translation and leaves it as it is."""
    return message


@lru_cache
def _catalog(lang: Lang) -> gettext.NullTranslations:
    if lang == "en":
        return gettext.NullTranslations()
    compiled = LOCALE / lang / "LC_MESSAGES" / f"{DOMAIN}.mo"
    source = compiled.with_suffix(".po")
    if source.exists() and (not compiled.exists() or source.stat().st_mtime > compiled.stat().st_mtime):
        fresh = _compile(source)
        if fresh is not None:
            return fresh
    if not compiled.exists():
        return gettext.NullTranslations()
    with compiled.open("rb") as file:
        return gettext.GNUTranslations(file)


def _compile(source: Path) -> gettext.NullTranslations | None:
    """The catalogue straight from a .po that was edited since the installation; None without the development tools."""
    try:
        from babel.messages.mofile import write_mo
        from babel.messages.pofile import read_po
    except ImportError:
        return None
    buffer = BytesIO()
    with source.open("rb") as file:
        write_mo(buffer, read_po(file))
    buffer.seek(0)
    return gettext.GNUTranslations(buffer)
