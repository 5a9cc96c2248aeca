"""The output of a cell as plain text: its lines, and what of it can be copied."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from kernels.curve import Curve
from tutor.runtime.outputs import Curves, Failure
from tutor.text.i18n import _, ngettext
from tutor.ui.cellrun import CellRun, Printed
from tutor.ui.clipboard import Thing
from tutor.ui.widgets.curve import curves_of
from tutor.ui.widgets.output import BAD_DOCUMENT


def lines(run: CellRun) -> list[str]:
    """All that is kept of what a run put out, in order; where lines were left out, that is said between them."""
    found: list[str] = []
    for block in run.blocks:
        if isinstance(block, Printed):
            printed, cut = block.transcript.lines(), block.transcript.cut
            found += printed[: cut.at] if cut.lines else printed
            if cut.lines:
                gone = ngettext("… {n} line not kept …", "… {n} lines not kept …", cut.lines).format(n=cut.lines)
                found += [gone, *printed[cut.at :]]
        elif isinstance(block, Failure):
            found += block.traceback.split("\n")
        else:
            found += block.text.split("\n")
    while found and not found[-1].strip():
        found.pop()
    return found


def things(run: CellRun) -> list[Thing]:
    """What of a run can be copied: its text, and the numbers of its curves."""
    found = [Thing(_("Output"), "\n".join(lines(run)))]
    if any(isinstance(block, Failure) for block in run.blocks):
        errors = [block.traceback for block in run.blocks if isinstance(block, Failure)]
        if len(run.blocks) > len(errors):
            found.append(Thing(_("Traceback"), "\n".join(errors)))
    for block in run.blocks:
        if isinstance(block, Curves):
            try:
                table = numbers(curves_of(block.document))
            except BAD_DOCUMENT:
                continue
            found.append(Thing(_("Numbers of the curves, as CSV"), table))
    return [thing for thing in found if thing.text]


def numbers(curves: Sequence[Curve]) -> str:
    """The points of curves as CSV: a row an x, a column a curve."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    label = next((curve.x_label for curve in curves if curve.x_label), "x")
    writer.writerow([label, *(curve.label for curve in curves)])
    points = [dict(zip(curve.x, curve.y, strict=True)) for curve in curves]
    for x in sorted({x for curve in curves for x in curve.x}):
        writer.writerow([repr(x), *(repr(found[x]) if x in found else "" for found in points)])
    return file.getvalue()
