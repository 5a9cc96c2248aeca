"""The environment variables that normtutor reads, in one place, as `normtutor --help` lists them, with examples."""

from __future__ import annotations

import textwrap

from tutor.text.i18n import N_, _

VARIABLES: dict[str, str] = {
    "NORMTUTOR_LANG": N_("vi or en: the language, instead of the one that was set or the locale's"),
    "NORMTUTOR_DEVICE": N_("cpu, auto, or a GPU by its number or UUID, instead of the one that was set"),
    "NORMTUTOR_HOME": N_("one directory for the history and the settings"),
    "NORMTUTOR_COURSE": N_("another course: its directory, as --course takes it"),
    "NORMTUTOR_TRUST": N_("1: run the code of another course without asking"),
    "NORMTUTOR_ASCII": N_("1: nothing but ASCII on the screen; 0: never so"),
    "NORMTUTOR_PLOT": N_("braille, hd or dot: what curves are drawn with"),
    "NORMTUTOR_SCREEN_READER": N_("1: lines to be read aloud, without boxes and columns"),
}
"""What each is for. Others that are obeyed: NO_COLOR, EDITOR, VISUAL, CUDA_VISIBLE_DEVICES, the XDG directories."""

EXAMPLES = (
    "normtutor",
    "normtutor open variance-prediction",
    "normtutor review --inline --limit 5",
    'echo "pre-ln normalises first" | normtutor grade rq5 -',
    "normtutor lab hidden-variance --arch pre,post --depth 96",
    "srun --pty --gres=gpu:1 normtutor",
)


def epilog(width: int = 80) -> str:
    """The end of `normtutor --help`: examples, the variables, the exit codes."""
    lines = [_("examples:"), *(f"  {example}" for example in EXAMPLES), "", _("environment:")]
    for name, about in VARIABLES.items():
        lines.append(f"  {name}")
        lines += textwrap.wrap(_(about), width, initial_indent=" " * 6, subsequent_indent=" " * 6)
    lines += ["  NO_COLOR, EDITOR, VISUAL, CUDA_VISIBLE_DEVICES, XDG_STATE_HOME, XDG_CONFIG_HOME", ""]
    last = _(
        "Without a command it opens the app where you left it. "
        "Exit codes: 0 fine, 1 found something wrong, 2 wrong use."
    )
    return "\n".join([*lines, *textwrap.wrap(last, width)])
