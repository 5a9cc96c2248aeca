"""terms.yaml: what is wrong with it has a line, and a lesson from elsewhere has ours to look up."""

from __future__ import annotations

from pathlib import Path

import pytest

from tutor.commands.static import static_findings
from tutor.course.load import load_course
from tutor.course.scope import scope_of

LESSON = "id: one\ntitle: One\nminutes: 1\nsteps:\n- {id: here, kind: text, body: x}\n"
GOOD = "- {id: alpha, name: Alpha, also: [al], about: {vi: Chữ đầu., en: The first letter.}, step: here}\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "one.yaml").write_text(LESSON, encoding="utf-8")
    return tmp_path


def found(root: Path, terms: str, file: str = "") -> list[str]:
    (root / "terms.yaml").write_text(terms, encoding="utf-8")
    return [f"{finding.line}: {finding.message}" for finding in static_findings(scope_of(root / file))]


def test_sound_terms_have_no_findings(root: Path) -> None:
    assert found(root, GOOD) == []
    assert found(root, GOOD, "terms.yaml") == []
    assert [term.id for term in load_course(root).terms] == ["alpha"]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("- {id: alpha, name: Other, about: x}", "the id `alpha` is already"),
        ("- {id: beta, name: AL, about: x}", "is a name of `alpha` too"),
        ("- {id: beta, name: Beta, about: x, step: hear}", "did you mean `here`?"),
        ("- {id: beta, name: {vi: Beta, en: Beta}, about: x}", "`name` is the same in both languages"),
        ("- {id: beta, name: Beta, about: '$\\nosuch{x}$'}", "cannot be shown"),
        ("- {id: beta, name: Beta, about: {vi: a, en: recieve}}", "recieve"),
        (f"- {{id: beta, name: Beta, about: {'x ' * 300}}}", "at most 400"),
        ('- {id: beta, name: Beta, about: "a\\x07b"}', "U+0007"),
        ("- {id: beta, name: Beta}", "`about` is missing"),
        ("- {id: beta, name: Beta, about: x, wher: y}", "wher"),
    ],
)
def test_each_fault_is_named_with_its_line(root: Path, entry: str, said: str) -> None:
    findings = found(root, f"{GOOD}{entry}\n")
    assert findings and all(finding.startswith("2: ") for finding in findings), findings
    assert any(said in finding for finding in findings), findings
    assert found(root, f"{GOOD}{entry}\n", "terms.yaml") == findings
    assert found(root, f"{GOOD}{entry}\n", "one.yaml") == []


def test_a_course_without_terms_has_those_of_ours(root: Path) -> None:
    course = load_course(root)
    assert {"layer-norm", "rms-norm", "warm-up"} <= {term.id for term in course.terms}
    assert [str(finding) for finding in static_findings(scope_of(root))] == []
