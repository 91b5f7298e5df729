# `make run` and `make test` do all the set-up themselves; a second call starts in seconds.
# TORCH_INDEX=URL installs torch from that package index (the CPU build is what a server without a GPU wants).
TORCH_INDEX ?=
PYTHON ?= python3.11
BIN := .venv/bin

ENGINE := exercises/scalar-engine/value-engine
CUBIC := exercises/custom-functions/fn-cubic

.PHONY: run test lint prove bench selfcheck setup

run: setup  ## a warm grading of the sample submissions
	$(BIN)/python manage.py grade value-engine $(ENGINE)/solution.py $(ENGINE)/wrong/overwrites-instead-of-accumulating.py
	$(BIN)/python manage.py grade fn-cubic $(CUBIC)/solution.py $(CUBIC)/right/setup_context.py $(CUBIC)/wrong/detached-saved-value.py

test: setup lint prove  ## everything that must hold
	$(BIN)/python -m pytest

prove: setup  ## every exercise, with all mutants; what has not changed since is not proved again
	$(BIN)/python manage.py exercise lint

lint: setup  ## style, types, floors
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

bench: setup  ## how fast, as ratios measured in one run
	$(BIN)/python -m tests.benchmarks.engine
	$(BIN)/python -m tests.benchmarks.diagnosis

selfcheck: setup  ## does every layer of the sandbox hold here?
	$(BIN)/python manage.py selfcheck

setup:
	@PYTHON=$(PYTHON) TORCH_INDEX=$(TORCH_INDEX) tools/setup.sh
