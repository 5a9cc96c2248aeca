"""`normtutor new LESSON`: a small lesson file to start from, which `normtutor check` finds nothing wrong with."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from tutor.commands.support import FINE, FoundWrongError, WrongUseError, add_output_options, say
from tutor.text.i18n import _

TEMPLATE = Path(__file__).with_name("new_lesson.yaml")
PLACEHOLDER = "LESSON"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `new` to the command line."""
    parser = subparsers.add_parser(
        "new",
        help=_("write a small lesson file to start from"),
        description=_(
            "Writes LESSON.yaml with steps of several kinds, in both languages, and comments that explain them. "
            "`normtutor check` finds nothing wrong with it."
        ),
    )
    parser.add_argument("lesson", metavar="LESSON", help=_("the new lesson's id: a-z, 0-9 and -"))
    parser.add_argument("--dir", metavar="DIR", default=".", help=_("where to write it; here if not given"))
    add_output_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Writes the file; 2 for an id that cannot be used and for a file that is there, 1 where it cannot be written."""
    path = Path(args.dir) / f"{_usable(args.lesson)}.yaml"
    text = TEMPLATE.read_text(encoding="utf-8").replace(PLACEHOLDER, args.lesson)
    _refuse_taken_ids(args.lesson, text, path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise WrongUseError(_("{path} is there already, and is left as it is.").format(path=path)) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FoundWrongError(f"{path}: {reason}") from error
    say(_("Written: {path}").format(path=path), f"  normtutor check {path}")
    say(f"  normtutor --course {path.parent} open {args.lesson}")
    return FINE


def _usable(id: str) -> str:
    """The id, if a lesson can have it."""
    from tutor.course.load import BESIDE_LESSONS
    from tutor.course.shape import ID

    if not ID.fullmatch(id) or id.startswith("-"):
        raise WrongUseError(
            _("“{id}” cannot be an id: it holds a-z, 0-9 and -, and begins with a letter or a digit.").format(id=id)
        )
    if f"{id}.yaml" in BESIDE_LESSONS:
        raise WrongUseError(_("{file} is no lesson, so none can have the id “{id}”.").format(file=f"{id}.yaml", id=id))
    return id


def _refuse_taken_ids(lesson: str, text: str, path: Path) -> None:
    """Ids are unique in a course: one that a lesson beside it has would leave one of the two out."""
    from tutor.course.load import load_course
    from tutor.course.lock import ids

    if not path.parent.is_dir() or path.exists():
        return
    taken = ids(load_course(path.parent))
    own = [lesson, *re.findall(r"(?m)^- id: ([a-z0-9-]+)$", text.partition("\nsteps:")[2])]
    if clash := [id for id in own if id in taken]:
        raise WrongUseError(
            _("The course in {directory} has these ids already: {ids}.").format(
                directory=path.parent, ids=", ".join(clash)
            )
        )
