"""How long something will still take, said only once it can be known."""

from __future__ import annotations

LEAST_SECONDS = 1.0
LEAST_SHARE = 0.03
"""Before so much has passed and so much is done, an estimate would be a guess."""


def left(done: float, total: float, seconds: float) -> float | None:
    """Seconds that are left after `done` of `total` units in `seconds`; None while that cannot be told."""
    if total <= 0 or seconds < LEAST_SECONDS or done < LEAST_SHARE * total:
        return None
    return seconds * max(0.0, total - done) / done
