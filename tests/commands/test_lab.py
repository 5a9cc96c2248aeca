import csv
import io
import json
import math

import pytest

SMALL = ("--depth", "6", "--width", "32")


def test_without_a_name_the_experiments_are_listed(normtutor) -> None:
    text = normtutor("lab").stdout
    assert "hidden-variance" in text and "--depth 48" in text and "--arch post,pre" in text
    listed = json.loads(normtutor("lab", "--json").stdout)["experiments"]
    assert {entry["experiment"] for entry in listed} >= {"hidden-variance", "gradient-norms"}
    assert "khởi tạo" in normtutor("lab", "--lang", "vi").stdout


@pytest.mark.slow
def test_the_document_has_the_promised_keys(normtutor) -> None:
    document = json.loads(
        normtutor("lab", "hidden-variance", *SMALL, "--arch", "pre,post", "--seed", "3", "--json").stdout
    )
    assert document["experiment"] == "hidden-variance" and document["seed"] == 3
    assert document["parameters"]["depth"] == 6
    pre, post = document["curves"]
    assert (pre["label"], pre["arch"], post["arch"]) == ("pre", "pre", "post")
    assert pre["x"] == [0, 1, 2, 3, 4, 5, 6] and len(pre["y"]) == 7
    assert pre["y"][-1] > 3 > post["y"][-1]
    assert "pre" in document["reading"] and document["reading"] == document["readings"]["en"]


@pytest.mark.slow
def test_the_plot_the_reading_and_the_axis(normtutor) -> None:
    done = normtutor("lab", "hidden-variance", *SMALL, "--lang", "vi")
    assert "pre" in done.stdout and "layer" in done.stdout and "tăng" in done.stdout
    assert "\x1b" not in done.stdout and done.stderr == ""
    assert max(map(len, done.stdout.splitlines())) <= 80
    plot = done.stdout.split("\n\n")[0]
    assert normtutor("lab", "hidden-variance", *SMALL, "--linear").stdout.split("\n\n")[0] != plot


@pytest.mark.slow
def test_csv_has_one_line_a_point(normtutor) -> None:
    text = normtutor("lab", "gradient-norms", *SMALL, "--arch", "pre", "--of", "weights", "--csv").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["x"] for row in rows] == ["1.0", "2.0", "3.0", "4.0", "5.0", "6.0"]
    assert all(math.isfinite(float(row["y"])) and row["label"] == row["arch"] == "pre" for row in rows)


def test_wrong_use_says_what_there_is(normtutor) -> None:
    assert "Did you mean hidden-variance" in normtutor("lab", "hiden-variance", code=2).stderr
    assert "has no option --of" in normtutor("lab", "hidden-variance", "--of", "weights", code=2).stderr
    assert normtutor("lab", "hidden-variance", "--depth", "many", code=2).stderr
    assert normtutor("lab", "hidden-variance", "--json", "--csv", code=2).stderr


@pytest.mark.slow
@pytest.mark.parametrize("options", [("--arch", "pre,plian"), ("--depth", "0"), ("--init", "xaver")])
def test_what_the_experiment_refuses_is_wrong_use(normtutor, options: tuple[str, str]) -> None:
    done = normtutor("lab", "hidden-variance", *options, code=2)
    assert done.stderr.startswith("normtutor: hidden-variance: ") and len(done.stderr.splitlines()) == 1


def test_every_experiment_and_refusal_is_told_in_vietnamese() -> None:
    from kernels.experiments import EXPERIMENTS
    from tutor.commands.lab_texts import ABOUT, refusal
    from tutor.text.i18n import set_language, translate

    assert ABOUT.keys() == EXPERIMENTS.keys()
    assert all(translate(about, "vi") != about for about in ABOUT.values())
    set_language("vi")
    try:
        assert refusal("x: depth must be at least 1, not 0") == "x: depth phải từ 1 trở lên, không phải 0"
        near = refusal("x: unknown arch 'plian': did you mean 'plain'? It is one of plain, pre")
        assert near == "x: không có arch “plian”: ý bạn là “plain”? Các lựa chọn: plain, pre"
        assert refusal("x: unknown init 'zzz': It is one of a, b") == "x: không có init “zzz”. Các lựa chọn: a, b"
        assert refusal("x: something else") == "x: something else"
    finally:
        set_language("en")
