import json

import pytest

SMALL = ("--op", "rms_norm", "--columns", "64", "--elements", "1024")
PROMISED = {"op", "backend", "dtype", "rows", "columns", "seconds", "gb_per_s", "of_copy"}


@pytest.mark.slow
def test_the_document_has_the_promised_keys(normtutor) -> None:
    document = json.loads(normtutor("bench", *SMALL, "--json", CUDA_VISIBLE_DEVICES="").stdout)
    assert document["device"] == "CPU" and document["mode"] == "interpreter"
    assert [row["backend"] for row in document["rows"]] == ["torch", "interpreter", "eager", "torch"]
    assert all(row.keys() >= PROMISED and row["seconds"] > 0 for row in document["rows"])


@pytest.mark.slow
def test_the_table_and_the_plot(normtutor) -> None:
    done = normtutor("bench", *SMALL, "--lang", "vi", CUDA_VISIBLE_DEVICES="")
    assert "rms_norm, fp32, ms" in done.stdout and "interpreter" in done.stdout
    assert "Không có GPU" in done.stdout
    assert "\x1b" not in done.stdout and done.stderr == ""
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.slow
def test_wrong_use_is_told(normtutor) -> None:
    assert "unknown: fp8" in normtutor("bench", "--dtype", "fp8", code=2).stderr
