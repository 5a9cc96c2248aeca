"""What `normtutor lab` prints and writes of a result: plot and reading, JSON, CSV, SVG and PNG."""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import sys
import textwrap
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kernels.curve import Curve
from tutor.commands.support import FoundWrongError, WrongUseError, print_json, say
from tutor.text import spoken
from tutor.text.aloud import aloud
from tutor.text.i18n import _, language

WIDTH, HEIGHT = 78, 20
LARGEST_WIDTH = 120
PNG_ZOOM = 2
"""Pixels of a PNG for each of the SVG."""


def prepare(options: argparse.Namespace) -> None:
    """Refuse what could only fail after the experiment has run. Raises WrongUseError."""
    for name in (options.svg, options.png):
        if name is not None and not Path(name).absolute().parent.is_dir():
            raise WrongUseError(_("{directory} is no directory.").format(directory=Path(name).absolute().parent))
    if options.png is not None and find_spec("resvg_py") is None:
        raise WrongUseError(
            _("--png needs the package resvg-py (`pip install resvg-py`); --svg FILE writes the same picture.")
        )


def put(result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the result as asked for, and write the pictures."""
    view = shown(result)
    if options.json:
        print_json(document(result))
    elif options.csv:
        write_csv(view)
    else:
        say(*lines(result, options.log_y))
    pictures([(view, curves_of(view))], options, title=view["title"][language()])


def shown(result: dict[str, Any]) -> dict[str, Any]:
    """The view that was asked for."""
    view: dict[str, Any] = next(view for view in result["views"] if view["view"] == result["view"])
    return view


def document(result: dict[str, Any]) -> dict[str, Any]:
    """What `--json` prints: the view that was asked for at the top, the others in `others`."""
    view = shown(result)
    others = [each for each in result["views"] if each is not view]
    rest = {key: value for key, value in result.items() if key not in ("views", "parameters", "experiment", "seed")}
    return {
        "experiment": result["experiment"],
        "parameters": result["parameters"],
        "seed": result["seed"],
        "curves": view["curves"],
        "reading": view["reading"][language()],
        "readings": view["reading"],
        "log_x": view["log_x"],
        "log_y": view["log_y"],
        **rest,
        "others": others,
    }


def curves_of(view: dict[str, Any]) -> list[Curve]:
    """The curves of a view, with the name of the x axis in the language in use."""
    label = view["x_label"][language()]
    return [replace(Curve.from_dict(curve), x_label=label, y_label="") for curve in view["curves"]]


def lines(result: dict[str, Any], log_y: bool | None = None) -> list[str]:
    """The plot, its reading, what measured it, and the line that measures it again."""
    view = shown(result)
    width = _width()
    picture = draw(curves_of(view), view, log_y) if view["curves"] else ""
    versions = " · ".join(f"{name} {version}" for name, version in result["versions"].items())
    measured = _("{device} · {versions} · {seconds:.1f} s").format(
        device=result["device"], versions=versions, seconds=result["seconds"]
    )
    reading = textwrap.wrap(view["reading"][language()], width)
    return [*([picture, ""] if picture else []), *reading, "", measured, result["command"]]


def draw(curves: list[Curve], view: dict[str, Any], log_y: bool | None) -> str:
    """The curves as text, as wide as the terminal allows. `log_y` None: the axis that the experiment chose."""
    from kernels import plot

    if aloud():
        return "\n".join(spoken.curves(curves, view["title"][language()]))
    return plot.draw(
        curves,
        _width(),
        HEIGHT,
        log_x=view["log_x"],
        log_y=view["log_y"] if log_y is None else log_y,
        title=view["title"][language()],
        marker=marker(),
        not_drawn=_("not drawn"),
    )


def marker() -> str:
    """What the terminal can draw with; `NORMTUTOR_PLOT` says otherwise."""
    asked = os.environ.get("NORMTUTOR_PLOT", "")
    if asked in ("braille", "hd", "dot"):
        return asked
    return "dot" if os.environ.get("TERM", "") in ("linux", "dumb", "vt100") else "braille"


def write_csv(view: dict[str, Any]) -> None:
    """One line a point; what has no number in JSON is spelt nan, inf and -inf, as spreadsheets and pandas read it."""
    band = any("low" in curve for curve in view["curves"])
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("label", "arch", "x", "y", *(("low", "high") if band else ())))
    for curve in view["curves"]:
        columns = [
            curve["x"],
            curve["y"],
            *((curve.get("low", curve["y"]), curve.get("high", curve["y"])) if band else ()),
        ]
        for point in zip(*columns, strict=True):
            writer.writerow((curve["label"], curve["arch"], *("nan" if value is None else value for value in point)))


def pictures(views: list[tuple[dict[str, Any], list[Curve]]], options: argparse.Namespace, title: str) -> None:
    """Write what --svg and --png ask for, the curves of all views on one picture. Raises FoundWrongError."""
    if options.svg is None and options.png is None:
        return
    from kernels.svg import picture

    view = views[0][0]
    curves = [curve for _view, found in views for curve in found]
    log_y = view["log_y"] if options.log_y is None else options.log_y
    svg = picture(curves, log_x=view["log_x"], log_y=log_y, title=title, not_drawn=_("not drawn"))
    try:
        if options.svg is not None:
            Path(options.svg).write_text(svg, encoding="utf-8")
        if options.png is not None:
            import resvg_py

            Path(options.png).write_bytes(bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=PNG_ZOOM)))
    except OSError as error:
        raise FoundWrongError(f"{error.filename}: {error.strerror}") from None
    for name in (options.svg, options.png):
        if name is not None:
            say(_("Written: {file}").format(file=name), error=True)


def _width() -> int:
    return min(shutil.get_terminal_size((WIDTH, HEIGHT)).columns, LARGEST_WIDTH)
