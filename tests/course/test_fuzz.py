"""Whatever is in the files of a course, `check` says where it is wrong, and never fails itself."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.course.conftest import CLAIMS, GLOSSARY, HEAD, STEPS
from tutor.commands.static import static_findings
from tutor.course.lock import publish
from tutor.course.scope import scope_of

DOCUMENT = (Path(__file__).parents[2] / "docs" / "lesson-format.md").read_text(encoding="utf-8")
EXAMPLES = [
    step
    for block in re.findall(r"```yaml\n(.*?)```", DOCUMENT, re.DOTALL)
    for step in re.split(r"(?m)^(?=- id: )", block)
    if "\n  kind: " in step
]
"""A step of each kind, with all its fields."""
LOCK = "stream text\ntry-it cell\nsound lesson\n"
WORDS = "layernorm\n"
FILES = {"claims.yaml": CLAIMS, "glossary.yaml": GLOSSARY, "ids.lock": LOCK, "words.txt": WORDS}

NOISE = st.text("{}[]:,-'\"|>#&*!$`\\%? \n\taé0\x00\x1b\ud7ff\U0010ffff", max_size=4)
VALUES = st.sampled_from(
    ["", "[]", "{}", "0", "-1", "1.0e+308", "''", '"$"', "'$\\frac{'", "x", "null", "true", "[[]]", "{vi: a, en: a}",
     "'{{a.b}}'", "'{{try-it.x}} $x^{'", "|\n    ```\n    {{x", "'\\'", "9" * 400]
)  # fmt: skip


def damaged(data: st.DataObject, text: str) -> str:
    """A text with a few characters, or values, or lines, of it replaced."""
    for _ in range(data.draw(st.integers(1, 3))):
        match data.draw(st.sampled_from(["characters", "value", "line"])):
            case "characters":
                at = data.draw(st.integers(0, len(text)))
                text = text[:at] + data.draw(NOISE) + text[at + data.draw(st.integers(0, 30)) :]
            case "value":
                ends = [found.end() for found in re.finditer(r": ", text)]
                if ends:
                    at = data.draw(st.sampled_from(ends))
                    rest = re.sub(r"^[^\n,}]*", "", text[at:], count=1)
                    text = text[:at] + data.draw(VALUES) + rest
            case "line":
                lines = text.split("\n")
                del lines[data.draw(st.integers(0, len(lines) - 1))]
                text = "\n".join(lines)
    return text


def sound_whatever_it_says(files) -> None:
    scope = scope_of(files.root)
    for finding in static_findings(scope):
        text = Path(finding.file).read_bytes()
        assert finding.message and 1 <= finding.line <= text.count(b"\n") + 1, finding
    static_findings(scope_of(files.root / "sound.yaml"))
    publish(scope.course)


MANY = int(os.environ.get("NORMTUTOR_FUZZ", "30"))
"""Examples of each test; more by hand."""
FUZZ = settings(max_examples=MANY, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@FUZZ
@given(data=st.data())
def test_a_damaged_step_of_any_kind(files, data):
    name = data.draw(st.integers(0, len(EXAMPLES) - 1))
    files.write(HEAD + damaged(data, EXAMPLES[name]))
    sound_whatever_it_says(files)


@FUZZ
@given(data=st.data())
def test_damaged_files_beside_a_lesson(files, data):
    files.write(files.sound())
    name = data.draw(st.sampled_from(sorted(FILES)))
    for file, text in FILES.items():
        files.write(damaged(data, text) if file == name else text, file)
    sound_whatever_it_says(files)


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"\x00" * 100, b"{" * 3000, b"- " * 3000, b"a: &a [*a]", b"? : :\n"]
)
@pytest.mark.parametrize("name", ["sound.yaml", *FILES])
def test_files_that_are_nothing(files, name, content):
    files.write(files.sound())
    files.write(content, name)
    sound_whatever_it_says(files)


def test_directories_and_links_in_the_place_of_files(files):
    files.write(files.sound())
    for name in FILES:
        (files.root / name).unlink(missing_ok=True)
    (files.root / "ids.lock").mkdir()
    (files.root / "words.txt").symlink_to(files.root / "words.txt")
    (files.root / "claims.yaml").mkdir()
    (files.root / "glossary.yaml").symlink_to("nowhere")
    assert [finding.message for finding in static_findings(scope_of(files.root))]


def test_the_examples_are_of_every_kind():
    kinds = {re.search(r"kind: (\w+)", step)[1] for step in EXAMPLES}
    assert kinds >= {*STEPS, "multi", "order", "flow", "formula", "exercise", "claim", "break"}
