"""What the Makefile names is there and begins, from a checkout in which nobody has set anything."""

import os
import re
import subprocess
import sys

import pytest

from tests.docs.pages import DOCS, ROOT
from tests.processes import run

MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE)
MODULES = sorted(set(re.findall(r"python -m ((?:tests|bench)[\w.]*)", MAKEFILE)))
SCRIPTS = sorted(set(re.findall(r"(?:python )?((?:tools|tests)/\w+\.(?:py|sh))", MAKEFILE)))
BEGIN = "import importlib, sys; importlib.import_module(sys.argv[1]); from autograder.library.sandboxes import backend; backend()"


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_can_be_made(target: str) -> None:
    made = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr


def test_every_target_is_declared() -> None:
    (declared,) = re.findall(r"^\.PHONY: (.*)", MAKEFILE, re.MULTILINE)
    assert set(TARGETS) - {"setup", "setup-tests"} <= set(declared.split()) <= set(TARGETS) | {"setup"}


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("bench.")])
def test_a_benchmark_finds_its_settings(module: str) -> None:
    """Not by the environment: whoever types `make bench` has set nothing."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("DJANGO_", "GRADUS_", "DATABASE_"))}
    begun = run("-c", BEGIN, module, environment=bare)
    assert begun.returncode == 0, begun.stderr


@pytest.mark.parametrize("module", MODULES)
def test_a_module_that_make_runs_is_there(module: str) -> None:
    path = ROOT.joinpath(*module.split("."))
    assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file()


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_that_make_runs_can_be_read(script: str) -> None:
    reader = [sys.executable, "-m", "py_compile"] if script.endswith(".py") else ["sh", "-n"]
    read = subprocess.run([*reader, str(ROOT / script)], capture_output=True, text=True, check=False)
    assert read.returncode == 0, read.stderr


def test_every_target_that_a_page_names_is_there() -> None:
    pages = [ROOT / "README.md", *DOCS.glob("*.md")]
    named = {(page.name, target) for page in pages for target in re.findall(r"`make ([a-z-]+)", page.read_text("utf-8"))}
    assert len(named) > 10
    assert sorted(item for item in named if item[1] not in TARGETS) == []
