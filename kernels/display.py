"""Show curves wherever the code runs: as data to a front end that draws them, else as printed text."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from kernels.curve import MIME, Curve, document
from kernels.lab.result import Result
from kernels.plot import draw

WIDTH, HEIGHT = 78, 18


def show(
    *curves: Curve | Result | Iterable[Curve | Result],
    log_x: bool | None = None,
    log_y: bool | None = None,
    title: str = "",
) -> None:
    """Draw curves over each other: `show(a, b)` and `show([a, b])` are the same.

    The result of an experiment is drawn on its own scales, unless others are asked for; mere curves on linear ones.

    Inside IPython the data is published under `kernels.curve.MIME` with the drawing as its text/plain form; elsewhere
    the drawing is printed. Raises TypeError for anything that is not a Curve, and when there is none.
    """
    flat = tuple(_flatten(curves))
    views = [each.view for each in curves if isinstance(each, Result)]
    log_x = any(view.log_x for view in views) if log_x is None else log_x
    log_y = any(view.log_y for view in views) if log_y is None else log_y
    title = title or (views[0].title.en if len(views) == 1 else "")
    if not flat:
        raise TypeError("show() needs at least one Curve")
    width = min(WIDTH, shutil.get_terminal_size((WIDTH, HEIGHT)).columns)
    text = draw(flat, width, HEIGHT, log_x=log_x, log_y=log_y, title=title)
    if _in_ipython():
        from IPython.display import display

        data = {MIME: document(flat, log_x=log_x, log_y=log_y, title=title), "text/plain": text}
        display(data, raw=True)
    else:
        print(text)


def _flatten(items: Iterable[Any]) -> Iterator[Curve]:
    for item in items:
        if isinstance(item, Curve):
            yield item
        elif isinstance(item, Result):
            yield from item.curves
        elif isinstance(item, Iterable) and not isinstance(item, (str, bytes)):
            yield from _flatten(item)
        else:
            raise TypeError(f"show() takes Curves, such as hidden_variance(stack) returns, not {type(item).__name__}")


def _in_ipython() -> bool:
    ipython = sys.modules.get("IPython")  # nobody is inside IPython without having imported it
    return ipython is not None and ipython.get_ipython() is not None
