"""Code of a foreign course runs only once its very content has been agreed to."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tutor.course.load import course_root
from tutor.memory import trust
from tutor.memory.places import state_directory


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NORMTUTOR_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(trust.VARIABLE, raising=False)
    monkeypatch.delenv("NORMTUTOR_COURSE", raising=False)
    root = tmp_path / "course"
    root.mkdir()
    (root / "one.yaml").write_text("id: one\n", encoding="utf-8")
    (root / "claims.yaml").write_text("[]\n", encoding="utf-8")
    return root


def test_the_projects_own_course_never_asks(course: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    own = course_root()
    assert trust.trusted() and trust.trusted(own) and trust.trusted(own / "depth.yaml")
    (tmp_path / "link").symlink_to(own)
    monkeypatch.setenv("NORMTUTOR_COURSE", str(tmp_path / "link"))
    assert trust.trusted()
    assert not trust.trusted(own.parent) and not (state_directory() / trust.DIRECTORY).exists()


def test_another_asks_until_it_is_agreed_to(course: Path) -> None:
    assert not trust.trusted(course)
    trust.remember(course)
    trust.remember(course)
    assert trust.trusted(course)
    (kept,) = (state_directory() / trust.DIRECTORY).iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    assert str(course) in kept.read_text(encoding="utf-8")


@pytest.mark.parametrize("change", ["edited", "added", "renamed", "swapped", "removed"])
def test_whatever_changes_it_asks_again(course: Path, change: str) -> None:
    trust.remember(course)
    one, claims = course / "one.yaml", course / "claims.yaml"
    match change:
        case "edited":
            one.write_text("id: one \n", encoding="utf-8")
        case "added":
            (course / "two.yaml").write_text("", encoding="utf-8")
        case "renamed":
            one.rename(course / "two.yaml")
        case "swapped":
            texts = one.read_bytes(), claims.read_bytes()
            one.write_bytes(texts[1])
            claims.write_bytes(texts[0])
        case "removed":
            claims.unlink()
    assert not trust.trusted(course)


def test_what_is_no_part_of_it_does_not_count(course: Path) -> None:
    trust.remember(course)
    (course / "notes.md").write_text("x", encoding="utf-8")
    course.rename(course.with_name("moved"))
    assert trust.trusted(course.with_name("moved"))


def test_one_file_of_it_counts_with_what_lies_beside_it(course: Path) -> None:
    trust.remember(course)
    assert trust.trusted(course / "one.yaml")
    (course / "two.yaml").write_text("", encoding="utf-8")
    assert not trust.trusted(course / "one.yaml")


def test_scripts_agree_by_the_environment(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(trust.VARIABLE, "0")
    assert not trust.trusted(course)
    monkeypatch.setenv(trust.VARIABLE, "1")
    assert trust.trusted(course)
    monkeypatch.delenv(trust.VARIABLE)
    assert not trust.trusted(course), "nothing was remembered"


def test_what_cannot_be_read_is_not_trusted(course: Path) -> None:
    assert not trust.trusted(course / "gone" / "deeper")
    (course / "home").write_text("", encoding="utf-8")
    assert not trust.trusted(Path("/proc/self/mem"))
