from __future__ import annotations

import stat

import pytest

from tutor.memory.settings import AUTO, FIELDS, Settings, load, parse
from tutor.memory.settings_file import TEMPLATE, NotWrittenError, change

FULL = """\
language = "vi"   # mine
theme = "textual-light"
device = "cpu"

[review]
daily-limit = 12
minutes = 7.5
rollover = 6
time-zone = "Asia/Ho_Chi_Minh"

[keys]
"lesson.next" = "n,ctrl+n"
"""


def problems(text: str) -> list[str]:
    return [str(problem) for problem in parse(text, "s.toml").problems]


def test_all_settings_are_read():
    found = parse(FULL)
    assert found.problems == () and found.there
    assert found.settings == Settings(
        "vi", "textual-light", "cpu", 12, 7.5, 6, "Asia/Ho_Chi_Minh", {"lesson.next": "n,ctrl+n"}
    )
    assert found.settings.days.zone == "Asia/Ho_Chi_Minh" and Settings().days.zone == ""


def test_without_a_file_all_is_as_usual(tmp_path):
    found = load(tmp_path / "none" / "settings.toml")
    assert (found.settings, found.problems, found.there) == (Settings(), (), False)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('language = "fr"', "s.toml:1: language must be"),
        ("language = 3", "s.toml:1: language must be"),
        ("theme = 7", 's.toml:1: theme must be a word in quotes; "auto" is used'),
        (
            "[review]\n\ndaily-limit = 0",
            "s.toml:3: review.daily-limit must be a whole number from 1 to 500; 20 is used",
        ),
        ('[review]\ndaily-limit = "9"', "s.toml:2: review.daily-limit must be"),
        ("[review]\ndaily-limit = true", "s.toml:2: review.daily-limit must be"),
        ("[review]\nminutes = nan", "s.toml:2: review.minutes must be a number from 1 to 240; 10 is used"),
        ("[review]\nrollover = 24", "s.toml:2: review.rollover must be a whole number from 0 to 23; 4 is used"),
        ('[review]\ntime-zone = "Hanoi"', "s.toml:2: review.time-zone must be"),
        ('[review]\ntime-zone = "../../etc/passwd"', "s.toml:2: review.time-zone must be"),
        ("langauge = 'vi'", "s.toml:1: there is no setting langauge; did you mean language?"),
        (
            "[review]\ndaily_limit = 3",
            "s.toml:2: there is no setting review.daily_limit; did you mean review.daily-limit?",
        ),
        ("review = 3", "s.toml:1: [review] must be a section"),
        ('[keys]\n"lesson.next" = 3', "s.toml:2: keys.lesson.next must be keys in quotes"),
        ("[extra]\nx = 1", "s.toml:1: there is no setting extra"),
        ("a = \nb = 2", "s.toml:1: this is not TOML, so all settings have their defaults"),
        ("a = 1\na = 2", "s.toml:2: this is not TOML"),
        ("[" * 3000, "this is not TOML"),
    ],
)
def test_a_bad_value_is_named_with_its_line_and_the_default_is_used(line, message):
    (problem,) = problems(line)
    assert message in problem
    assert parse(line).settings == Settings()


def test_what_is_good_is_used_beside_what_is_bad():
    found = parse(FULL.replace("12", "-1").replace('"vi"', '"fr"'))
    assert len(found.problems) == 2
    assert found.settings == parse(FULL).settings._replace(language=AUTO, daily_limit=20)


def test_files_that_are_none_are_named(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_bytes(b"a = 1\nb = '\xff'\n")
    assert "settings.toml:2: this is not UTF-8" in str(load(file).problems[0])
    file.write_bytes(b"#" * 200_000)
    assert "too large" in str(load(file).problems[0])
    file.unlink()
    file.mkdir()
    assert load(file).settings == Settings() and load(file).problems
    assert load(tmp_path / "settings.toml" / "x" / "y").problems == ()


def test_a_change_leaves_every_comment_and_what_it_does_not_know(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text("# mine\n" + FULL + "\n[other]\nx = 1 # kept\n")
    change("daily_limit", 9, path=file)
    change("language", "en", path=file)
    change("minutes", 15.0, path=file)
    text = file.read_text()
    assert "# mine\n" in text and 'language = "en"   # mine' in text and "x = 1 # kept" in text
    found = load(file).settings
    assert (found.daily_limit, found.language, found.minutes, found.rollover) == (9, "en", 15.0, 6)


def test_a_file_is_made_with_its_explanation_and_what_was_set_before(tmp_path):
    file = tmp_path / "new" / "settings.toml"
    change("theme", "nord", path=file, first={"language": "vi"})
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    found = load(file)
    assert found.problems == ()
    assert found.settings == Settings(language="vi", theme="nord")
    for line in TEMPLATE.splitlines():
        if line.startswith("#"):
            assert line in file.read_text()
    change("language", "en", path=file, first={"theme": "ignored"})
    assert load(file).settings == Settings(language="en", theme="nord")


def test_the_template_has_every_setting_at_its_default():
    assert parse(TEMPLATE) == (Settings(), (), True)
    for field in FIELDS:
        assert f"\n{field.key} = " in TEMPLATE


def test_a_section_that_is_missing_is_added_and_a_key_map_is_written(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text('language = "vi"\n')
    change("rollover", 5, path=file)
    change("keys", {"app.quit": "ctrl+x"}, path=file)
    found = load(file)
    assert found.problems == ()
    assert (found.settings.language, found.settings.rollover, found.settings.keys) == ("vi", 5, {"app.quit": "ctrl+x"})


def test_a_file_that_cannot_be_changed_is_left_as_it_is(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text("not toml =")
    with pytest.raises(NotWrittenError, match=r"settings\.toml"):
        change("language", "vi", path=file)
    assert file.read_text() == "not toml ="
    file.write_text("review = 3\n")
    with pytest.raises(NotWrittenError):
        change("rollover", 5, path=file)
    with pytest.raises(NotWrittenError):
        change("rollover", 5, path=file / "below")
    assert [path.name for path in tmp_path.iterdir()] == ["settings.toml"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "dotfiles").mkdir()
    real = tmp_path / "dotfiles" / "normtutor.toml"
    real.write_text(FULL)
    link = tmp_path / "settings.toml"
    link.symlink_to(real)
    change("language", "en", path=link)
    assert link.is_symlink() and 'language = "en"' in real.read_text()
