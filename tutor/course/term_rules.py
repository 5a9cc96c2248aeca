"""What is wrong with terms.yaml beyond what its types say: a word twice, a step that is not there, no translation."""

from __future__ import annotations

from collections.abc import Iterator

from tutor.course.load import BESIDE_LESSONS
from tutor.course.locate import Places
from tutor.course.model import Course, Finding
from tutor.course.texts import texts
from tutor.course.yaml_lines import quoted, suggestion
from tutor.text.fold import key

LONGEST = 400
"""Characters of a definition: it is read beside something else."""


def term_findings(course: Course, places: Places) -> Iterator[Finding]:
    """The findings about the terms of a course, each with its line."""
    called: dict[str, str] = {}
    steps = {step.id for lesson in course.lessons for step in lesson.own_steps}
    # A lesson that could not be read may have the step.
    complete = all(finding.file.endswith(BESIDE_LESSONS) for finding in course.findings)
    for index, term in enumerate(course.terms):
        names = {key(name.strip()): name for name in (term.name.vi, term.name.en, *term.also)}
        for folded, name in names.items():
            if called.setdefault(folded, term.id) != term.id:
                yield places.of_term(
                    index, term.id, f"{quoted(name)} is a name of {quoted(called[folded])} too", "also"
                )
        if term.step and complete and term.step not in steps:
            message = f"`step` names {quoted(term.step)}, which the course does not have"
            yield places.of_term(index, term.id, message + suggestion(term.step, steps), "step")
        for path, text in texts(term):
            if text.vi == text.en and places.term_is_mapping(index, *path):
                message = "is the same in both languages: translate it, or write it once without `vi` and `en`"
                yield places.of_term(index, term.id, f"`{path[-1]}` {message}", *path)
        for lang, about in (("vi", term.about.vi), ("en", term.about.en)):
            if len(about) > LONGEST:
                message = f"`about` has {len(about)} characters; at most {LONGEST} are read beside something else"
                yield places.of_term(index, term.id, message, "about", lang)
