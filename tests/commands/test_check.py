import json
from pathlib import Path

import pytest

from tutor.commands.verify import markdown_issues


@pytest.fixture
def edit(course: Path):
    """Replaces a piece of the sound lesson; returns the line that it is on."""

    def replace(old: str, new: str) -> int:
        path = course / "tiny.yaml"
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, old
        path.write_text(text.replace(old, new), encoding="utf-8")
        return text[: text.index(old)].count("\n") + 1

    return replace


def test_a_sound_course_has_no_findings(normtutor) -> None:
    assert "Nothing wrong" in normtutor("check", "--fast").stdout
    assert json.loads(normtutor("check", "--fast", "--json").stdout) == {"findings": []}


@pytest.mark.parametrize(
    ("old", "new", "step", "says"),
    [
        ("- id: tiny-text\n  kind: text\n", "- id: tiny-text\n  kind: text\n  bodi: x\n", "tiny-text", "did you mean"),
        ('vi: "Căn $\\\\sqrt{2}$."', 'vi: "Căn $\\\\sqrd{2}$."', "tiny-text", "sqrd"),
        ('en: "The root $\\\\sqrt{2}$."', 'en: "The root $\\\\sqrt{2}."', "tiny-text", "`$`"),
        ('"x -> LN -> Sub -> +; x -> +"', '"x -> LN -> "', "tiny-text", "the flow"),
        ("claims: [root]", "claims: [rot]", "tiny-choice", "claims.yaml has no `rot`"),
        ("answer: sqrt((a**2 + b**2) / 2)", "answer: sqrt(a - b)", "tiny-number", "has no value for a = 3, b = 4"),
        ('value: "sqrt(a**2 + b**2)"', 'value: "sqrt(a**2 + b**2) / 1.4142"', "tiny-number", "is right for a = 3"),
        ('any: ["CAT: MEOW"]', 'any: ["CAT: & MEOW"]', "tiny-short", "CAT: & MEOW"),
        ('any: ["CAT: MEOW"]', 'any: ["CAT: MOO"]', "tiny-short", "MOO"),
        ("{text: the cat meows, verdict: right}", "{text: it rains, verdict: right}", "tiny-short", "not right"),
        (
            "en: Cats meow.}\n  samples",
            "en: Cats bark.}\n  samples",
            "tiny-short",
            "the model answer (en) is graded wrong",
        ),
    ],
)
def test_each_kind_of_fault_is_found_with_its_line(normtutor, edit, old: str, new: str, step: str, says: str) -> None:
    line = edit(old, new) + new.count("\n  bodi") * 2
    findings = json.loads(normtutor("check", "--fast", "--json", code=1).stdout)["findings"]
    (first, *_more) = [finding for finding in findings if finding["file"].endswith("tiny.yaml")]
    assert says in first["message"], findings
    assert (first["line"], first["step"]) == (line, step)
    text = normtutor("check", "--fast", code=1).stdout
    assert f"tiny.yaml:{line}: " in text and text.splitlines()[-1].startswith(f"{len(findings)} finding")


def test_a_wrong_value_that_another_one_hides_is_found(normtutor, edit) -> None:
    first = '  - {value: "sqrt(a**2 + b**2)"'
    doubled = "  - {value: a * a + b, say: {vi: d, en: c}}\n  - {value: a * 3 + b, say: {vi: b, en: a}}\n"
    line = edit(first, doubled + first)
    (finding,) = json.loads(normtutor("check", "--fast", "--json", code=1).stdout)["findings"]
    assert (finding["line"], finding["step"]) == (line + 1, "tiny-number")
    assert "`a * 3 + b` is also `a * a + b` for a = 3" in finding["message"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("    base + 2\n", "    base + two\n", "name 'two' is not defined"),
        ("    larger = base + 1\n", "    larger = base\n", "exactly one option must come true: none did"),
        ('true_if: "larger > base"', 'true_if: "bigger > base"', "bigger"),
        (
            "  code: |\n    base = 40",
            "  finishes_within: 1.0e-9\n  code: |\n    base = 40",
            "longer than `finishes_within`",
        ),
    ],
)
def test_cells_are_verified_by_running_them(normtutor, edit, old: str, new: str, says: str) -> None:
    line = edit(old, new)
    assert normtutor("check", "--fast").stdout
    findings = json.loads(normtutor("check", "--json", code=1).stdout)["findings"]
    assert says in findings[0]["message"]
    assert abs(findings[0]["line"] - line) <= 3


