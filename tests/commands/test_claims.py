import json

from tutor.course.load import load_course
from tutor.memory import events
from tutor.memory.journal import Journal
from tutor.memory.measured import noted


def test_all_claims_are_listed_with_what_teaches_them(normtutor) -> None:
    text = normtutor("claims").stdout
    assert "✓ root  derive   tiny-choice\n" in text and "✓ It holds as it is said.\n" in text
    assert "✓ Đúng như đã nói." in normtutor("claims", "--lang", "vi").stdout
    (claim,) = json.loads(normtutor("claims", "--json").stdout)["claims"]
    assert claim["id"] == "root" and claim["from"] == "here" and claim["note"] == ""
    assert claim["taught"] == [{"lesson": "tiny", "step": "tiny-choice", "kind": "choice"}]


def test_a_claim_a_step_or_a_lesson_can_be_asked_for(normtutor) -> None:
    for id in ("root", "tiny-choice", "tiny"):
        assert "│ The root of two is irrational.\n\nFrom: here\n" in normtutor("claims", id).stdout
    assert "no claim" in normtutor("claims", "tiny-text").stdout
    assert "Did you mean" in normtutor("claims", "tiny-choise", code=2).stderr


def test_what_was_measured_here_is_told(normtutor, course, tmp_path) -> None:
    lesson = (course / "tiny.yaml").read_text(encoding="utf-8")
    figures = "  claims: [root]\n  figures:\n    base: {value: base, low: 30, high: 50}\n  code: |\n    base = 40\n"
    (course / "tiny.yaml").write_text(lesson.replace("  code: |\n    base = 40\n", figures), encoding="utf-8")
    found = load_course(course).find("tiny-cell")
    assert found is not None
    step = found[0].steps[found[1]]
    with Journal(tmp_path / "home") as journal:
        journal.append(events.RAN, step=step.id, ok=True, **noted(step, {"base": 40.0}))
    assert "base: 40 (in the course: 30 to 50)" in normtutor("claims", "root").stdout
    (claim,) = json.loads(normtutor("claims", "root", "--json").stdout)["claims"]
    assert claim["measured"] == [
        {"step": "tiny-cell", "ran": True, "predicted": None, "outcome": [], "figures": {"base": 40.0}}
    ]
