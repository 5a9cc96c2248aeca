# make run    install into .venv and start the tutor
# make test   everything that guards the project
# make check  its quick part, for every commit
#
# PYTHON=/path/to/python3.12 make run    chooses the Python; otherwise the first that is new enough

PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$python" && break; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# What an installation depends on; the translations are compiled by it.
INSTALLED_FROM := pyproject.toml hatch_build.py tutor/__init__.py $(wildcard tutor/text/locale/*/LC_MESSAGES/*.po)

.PHONY: run test tests check lint course screenshots translations clean
.DEFAULT_GOAL := run

# `python -m`, because the scripts in .venv/bin break when the directory is moved and this does not.
run: $(VENV)/.installed
	@$(BIN)/python -m tutor

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "normtutor needs Python 3.11 or newer; python3 here is: $$(python3 --version 2>&1)."; \
		echo "Install one, or name it: PYTHON=/path/to/python3.11 make $(or $(MAKECMDGOALS),run)"; exit 1; } >&2
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "$(PYTHON) is not a Python of version 3.11 or newer." >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "This Python cannot make virtual environments (no venv or ensurepip module)."; \
		echo "On Debian and Ubuntu: sudo apt install $$("$(PYTHON)" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')"; \
		exit 1; } >&2
	@"$(PYTHON)" -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/.installed: $(INSTALLED_FROM) | $(BIN)/python
	@test -e $@ || echo "Installing into $(VENV). PyTorch is large: a few minutes, the first time only."
	@$(PIP) install --no-compile $(if $(wildcard $@),--quiet) --editable .
	@touch $@

$(VENV)/.installed-dev: $(INSTALLED_FROM) | $(BIN)/python
	@test -e $@ || echo "Installing into $(VENV) with the development tools."
	@$(PIP) install --no-compile --quiet --editable '.[dev]'
	@touch $@ $(VENV)/.installed

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint
	$(BIN)/pytest -n 2 -m "not slow"
	$(BIN)/normtutor check --fast

# Side by side, and more workers than cores: much of it waits for a process or a terminal.
test: $(VENV)/.installed-dev
	$(MAKE) -j 3 lint course tests

tests: $(VENV)/.installed-dev
	$(BIN)/pytest -n 4 --dist worksteal

course: $(VENV)/.installed-dev
	$(BIN)/normtutor check

screenshots: $(VENV)/.installed-dev
	$(BIN)/python docs/screenshots.py

# Brings new and changed interface strings into the .po files; then fill in the empty translations.
translations: $(VENV)/.installed-dev
	@mkdir -p build
	@$(BIN)/pybabel -q extract -k translate --no-wrap --sort-by-file --add-location=file -o build/normtutor.pot tutor
	@$(BIN)/pybabel -q update --no-wrap --no-fuzzy-matching --ignore-obsolete --ignore-pot-creation-date -D normtutor \
		-i build/normtutor.pot -d tutor/text/locale
	@grep -c '^msgstr ""$$' tutor/text/locale/*/LC_MESSAGES/normtutor.po || true

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
