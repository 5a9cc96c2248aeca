"""What a user gets who has only the wheel, and what `make` says on a machine that lacks something."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LESSONS = sorted(path.stem for path in (ROOT / "lessons").glob("*.yaml"))


def run(*command: str | Path, cwd: Path, code: int = 0, **environ: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "MAKE", "NORMTUTOR"))}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=clean | environ, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == code, f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source distribution, as an index would serve it."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT, cwd=out)
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and, by a path only, the libraries of this one; its bin directory."""
    home = tmp_path_factory.mktemp("environment with a space")
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    run(
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        wheel,
        cwd=home,
    )
    # A line of a .pth file only extends the path: the editable installation in there is not followed.
    site = next(home.glob("lib/python*/site-packages"))
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python.parent


@pytest.mark.slow
def test_the_wheel_holds_everything_that_is_not_python(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {f"tutor/_lessons/{path.name}" for path in (ROOT / "lessons").iterdir()}
    wanted |= {str(path.relative_to(ROOT)) for path in (ROOT / "tutor").rglob("*.tcss")}
    wanted |= {"tutor/text/locale/vi/LC_MESSAGES/normtutor.mo", "kernels/__init__.py"}
    assert wanted <= names
    assert any(name.endswith(".tcss") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "lessons/", "docs/")) or name.endswith(".po")]


@pytest.mark.slow
def test_the_installed_command_brings_its_course(installed: Path, tmp_path: Path) -> None:
    environ = {"XDG_STATE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    where = run(installed / "python", "-c", "import tutor; print(tutor.__file__)", cwd=tmp_path, **environ)
    assert Path(where.stdout.strip()).is_relative_to(installed.parent)

    listed = json.loads(run(installed / "normtutor", "list", "--json", cwd=tmp_path, **environ).stdout)
    assert "placement" in [lesson["id"] for lesson in listed["lessons"]]
    assert {lesson["id"] for lesson in listed["lessons"]} <= set(LESSONS)

    assert run(installed / "normtutor", "check", "--fast", cwd=tmp_path, **environ).stdout
    help = [
        run(installed / "normtutor", "--help", cwd=tmp_path, NORMTUTOR_LANG=lang, **environ).stdout
        for lang in ("vi", "en")
    ]
    assert "ạ" in help[0] and "ạ" not in help[1]


@pytest.mark.slow
def test_an_editable_installation_has_no_copy_of_the_lessons(tmp_path: Path) -> None:
    build = "import sys; from hatchling.build import build_editable; build_editable(sys.argv[1])"
    run(sys.executable, "-c", build, tmp_path, cwd=ROOT)
    names = zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist()
    assert not [name for name in names if "_lessons" in name]


def fake_python(directory: Path, refuses: str) -> Path:
    """A Python that cannot run programs with `refuses` in them."""
    script = directory / "python"
    script.write_text(f'#!/bin/sh\ncase "$2" in *{refuses}*) exit 1;; esac\nexec {sys.executable} "$@"\n')
    script.chmod(0o755)
    return script


@pytest.mark.parametrize(
    ("refuses", "says"),
    [("version_info", "not a Python of version 3.11 or newer"), ("ensurepip", "-venv")],
)
def test_make_says_what_is_missing_and_leaves_nothing_half_done(tmp_path: Path, refuses: str, says: str) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "hatch_build.py").touch()
    (tmp_path / "tutor").mkdir()
    (tmp_path / "tutor" / "__init__.py").touch()
    done = run("make", "run", f"PYTHON={fake_python(tmp_path, refuses)}", cwd=tmp_path, code=2)
    assert says in done.stderr
    assert not (tmp_path / ".venv").exists()


def test_make_finds_a_newer_python_beside_an_old_one(tmp_path: Path) -> None:
    bin = tmp_path / "bin"
    bin.mkdir()
    fake_python(bin, "version_info").rename(bin / "python3")
    (bin / "python3.12").symlink_to(sys.executable)
    shutil.copy(ROOT / "Makefile", tmp_path)
    done = run("make", "--eval=show: ; @echo chosen $(PYTHON)", "show", cwd=tmp_path, PATH=f"{bin}:/usr/bin:/bin")
    assert done.stdout.strip() == "chosen python3.12"


def test_make_check_and_ci_run_what_guards_the_project() -> None:
    planned = run("make", "--dry-run", "--always-make", "test", cwd=ROOT).stdout
    lint = ["ruff check", "ruff format --check", "mypy", "lint-imports"]
    assert sorted(lint, key=planned.index) == lint
    assert planned.index("normtutor check") < planned.index("/pytest") > planned.index("lint-imports")
    assert "exec make test" in (ROOT / ".ci" / "run").read_text()
