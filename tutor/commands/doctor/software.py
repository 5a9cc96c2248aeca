"""The Python, the packages, and whether the names `tutor` and `kernels` are this project's."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from packaging.requirements import Requirement

from tutor import __version__
from tutor.commands.doctor.report import Finding, ok, problem, warning
from tutor.text.i18n import _, default_language, language, set_language

DISTRIBUTION = "normtutor"
OWN_ENVIRONMENT = "pipx install normtutor"


def software_findings() -> Iterator[Finding]:
    """Versions and installation; imports nothing heavy."""
    yield ok("normtutor", f"{__version__}, {Path(__file__).parents[2]}")
    yield _python()
    yield from _packages()
    yield from _top_level_names()
    yield _translations()


def _python() -> Finding:
    return ok("python", f"{platform.python_version()}, {sys.executable}")


def _packages() -> Iterator[Finding]:
    """Each dependency that is missing or of a version that does not work; else one finding for all of them."""
    try:
        wanted = [Requirement(text) for text in metadata.requires(DISTRIBUTION) or ()]
    except metadata.PackageNotFoundError:
        yield warning(
            "packages",
            _("normtutor itself is not installed here"),
            _("Install it: make run, or pip install --editable ."),
        )
        return
    good = []
    for requirement in wanted:
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            version = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            yield problem(
                f"packages.{requirement.name}",
                _("missing"),
                f"{sys.executable} -m pip install '{requirement.name}{requirement.specifier}'",
            )
            continue
        if requirement.specifier.contains(version, prereleases=True):
            good.append(f"{requirement.name} {version}")
        else:
            yield problem(
                f"packages.{requirement.name}",
                _("{version}, but {wanted} is needed").format(version=version, wanted=requirement.specifier),
                f"{sys.executable} -m pip install '{requirement.name}{requirement.specifier}'",
            )
    yield ok("packages", ", ".join(good))


def _top_level_names() -> Iterator[Finding]:
    """`tutor` and `kernels` are the names of other distributions too: together in one environment they overwrite."""
    ours = Path(__file__).parents[3]
    for name, owners in metadata.packages_distributions().items():
        if name in ("tutor", "kernels") and (others := sorted(set(owners) - {DISTRIBUTION})):
            yield problem(
                f"names.{name}",
                _("“{name}” also belongs to {others}").format(name=name, others=", ".join(others)),
                _("Install normtutor into an environment of its own: {command}").format(command=OWN_ENVIRONMENT),
            )
    spec = find_spec("kernels")
    if spec is None or spec.origin is None or not Path(spec.origin).is_relative_to(ours):
        yield problem(
            "names.kernels",
            _("“kernels” is loaded from {where}").format(where=spec.origin if spec else _("nowhere")),
            _("Install normtutor into an environment of its own: {command}").format(command=OWN_ENVIRONMENT),
        )


def _translations() -> Finding:
    what = "translations"
    before = language()
    set_language("vi")
    translated = _("commands") != "commands"
    set_language(before)
    if not translated:
        return warning(
            what,
            _("not compiled: the interface is in English only"),
            _("Install normtutor again: make run, or pip install ."),
        )
    return ok(what, _("Vietnamese and English; {lang} by default here").format(lang=default_language()))
