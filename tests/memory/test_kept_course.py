"""The kept course is the course of now, or it is not taken."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from tutor.course import load
from tutor.course.model import Course
from tutor.memory import kept_course
from tutor.memory.kept_course import FILE, SIZE, read_course

LESSON = """\
id: one
title: {title}
minutes: 1
steps:
- id: first
  kind: text
  body: {{vi: Một, en: One}}
"""


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where the course is kept; the course has one lesson."""
    monkeypatch.setenv("NORMTUTOR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NORMTUTOR_COURSE", str(tmp_path / "course"))
    (tmp_path / "course").mkdir()
    write(tmp_path, "A")
    return tmp_path / "home" / FILE


def write(tmp_path: Path, title: str) -> None:
    (tmp_path / "course" / "one.yaml").write_text(LESSON.format(title=title))


def title() -> str:
    return read_course().lessons[0].title.en


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> list[Path | None]:
    """How often the YAML was read."""
    reads: list[Path | None] = []
    really = load.load_course

    def counted(root: Path | None = None) -> Course:
        reads.append(root)
        return really(root)

    monkeypatch.setattr(load, "load_course", counted)
    return reads


def test_the_own_course_comes_back_whole_and_is_its_owners_alone(
    monkeypatch: pytest.MonkeyPatch, kept: Path, unread: list[Path | None]
) -> None:
    monkeypatch.delenv("NORMTUTOR_COURSE")
    first = read_course()
    assert read_course() == first
    assert len(unread) == 1
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_a_change_that_time_and_size_do_not_show_is_seen(kept: Path, unread: list[Path | None], tmp_path: Path) -> None:
    path = tmp_path / "course" / "one.yaml"
    assert title() == "A"
    before = path.stat()
    write(tmp_path, "B")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert title() == "B"
    assert title() == "B"
    assert len(unread) == 2


def test_another_course_another_glossary_another_version_is_read(
    monkeypatch: pytest.MonkeyPatch, kept: Path, unread: list[Path | None], tmp_path: Path
) -> None:
    title()
    shutil.copytree(tmp_path / "course", tmp_path / "other")
    monkeypatch.setenv("NORMTUTOR_COURSE", str(tmp_path / "other"))
    assert read_course().directory == str(tmp_path / "other")
    (tmp_path / "other" / "glossary.yaml").write_text("MEAN: {en: [mean]}\n")
    assert set(read_course().glossary) == {"MEAN"}
    monkeypatch.setattr(kept_course, "__version__", "0")
    title()
    assert len(unread) == 4


@pytest.mark.parametrize("harm", ["cut", "flipped", "empty", "nonsense", "link", "directory", "pipe", "open", "forged"])
def test_a_kept_file_that_is_not_whole_and_ours_is_as_good_as_none(
    kept: Path, unread: list[Path | None], harm: str
) -> None:
    title()
    data = kept.read_bytes()
    kept.unlink()
    match harm:
        case "link":
            (kept.parent / "elsewhere").write_bytes(data)
            kept.symlink_to("elsewhere")
        case "directory":
            kept.mkdir()
        case "pipe":
            os.mkfifo(kept)
        case "open":
            kept.write_bytes(data)
            kept.chmod(0o666)
        case "forged":
            body = b"\x93\x01\x02\x03"
            kept.write_bytes(data[:SIZE] + kept_course.HASH(body).digest() + body)
        case _:
            harmed = {"cut": data[:-1], "flipped": data[:-2] + b"??", "empty": b"", "nonsense": b"\xff" * 500}
            kept.write_bytes(harmed[harm])
    assert title() == "A"
    assert len(unread) == 2
    if harm != "directory":  # which nobody but its owner can put there
        assert kept.read_bytes() == data and not kept.is_symlink()
        assert title() == "A"
        assert len(unread) == 2


def test_where_nothing_can_be_kept_the_course_is_read(kept: Path, unread: list[Path | None], tmp_path: Path) -> None:
    (tmp_path / "home").write_text("no directory")
    assert title() == title() == "A"
    assert len(unread) == 2


def test_what_is_wrong_with_a_course_is_told_every_time(kept: Path, unread: list[Path | None], tmp_path: Path) -> None:
    (tmp_path / "course" / "two.yaml").write_text("id: two\n")
    assert read_course().findings and read_course().findings
    assert not kept.exists()
    (tmp_path / "course" / "two.yaml").unlink()
    os.mkfifo(tmp_path / "course" / "two.yaml")
    assert read_course().findings
    assert len(unread) == 3
