"""What the graders say, in the language that a verdict is asked for in."""

from __future__ import annotations

from tutor.course.model import Lang, Text
from tutor.text.i18n import translate
from tutor.text.sanitize import sanitize

SHOWN = 60
"""Characters of an answer that are shown again."""


def say(lang: Lang, message: str, /, **values: object) -> str:
    """`message` (marked with `N_` where it is written) in `lang`, filled with `values`."""
    return translate(message, lang).format(**values)


def code(text: str) -> str:
    """What a learner typed, safe to show, as code in Markdown."""
    shown = sanitize(text, limit=SHOWN, newlines=False).replace("`", "'").strip()
    return f"`{shown}`" if shown else "` `"


def paragraphs(*parts: str) -> str:
    """The parts that say something, as Markdown paragraphs."""
    return "\n\n".join(part.strip() for part in parts if part.strip())


def text(part: Text | None, lang: Lang) -> str:
    """A text of the course, empty where there is none."""
    return part.get(lang).strip() if part is not None else ""


def reason(subject: str, why: str) -> str:
    """A line of a list in Markdown: what is meant, and why, where there is a reason."""
    return f"- **{subject.strip()}**: {why}" if why else f"- **{subject.strip()}**"
