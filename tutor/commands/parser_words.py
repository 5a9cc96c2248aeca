"""The words that argparse has of its own, in the learner's language."""

from __future__ import annotations

import argparse

from tutor.text.i18n import N_, _

WORDS = (
    N_("usage: "),
    N_("positional arguments"),
    N_("options"),
    N_("show this help message and exit"),
    N_("show program's version number and exit"),
    N_("argument %(argument_name)s: %(message)s"),
    N_("the following arguments are required: %s"),
    N_("one of the arguments %s is required"),
    N_("not allowed with argument %s"),
    N_("expected one argument"),
    N_("expected at most one argument"),
    N_("expected at least one argument"),
    N_("ignored explicit argument %r"),
    N_("unrecognized arguments: %s"),
    N_("ambiguous option: %(option)s could match %(matches)s"),
    N_("invalid %(type)s value: %(value)r"),
    N_("invalid choice: %(value)r (choose from %(choices)s)"),
    N_("%(prog)s: error: %(message)s\n"),
)
"""What argparse asks gettext for, spelt as it does: a word that a later Python spells otherwise stays English."""


def translate_argparse() -> None:
    """Lets argparse look its words up in normtutor's catalogue: its own lookup knows only the system's languages.

    It has no parameter for this. A word without a translation is left as it is.
    """
    argparse._ = _  # type: ignore[attr-defined]
