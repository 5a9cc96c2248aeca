"""Compiles the interface translations (.po -> .mo) and puts the lessons into the wheel."""

from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class NormtutorBuild(BuildHookInterface):
    """Writes a .mo beside each .po, which is all that gettext reads, and lays the course beside the code of a wheel.

    An editable install reads the course from the checkout: a copy there would be the stale one.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before the files are collected; `version` is "standard" or "editable"."""
        for source in Path(self.root, "tutor", "text", "locale").rglob("*.po"):
            with source.open("rb") as po, source.with_suffix(".mo").open("wb") as mo:
                write_mo(mo, read_po(po))
        if self.target_name == "wheel" and version != "editable":
            build_data["force_include"][str(Path(self.root, "lessons"))] = "tutor/_lessons"
