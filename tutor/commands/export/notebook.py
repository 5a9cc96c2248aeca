"""`normtutor export notebook LESSON [FILE]`: a lesson as a Jupyter notebook that runs from top to bottom."""

from __future__ import annotations

import argparse
from pathlib import Path

from tutor.commands.support import (
    FINE,
    FoundWrongError,
    WrongUseError,
    add_output_options,
    open_course,
    say,
    unknown_id,
)
from tutor.text.i18n import _, language


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `export notebook` to the command line."""
    parser = subparsers.add_parser(
        "notebook",
        help=_("a lesson as a Jupyter notebook"),
        description=_(
            "Writes a notebook with the lesson's texts, cells, questions and, folded away, the answers. It runs from "
            "top to bottom where normtutor is installed; what it measures decides your predictions there too."
        ),
    )
    parser.add_argument("lesson", metavar="LESSON", help=_("the lesson's id"))
    parser.add_argument(
        "file", metavar="FILE", nargs="?", help=_("where to write it, - for standard output; LESSON.ipynb if not given")
    )
    parser.add_argument("--force", action="store_true", help=_("replace a file that is there"))
    add_output_options(parser)
    parser.set_defaults(run=run, late="file")


def run(args: argparse.Namespace) -> int:
    """Writes the notebook; 2 where a file would be lost, 1 when it cannot be written."""
    import nbformat

    from tutor.commands.export.notebook_cells import notebook

    course = open_course()
    lesson = course.lesson(args.lesson)
    if lesson is None:
        raise unknown_id(course, args.lesson, (lesson.id for lesson in course.lessons))
    text = nbformat.writes(notebook(course, lesson, language()))
    if args.file == "-":
        print(text)
        return FINE
    path = Path(args.file or f"{lesson.id}.ipynb")
    try:
        with path.open("w" if args.force else "x", encoding="utf-8") as file:
            file.write(text + "\n")
    except FileExistsError as error:
        raise WrongUseError(_("{path} is there already; --force replaces it.").format(path=path)) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FoundWrongError(f"{path}: {reason}") from error
    say(_("Written: {path}. It needs normtutor in the Python that Jupyter runs.").format(path=path), error=True)
    return FINE
