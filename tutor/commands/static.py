"""What `normtutor check` finds without running anything: structure, texts, claims, published ids, spelling."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tutor.commands.verify import prose_issues, verify, verify_claims
from tutor.course.languages import untranslated_claims
from tutor.course.ledger import ledger
from tutor.course.lint import lint
from tutor.course.load import CLAIMS, TERMS, shown
from tutor.course.locate import Places
from tutor.course.lock import lock_issues
from tutor.course.model import Finding
from tutor.course.rules import clean
from tutor.course.scope import Scope, is_lesson_file
from tutor.course.spelling import Spelling
from tutor.course.term_rules import term_findings
from tutor.course.texts import texts


def static_findings(scope: Scope) -> list[Finding]:
    """The findings about what is checked. Never raises for what the files say."""
    course = scope.course
    found = [*scope.findings, *lint(course, scope.lessons)]
    lines = {(finding.file, finding.line) for finding in found}
    # What the lint has said of a line is not said again in other words.
    found += [finding for finding in verify(course, scope.lessons) if (finding.file, finding.line) not in lines]
    found += _spelling(scope)
    if scope.whole:
        found += [*ledger(course), *_claims(scope), *lock_issues(course)]
    elif scope.path.name == CLAIMS:
        found += [finding for finding in _claims(scope) if scope.holds(finding)]
    if scope.path.is_dir() or scope.path.name == TERMS:
        found += _terms(scope)
    if not scope.lessons and not scope.findings and is_lesson_file(scope.path):
        found.append(Finding(shown(scope.path), 1, None, "there is no lesson here: no .yaml file"))
    return found


def _claims(scope: Scope) -> Iterator[Finding]:
    """What is wrong with the texts of the claims themselves."""
    course, places = scope.course, Places(scope.course)
    yield from untranslated_claims(course, places)
    yield from verify_claims(course)
    spelling = Spelling(Path(course.directory))
    for id, claim in course.claims.items():
        for issue in (*clean(claim), *spelling.issues(claim)):
            yield places.of_claim(id, issue.message, *issue.path, row=issue.row)


def _terms(scope: Scope) -> Iterator[Finding]:
    """What is wrong with the words to look up, where the course has some of its own."""
    course, places = scope.course, Places(scope.course)
    if not course.directory or not places.terms_file.is_file():
        return
    yield from term_findings(course, places)
    spelling = Spelling(Path(course.directory))
    for index, term in enumerate(course.terms):
        for issue in (*clean(term), *spelling.issues(term)):
            yield places.of_term(index, term.id, issue.message, *issue.path, row=issue.row)
        for path, text in texts(term):
            for where, row, message in prose_issues(text, path):
                yield places.of_term(index, term.id, message, *where, row=row)


def _spelling(scope: Scope) -> Iterator[Finding]:
    places = Places(scope.course)
    directory = scope.path if scope.path.is_dir() else scope.path.parent
    spelling = Spelling(directory)
    for lesson in scope.lessons:
        for issue in spelling.issues(lesson, but=("steps",)):
            yield places.finding(lesson, None, issue.message, *issue.path, row=issue.row)
        for step in lesson.own_steps:
            for issue in spelling.issues(step):
                yield places.finding(lesson, step, issue.message, *issue.path, row=issue.row)