def test_a_path_may_be_a_file_of_another_course(normtutor, course: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "tiny.yaml").write_text((course / "tiny.yaml").read_text().replace("minutes: 1", "minutes: 0"))
    findings = json.loads(normtutor("check", "--fast", alone / "tiny.yaml", "--json", code=1).stdout)["findings"]
    assert [finding["message"] for finding in findings] == ["`minutes` must be at least 1"]
    assert "tiny.yaml" in normtutor("check", course, "--lang", "vi", "--fast", alone, code=1).stdout


@pytest.mark.parametrize(
    "content", [b"", b"\x00\x01", b"id: [", b"- a\n- b\n", b"id: &a *a\n", "id: mèo\n".encode("utf-16"), b"{" * 5000]
)
def test_whatever_a_file_holds_is_a_finding(normtutor, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.yaml").write_bytes(content)
    assert "bad.yaml:" in normtutor("check", "bad.yaml", code=1).stdout


def test_a_path_that_is_not_there_is_wrong_use_and_an_empty_course_a_finding(normtutor, tmp_path: Path) -> None:
    assert "nowhere.yaml" in normtutor("check", "nowhere.yaml", code=2).stderr
    (tmp_path / "empty").mkdir()
    assert "no lesson here" in normtutor("check", "empty", code=1).stdout


@pytest.mark.parametrize(
    ("markdown", "row", "says"),
    [
        ("a\nb **c", 2, "`**`"),
        ("a\n\n```\ncode", 1, "not closed"),
        ("see ![x](y.png)", 1, "image"),
        ("a<br>b", 1, "<br>"),
        ("a\n\n| b | c |\n| d | e |", 3, "table"),
        ("a\n\n$$\n\\frac{1}{\n$$", 3, "cannot be shown"),
        ("a $x $ b", 1, "`$`"),
        ("$$\n\\underbrace{" + "x" * 90 + "}\n$$", 1, ""),
    ],
)
def test_markdown_that_would_be_shown_wrongly(markdown: str, row: int, says: str) -> None:
    (found, *_more) = markdown_issues(markdown)
    assert found[0] == row and says in found[1]


@pytest.mark.parametrize(
    "markdown",
    ["**b** and *i* and `a**2 $x` \\$5", "| a | b |\n|---|---|\n| $x$ | 2 |", "```\n$ ** <br>\n```", "$$\nx = 1\n$$"],
)
def test_markdown_that_is_well(markdown: str) -> None:
    assert list(markdown_issues(markdown)) == []


def test_a_claim_that_is_taught_nowhere_fails_a_course_and_not_a_file(normtutor, course: Path, edit) -> None:
    edit("  claims: [root]\n", "")
    (finding,) = json.loads(normtutor("check", "--fast", "--json", code=1).stdout)["findings"]
    assert finding["file"].endswith("claims.yaml") and "no step teaches it" in finding["message"]
    assert "Nothing wrong" in normtutor("check", "--fast", course / "tiny.yaml").stdout


def test_ids_are_published_when_nothing_is_wrong(normtutor, course: Path, edit) -> None:
    assert "7 new ids published." in normtutor("check", "--fast", "--publish").stderr
    assert "tiny-cell cell\n" in (course / "ids.lock").read_text()
    edit("- id: tiny-cell\n", "- id: tiny-cells\n")
    done = normtutor("check", "--fast", "--publish", code=1)
    assert "ids.lock:" in done.stdout and "did you mean `tiny-cells`?" in done.stdout
    assert "Nothing was published" in done.stderr
    assert "a directory with a claims.yaml" in normtutor("check", "--publish", course / "tiny.yaml", code=2).stderr
    assert normtutor("check", "--fast", "--run", code=2).stderr
