import csv
import io
import json
import math
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

SMALL = ("--depth", "6", "--width", "32")


def test_without_a_name_the_experiments_are_listed(normtutor) -> None:
    text = normtutor("lab").stdout
    assert "hidden-variance" in text and "--depth 48" in text and "--arch post,pre" in text
    listed = json.loads(normtutor("lab", "--json").stdout)["experiments"]
    names = {entry["experiment"] for entry in listed}
    asked = "gradient-norms hidden-variance last-layer warmup degradation batch-size mean-shift precision traffic"
    assert names >= set(asked.split())
    assert "khởi tạo" in normtutor("lab", "--lang", "vi").stdout


def test_help_explains_the_parameters_of_one(normtutor) -> None:
    text = " ".join(normtutor("lab", "warmup", "--help").stdout.split())
    assert "--warmup" in text and "steps of warm-up (0 to 10000; default 0,120)" in text
    assert "số bước warm-up" in " ".join(normtutor("lab", "warmup", "--help", "--lang", "vi").stdout.split())


@pytest.mark.slow
def test_the_document_has_the_promised_keys_and_a_line_that_measures_it_again(normtutor) -> None:
    asked = ("lab", "hidden-variance", *SMALL, "--arch", "pre,post", "--seed", "3", "--json")
    document = json.loads(normtutor(*asked).stdout)
    assert document["experiment"] == "hidden-variance" and document["seed"] == 3
    assert document["parameters"]["depth"] == 6
    pre, post = document["curves"]
    assert (pre["label"], pre["arch"], post["arch"]) == ("pre", "pre", "post")
    assert pre["x"] == [0, 1, 2, 3, 4, 5, 6] and len(pre["y"]) == 7
    assert pre["y"][-1] > 3 > post["y"][-1]
    assert "pre" in document["reading"] and document["reading"] == document["readings"]["en"]
    assert [view["view"] for view in document["others"]] == ["rms", "mean"]
    assert document["device"] == "CPU" and document["versions"]["torch"]
    words = document["command"].split()
    assert words[:2] == ["normtutor", "lab"]
    assert json.loads(normtutor(*words[1:], "--json").stdout)["curves"] == document["curves"]


@pytest.mark.slow
def test_the_plot_the_reading_the_line_and_the_pictures(normtutor, tmp_path: Path) -> None:
    svg, png = tmp_path / "plot.svg", tmp_path / "plot.png"
    pictures = ("--svg", svg, "--png", png) if find_spec("resvg_py") else ("--svg", svg)
    done = normtutor("lab", "hidden-variance", *SMALL, "--lang", "vi", "--linear", *pictures)
    assert "pre" in done.stdout and "tầng" in done.stdout and "tăng" in done.stdout
    *text, command = done.stdout.splitlines()
    assert "\x1b" not in done.stdout and max(map(len, text)) <= 80
    assert command.startswith("normtutor lab hidden-variance --arch post,pre --depth 6 --d-model 32")
    assert f"{svg}" in done.stderr
    assert svg.read_text().startswith("<svg") and "variance của hidden state" in svg.read_text()
    assert not find_spec("resvg_py") or png.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_csv_has_one_line_a_point_and_the_band_of_seeds(normtutor) -> None:
    asked = ("lab", "gradient-norms", *SMALL, "--arch", "pre", "--of", "weights", "--csv", "--seeds", "2")
    rows = list(csv.DictReader(io.StringIO(normtutor(*asked).stdout)))
    assert [row["x"] for row in rows] == ["1.0", "2.0", "3.0", "4.0", "5.0", "6.0"]
    assert all(float(row["low"]) <= float(row["y"]) <= float(row["high"]) for row in rows)
    assert all(math.isfinite(float(row["y"])) and row["label"] == row["arch"] == "pre" for row in rows)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("hiden-variance",), "did you mean hidden-variance"),
        (("hidden-variance", "--dpeth", "3"), "hidden-variance has no option --dpeth. Did you mean --depth"),
        (("mean-shift", "--arch", "pre"), "mean-shift has no option --arch"),
        (("hidden-variance", "--depth", "many"), "depth must be a whole number, such as 48, not “many”"),
        (("hidden-variance", "--depth", "0"), "depth must be from 1 to 192, not 0"),
        (("hidden-variance", "--arch", "pre,plian"), "did you mean plain?"),
        (("hidden-variance", "--init", "xaver"), "did you mean xavier?"),
        (("hidden-variance", "--json", "--csv"), "not allowed with"),
        (("hidden-variance", "--depth"), "expected one argument"),
        (("hidden-variance", "--svg", "/nowhere/at/all.svg"), "/nowhere/at is no directory"),
        (("sweep",), "sweep what?"),
        (("sweep", "hidden-variance", "--depth", "6,many"), "not “many”"),
        (("sweep", "hidden-variance", "--jobs", "0"), "--jobs must be at least 1"),
        (("sweep", "precision", "--seed", ",".join(map(str, range(600)))), "600 runs; at most 512"),
    ],
)
def test_wrong_use_is_one_line_that_says_what_would_be_right(normtutor, words: tuple[str, ...], said: str) -> None:
    done = normtutor("lab", *words, code=2)
    assert said in done.stderr and len(done.stderr.splitlines()) == 1


