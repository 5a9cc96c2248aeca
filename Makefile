# make run    install into .venv and start the tutor
# make test   everything that guards the project
# make check  its quick part, for every commit
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOCALE := $(wildcard tutor/text/locale/*/LC_MESSAGES/*.po)

.PHONY: run test check lint screenshots clean
.DEFAULT_GOAL := run

run: $(VENV)/.installed
	@$(BIN)/normtutor

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml hatch_build.py $(LOCALE) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml hatch_build.py $(LOCALE) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.installed

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

check: lint
	$(BIN)/pytest -n 2 -m "not slow"

test: lint
	$(BIN)/pytest -n 2
	$(BIN)/normtutor check

screenshots: $(VENV)/.installed-dev
	$(BIN)/python docs/screenshots.py

clean:
	rm -rf $(VENV) dist build
