"""What the learner has set: a TOML file with comments, read leniently. A bad value is named, and the default taken."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tutor.memory.days import ROLLOVER, Days
from tutor.memory.due import DAILY_LIMIT
from tutor.memory.places import SETTINGS, settings_file
from tutor.text.i18n import _

AUTO = "auto"
MINUTES = 10.0
"""What a review takes unless the learner sets another time."""
IDLE_MINUTES = 30
"""Minutes without a run after which the GPU is given back; 0 is never."""
MAX_BYTES = 100_000


class Settings(NamedTuple):
    """The settings in use. `auto` leaves a choice to the locale, the terminal and the machine."""

    language: str = AUTO
    theme: str = AUTO
    device: str = AUTO
    """`auto`, `cpu`, or a GPU by its number or UUID, as nvidia-smi shows it."""
    daily_limit: int = DAILY_LIMIT
    minutes: float = MINUTES
    rollover: int = ROLLOVER
    time_zone: str = AUTO
    """An IANA name; `auto` is the time zone of the machine."""
    keys: Mapping[str, str] = {}
    """Keys by the id of what they do, as `App.set_keymap` takes them."""
    screen_reader: bool = False
    """Whether everything is shown as lines to be read aloud."""
    idle_minutes: int = IDLE_MINUTES

    @property
    def days(self) -> Days:
        """When and where a study day begins."""
        return Days(self.rollover, "" if self.time_zone == AUTO else self.time_zone)


class BadSetting(NamedTuple):
    """A setting that cannot be used, for whoever wrote the file; `line` is 0 where there is none to name."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        from tutor.text.sanitize import spelt_out  # only a file with a mistake needs it

        file = spelt_out(self.file)
        return f"{file}:{self.line}: {self.message}" if self.line else f"{file}: {self.message}"


class Found(NamedTuple):
    """The settings, what is wrong with their file, and whether there is one."""

    settings: Settings
    problems: tuple[BadSetting, ...] = ()
    there: bool = False


class Field(NamedTuple):
    """One setting in the file: its section and key, the attribute that it sets, and how its value is read.

    `read` raises ValueError with what the value must be.
    """

    section: str
    key: str
    attribute: str
    read: Callable[[Any], Any]

    @property
    def name(self) -> str:
        """As a message names it."""
        return f"{self.section}.{self.key}" if self.section else self.key


def load(path: Path | None = None) -> Found:
    """The settings in a file (by default the learner's); never raises for what is in it."""
    path = path if path is not None else settings_file()
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return Found(Settings())
    except OSError as error:
        return Found(Settings(), (BadSetting(str(path), 0, error.strerror or str(error)),), there=True)
    if len(data) > MAX_BYTES:
        return Found(Settings(), (BadSetting(str(path), 0, _("it is too large for a file of settings")),), there=True)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Found(Settings(), (BadSetting(str(path), line, _("this is not UTF-8")),), there=True)
    return parse(text, str(path))


def parse(text: str, file: str = SETTINGS) -> Found:
    """The settings that a text holds."""
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        at = re.search(r"at line (\d+)", str(error))
        line = int(at[1]) if at else text.count("\n") + 1
        message = _("this is not TOML, so all settings have their defaults: {why}").format(why=str(error))
        return Found(Settings(), (BadSetting(file, line, message),), there=True)
    values: dict[str, Any] = {}
    problems = [BadSetting(file, line_of(text, *where), message) for *where, message in _unknown(document)]
    for field in FIELDS:
        section = document.get(field.section, {}) if field.section else document
        if not isinstance(section, dict) or field.key not in section:
            continue
        try:
            values[field.attribute] = field.read(section[field.key])
        except ValueError as error:
            message = _("{name} must be {what}; {default} is used").format(
                name=field.name, what=error, default=_shown(getattr(Settings(), field.attribute))
            )
            problems.append(BadSetting(file, line_of(text, field.section, field.key), message))
    keys, bad = _keys(document.get("keys", {}))
    problems += [BadSetting(file, line_of(text, "keys", key), message) for key, message in bad]
    problems.sort(key=lambda problem: problem.line)
    return Found(Settings(**values, keys=keys), tuple(problems), there=True)


def line_of(text: str, section: str, key: str) -> int:
    """The line on which a key (or, where it is one, a section) is set; 0 where it is not found."""
    inside = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if table := re.match(r"\s*\[\s*([^\[\]]+?)\s*\]", line):
            inside = table[1].strip("\"'")
            if not section and inside == key:
                return number
        elif inside == section and re.match(rf"\s*([\"']?){re.escape(key)}\1\s*=", line):
            return number
    return 0


def _unknown(document: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Section, key and a message of what the file sets and nobody reads: misspelt, or in the wrong section."""
    known = {field.key for field in FIELDS if not field.section}
    sections = {field.section for field in FIELDS if field.section} | {"keys"}
    found = []
    for key, value in document.items():
        if key in sections and not isinstance(value, dict):
            found.append(("", key, _("[{name}] must be a section").format(name=key)))
        elif key in sections and key != "keys":
            of_section = {field.key for field in FIELDS if field.section == key}
            found += [(key, name, _no_setting(f"{key}.{name}")) for name in value if name not in of_section]
        elif key not in known | sections:
            found.append(("", key, _no_setting(key)))
    return found


def _no_setting(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, [field.name for field in FIELDS], n=1)
    if near:
        return _("there is no setting {name}; did you mean {words}?").format(name=name, words=near[0])
    return _("there is no setting {name}").format(name=name)


def _keys(table: Any) -> tuple[dict[str, str], list[tuple[str, str]]]:
    if not isinstance(table, dict):
        return {}, []
    good = {id: keys for id, keys in table.items() if isinstance(keys, str) and keys.strip() and keys.isprintable()}
    must = _("{name} must be keys in quotes, such as {example}; its usual keys are used")
    return good, [(id, must.format(name=f"keys.{id}", example='"n,ctrl+n"')) for id in table if id not in good]


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else f"{value:g}"


def _word(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > 200 or not value.isprintable():
        raise ValueError(_("a word in quotes"))
    return value.strip()


def _language(value: Any) -> str:
    if value not in ("vi", "en", AUTO):
        raise ValueError(_("{words} or {word}").format(words='"vi", "en"', word='"auto"'))
    return str(value)


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(_("{words} or {word}").format(words="true", word="false"))
    return value


def _zone(value: Any) -> str:
    import zoneinfo

    if value == AUTO:
        return AUTO
    try:
        return zoneinfo.ZoneInfo(value).key
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, TypeError, OSError, AttributeError):
        raise ValueError(
            _("{word} or a name such as {example}").format(word='"auto"', example='"Asia/Ho_Chi_Minh"')
        ) from None


def _whole(least: int, most: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ValueError(_("a whole number from {least} to {most}").format(least=least, most=most))
        return value

    return read


def _number(least: float, most: float) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise ValueError(_("a number from {least} to {most}").format(least=f"{least:g}", most=f"{most:g}"))
        return float(value)

    return read


FIELDS = (
    Field("", "language", "language", _language),
    Field("", "theme", "theme", _word),
    Field("", "screen-reader", "screen_reader", _truth),
    Field("", "device", "device", _word),
    Field("", "idle-minutes", "idle_minutes", _whole(0, 1440)),
    Field("review", "daily-limit", "daily_limit", _whole(1, 500)),
    Field("review", "minutes", "minutes", _number(1, 240)),
    Field("review", "rollover", "rollover", _whole(0, 23)),
    Field("review", "time-zone", "time_zone", _zone),
)
"""All settings but the keys, in the order of the file."""
