"""`normtutor schema [FILE]`: the JSON Schema of lesson files, for editors."""

from __future__ import annotations

import argparse

from tutor.commands.support import FINE, add_output_options, print_json
from tutor.text.i18n import _

KINDS = ("lesson", "claims", "glossary", "terms")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `schema` to the command line."""
    parser = subparsers.add_parser("schema", help=_("print the JSON Schema of lesson files, for editors"))
    parser.add_argument("kind", metavar="FILE", nargs="?", default="lesson", choices=KINDS, help=", ".join(KINDS))
    add_output_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the schema."""
    from tutor.course.schema import schema

    print_json(schema(args.kind))
    return FINE