def test_what_is_refused_is_said_in_vietnamese(normtutor) -> None:
    done = normtutor("lab", "hidden-variance", "--depth", "0", "--lang", "vi", code=2)
    assert "depth phải từ 1 đến 192, không phải 0" in done.stderr


@pytest.mark.slow
def test_a_sweep_runs_every_combination(normtutor) -> None:
    asked = ("lab", "sweep", "hidden-variance", "--depth", "2,4", "--arch", "pre+post,deepnorm", "--width", "16")
    document = json.loads(normtutor(*asked, "--json").stdout)
    assert document["sweep"] == {"depth": [2, 4], "arch": [["pre", "post"], ["deepnorm"]]}
    runs = [(run["parameters"]["depth"], run["parameters"]["arch"]) for run in document["runs"]]
    assert runs == [(2, ["pre", "post"]), (4, ["pre", "post"]), (2, ["deepnorm"]), (4, ["deepnorm"])]


@pytest.mark.slow
def test_a_sweep_is_one_plot_and_a_line_a_curve(normtutor, tmp_path: Path) -> None:
    asked = ("lab", "sweep", "hidden-variance", "--depth", "2,4", "--arch", "pre", "--width", "16", "--lang", "vi")
    text = normtutor(*asked, "--svg", tmp_path / "sweep.svg").stdout
    assert "pre, depth 2" in text and "pre, depth 4" in text and "layer" not in text
    assert sum(line.startswith("pre, depth") for line in text.splitlines()) == 2
    assert (tmp_path / "sweep.svg").read_text().count("<polyline") == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [("warmup", "--steps", "20000"), ("sweep", "warmup", "--steps", "20000", "--seed", "1,2")]
)
def test_ctrl_c_ends_a_run_within_half_a_second_and_leaves_nothing(
    environment: dict[str, str], tmp_path: Path, words: tuple[str, ...]
) -> None:
    started = subprocess.Popen(
        [sys.executable, "-P", "-m", "tutor", "lab", *words, "--depth", "2", "--d-model", "16"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    expected = 1 if words[0] != "sweep" else 2
    deadline = time.monotonic() + 60
    while len(below := busy(started.pid)) < expected:
        assert time.monotonic() < deadline and started.poll() is None
    began = time.monotonic()
    started.send_signal(signal.SIGINT)
    assert started.wait(10) == 130
    assert time.monotonic() - began < 0.5
    assert not [pid for pid in below if alive(pid)]
    _out, err = started.communicate()
    assert b"Traceback" not in err


def busy(parent: int) -> list[int]:
    """The processes below `parent` that have loaded torch."""
    found = []
    for pid in descendants(parent):
        try:
            loaded = "libtorch" in Path(f"/proc/{pid}/maps").read_text()
        except OSError:
            continue
        found += [pid] if loaded else []
    return found


def descendants(parent: int) -> list[int]:
    found: list[int] = []
    todo = [parent]
    while todo:
        for task in Path(f"/proc/{todo.pop()}/task").glob("*/children"):
            try:
                below = [int(word) for word in task.read_text().split()]
            except OSError:
                continue
            found += below
            todo += below
    return found


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
