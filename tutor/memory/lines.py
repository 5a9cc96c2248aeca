"""One event, one line: `crc32 SPACE json NEWLINE`, the checksum in eight hex digits over the bytes of the JSON."""

from __future__ import annotations

import zlib
from typing import Any

import msgspec

from tutor.memory.events import VERSION, Event

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Event)


class DamagedLineError(ValueError):
    """The line is not what was written: torn, or changed since."""


def encode(event: Event) -> bytes:
    """The event's line. TypeError if its data holds something that JSON has no form for."""
    try:
        body = _ENCODER.encode(event)
    except UnicodeEncodeError:  # half a surrogate pair, which a terminal can paste: JSON has no form for it
        body = _ENCODER.encode(msgspec.structs.replace(event, data=_without_surrogates(event.data)))
    return b"%08x %b\n" % (zlib.crc32(body), body)


def checked(line: bytes) -> bytes | None:
    """The JSON of a line without its newline; None if the checksum does not fit."""
    body = line[9:]
    return body if line[:9] == b"%08x " % zlib.crc32(body) else None


def decode(line: bytes) -> Event | None:
    """The event of a line without its newline; None for one of a newer version that cannot be read.

    DamagedLineError if the checksum does not fit, or if what it guards is no event.
    """
    body = checked(line)
    if body is None:
        raise DamagedLineError("the checksum does not fit")
    try:
        return _DECODER.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if _is_newer(body):
            return None
        raise DamagedLineError(f"not an event: {error}") from error


def _is_newer(body: bytes) -> bool:
    try:
        found = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    version = found.get("v") if isinstance(found, dict) else None
    return isinstance(version, int) and version > VERSION


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_surrogates(part) for part in value]
    return value
