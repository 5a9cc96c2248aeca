"""Where the learner's files are: the journal and the settings. Imports nothing slow, for `normtutor due`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HOME_VARIABLE = "NORMTUTOR_HOME"
SETTINGS = "settings.toml"


def state_directory() -> Path:
    """Where the journal is kept: `$NORMTUTOR_HOME`, else `$XDG_STATE_HOME/normtutor` (`~/.local/state/normtutor`)."""
    return _directory("XDG_STATE_HOME", ".local/state", "user_state_dir")


def config_directory() -> Path:
    """Where the settings are kept: `$NORMTUTOR_HOME`, else `$XDG_CONFIG_HOME/normtutor` (`~/.config/normtutor`)."""
    return _directory("XDG_CONFIG_HOME", ".config", "user_config_dir")


def cache_directory() -> Path:
    """Of what can be made anew: `$NORMTUTOR_HOME`, else `$XDG_CACHE_HOME/normtutor` (`~/.cache/normtutor`)."""
    return _directory("XDG_CACHE_HOME", ".cache", "user_cache_dir")


def settings_file() -> Path:
    """Where the settings are."""
    return config_directory() / SETTINGS


def _directory(variable: str, usual: str, function: str) -> Path:
    chosen = os.environ.get(HOME_VARIABLE)
    if not chosen and sys.platform.startswith("linux"):
        # What platformdirs answers there; importing it would take longer than all else that `normtutor due` does.
        above = os.environ.get(variable, "").strip() or os.path.expanduser(f"~/{usual}")  # noqa: PTH111 - never raises
        chosen = str(Path(above, "normtutor"))
    if not chosen:
        import platformdirs

        chosen = str(getattr(platformdirs, function)("normtutor", appauthor=False))
    return Path(chosen).absolute()
