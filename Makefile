# `make run` and `make test` install what they need; a second call starts in seconds.
# TORCH_INDEX=URL installs torch from that package index, such as that of the CPU build on a machine without a GPU.
# PYTHON=python3.12 selects an interpreter; by default the first one that is supported is used.
TORCH_INDEX ?=
AUDIT ?=
BUSY ?= 0
PYTHON ?=
BIN := .venv/bin

ENGINE := exercises/scalar-engine/value-engine
CUBIC := exercises/custom-functions/fn-cubic

.PHONY: run try check test test-slow lint prove audit bench bench-web capacity chaos rehearse images bench-containers test-containers test-python screenshots selfcheck setup setup-dev setup-tests

run: setup  ## the whole site with a demo course; Ctrl-C stops it
	$(BIN)/python manage.py up --demo

try: setup  ## grade sample submissions in the terminal
	$(BIN)/python manage.py grade value-engine $(ENGINE)/solution.py $(ENGINE)/wrong/overwrites-instead-of-accumulating.py
	$(BIN)/python manage.py grade fn-cubic $(CUBIC)/solution.py $(CUBIC)/right/setup_context.py $(CUBIC)/wrong/detached-saved-value.py

check: setup-tests  ## lint and the quickest tests, for every commit: no browser, no exercises, no PostgreSQL
	$(BIN)/python -m tests.suite check --busy $(BUSY)

test: setup-tests  ## lint, proofs and all fast tests; BUSY=4 keeps the machine busy with four processes meanwhile
	$(BIN)/python -m tests.suite --busy $(BUSY)

test-slow: setup-tests  ## tests that start, kill, deploy and move whole sites, and follow the guides word for word
	$(BIN)/python -m tests.suite slow --busy $(BUSY)

prove: setup  ## prove every exercise that has changed, with all mutants
	$(BIN)/python manage.py exercise lint

lint: setup-dev  ## style, types, package layers
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/djangofmt --custom-blocks page_head,panel,part,table,as_typed --check autograder
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python manage.py makemigrations --check --dry-run --verbosity 0

audit: setup-tests  ## known vulnerabilities of packages, secrets in the repository; AUDIT="--service osv" uses another service
	$(BIN)/python tools/audit.py $(AUDIT)

STACK ?= embedded servers

chaos: setup-tests  ## grade 2,000 submissions undisturbed, and 500 while workers, zygotes, broker and scheduler are killed; STACK=production: in containers
	$(BIN)/python -m tests.calm
	for stack in $(STACK); do $(BIN)/python -m tests.chaos --stack $$stack || exit 1; done

rehearse: setup-tests  ## the first hour of an instructor and two students in a browser, on both stacks; screenshots in .cache/rehearsal
	$(BIN)/python -m tests.rehearsal

images: setup  ## build the container images sandbox, app and worker; BASE=IMAGE selects the base image
	$(BIN)/python tools/images.py

bench-containers: setup-tests images  ## compare the container sandbox with bubblewrap; needs a running engine
	$(BIN)/python -m bench.containers

test-containers: setup-tests  ## tests of the container sandbox and of a site in containers; installs an engine if there is none
	$(BIN)/python -m tests.containers

test-python:  ## the fast tests with the Python of another Debian release: trixie has 3.13; needs root and debootstrap
	TORCH_INDEX=$(TORCH_INDEX) tools/test_python.sh

bench: setup-tests  ## benchmarks, as ratios measured in one run
	$(BIN)/python -m bench.engine
	$(BIN)/python -m bench.service
	$(BIN)/python -m bench.regrade
	$(BIN)/python -m bench.diagnosis
	$(BIN)/python -m bench.traces
	$(BIN)/python -m bench.gradebook
	$(BIN)/python -m bench.web
	$(BIN)/python -m bench.lms
	$(BIN)/python -m bench.backup
	$(BIN)/python -m bench.authoring
	$(BIN)/python -m bench.capacity embedded
	$(BIN)/python -m bench.capacity servers

bench-web: setup-tests  ## benchmarks of the pages: queries, times, live results, a real browser, size
	$(BIN)/python -m bench.web
	$(BIN)/python -m bench.lms

capacity: setup  ## what a deadline night of 100,000 students needs: workers, machines, database and broker
	$(BIN)/python -m tools.capacity

screenshots: setup-tests  ## take the pictures in the README and the guide from a real site
	$(BIN)/python tools/screenshots.py

selfcheck: setup  ## test every layer of the sandbox on this machine
	$(BIN)/python manage.py selfcheck

setup-dev:
	@PYTHON=$(PYTHON) TORCH_INDEX=$(TORCH_INDEX) tools/setup.sh --dev

setup-tests:
	@PYTHON=$(PYTHON) TORCH_INDEX=$(TORCH_INDEX) tools/setup.sh --tests

setup:
	@PYTHON=$(PYTHON) TORCH_INDEX=$(TORCH_INDEX) tools/setup.sh
