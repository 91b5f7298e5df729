# `make run` and `make test` do all the set-up themselves; a second call starts in seconds.
# TORCH_INDEX=URL installs torch from that package index (the CPU build is what a server without a GPU wants).
TORCH_INDEX ?=
AUDIT ?=
BUSY ?= 0
PYTHON ?= python3.11
BIN := .venv/bin

ENGINE := exercises/scalar-engine/value-engine
CUBIC := exercises/custom-functions/fn-cubic

.PHONY: run try test test-slow lint prove audit bench bench-web capacity chaos rehearse images bench-containers test-containers screenshots selfcheck setup setup-dev setup-tests

run: setup  ## the whole site with a demo course; Ctrl-C ends it
	$(BIN)/python manage.py up --demo

try: setup  ## a warm grading of sample submissions in the terminal
	$(BIN)/python manage.py grade value-engine $(ENGINE)/solution.py $(ENGINE)/wrong/overwrites-instead-of-accumulating.py
	$(BIN)/python manage.py grade fn-cubic $(CUBIC)/solution.py $(CUBIC)/right/setup_context.py $(CUBIC)/wrong/detached-saved-value.py

test: setup-tests  ## everything that must hold; BUSY=4 runs it beside four processes that keep the machine busy
	$(BIN)/python -m tests.suite --busy $(BUSY)

test-slow: setup-tests  ## whole sites that are started, killed, deployed and moved; guides followed word for word
	$(BIN)/python -m tests.suite slow --busy $(BUSY)

prove: setup  ## every exercise, with all mutants; what has not changed since is not proved again
	$(BIN)/python manage.py exercise lint

lint: setup-dev  ## style, types, layers
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/djangofmt --custom-blocks page_head,panel,table --check autograder
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python manage.py makemigrations --check --dry-run --verbosity 0

audit: setup-tests  ## known holes in packages, secrets in the repository; AUDIT="--service osv" asks another service
	$(BIN)/python tools/audit.py $(AUDIT)

STACK ?= embedded servers

chaos: setup-tests  ## 2,000 submissions in peace, 500 while workers, zygotes, broker and scheduler are killed; STACK=production: on containers
	$(BIN)/python -m tests.calm
	for stack in $(STACK); do $(BIN)/python -m tests.chaos --stack $$stack || exit 1; done

rehearse: setup-tests  ## the first hour of a new instructor and two new students in a browser, on both stacks; screens in .cache/rehearsal
	$(BIN)/python -m tests.rehearsal

images: setup  ## the container images: sandbox, app, worker; BASE=IMAGE to start from another one
	$(BIN)/python tools/images.py

bench-containers: setup-tests images  ## the container sandbox beside bubblewrap; needs an engine that runs
	$(BIN)/python -m tests.benchmarks.containers

test-containers: setup-tests  ## the container sandbox and the whole site in containers; installs and starts an engine if there is none
	$(BIN)/python -m tests.containers

bench: setup-tests  ## how fast, as ratios measured in one run
	$(BIN)/python -m tests.benchmarks.engine
	$(BIN)/python -m tests.benchmarks.service
	$(BIN)/python -m tests.benchmarks.regrade
	$(BIN)/python -m tests.benchmarks.diagnosis
	$(BIN)/python -m tests.benchmarks.traces
	$(BIN)/python -m tests.benchmarks.gradebook
	$(BIN)/python -m tests.benchmarks.web
	$(BIN)/python -m tests.benchmarks.backup
	$(BIN)/python -m tests.benchmarks.capacity embedded
	$(BIN)/python -m tests.benchmarks.capacity servers

bench-web: setup-tests  ## how fast the pages are: queries, times, live results, a real browser, weight
	$(BIN)/python -m tests.benchmarks.web

capacity: setup  ## what a deadline night of 100,000 students needs: workers, machines, database and broker
	$(BIN)/python -m tools.capacity

screenshots: setup-tests  ## the pictures in the README and the guide, taken of a real site
	$(BIN)/python tools/screenshots.py

selfcheck: setup  ## does every layer of the sandbox hold here?
	$(BIN)/python manage.py selfcheck

setup-dev:
	@PYTHON=$(PYTHON) TORCH_INDEX=$(TORCH_INDEX) tools/setup.sh --dev

setup-tests:
	@PYTHON=$(PYTHON) TORCH_INDEX=$(TORCH_INDEX) tools/setup.sh --tests

setup:
	@PYTHON=$(PYTHON) TORCH_INDEX=$(TORCH_INDEX) tools/setup.sh
