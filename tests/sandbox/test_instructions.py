"""The same digits on every machine: neither side of the border uses instructions that only some processors have."""

import subprocess
import sys

import pytest

from autograder.library.sandboxes import backend
from sandbox.host import Sandbox
from sandbox.instructions import X86_64
from tests.conftest import EXERCISES
from tests.sandbox.test_host import loaded, value

USED = """
def used():
    import numpy._core._multiarray_umath as numpy
    import torch
    found = [name for name in numpy.__cpu_dispatch__ if numpy.__cpu_features__[name]]
    return [torch.backends.cpu.get_cpu_capability(), *found]
"""


def test_not_in_the_sandbox() -> None:
    with Sandbox(backend(), "torch") as box, loaded(box, USED.encode()) as session:
        assert value(session, "used") == ["DEFAULT"]


def test_nor_in_the_judge() -> None:
    """As a process of its own that was started without any of the variables."""
    code = f"import autograder\n{USED}\nprint(used())"
    clean = {"PATH": "/usr/bin"}
    said = subprocess.run(
        [sys.executable, "-c", code], cwd=EXERCISES.parent, env=clean, text=True, capture_output=True, check=True
    )
    assert said.stdout == "['DEFAULT']\n"


@pytest.mark.parametrize("name", X86_64)
def test_an_operator_may_decide_otherwise(name: str) -> None:
    code = f"import autograder, os; print(os.environ['{name}'])"
    mine = (
        {"PATH": "/usr/bin", name: "mine"}
        if name != "GLIBC_TUNABLES"
        else {"PATH": "/usr/bin", name: "glibc.malloc.check=0"}
    )
    said = subprocess.run(
        [sys.executable, "-c", code], cwd=EXERCISES.parent, env=mine, text=True, capture_output=True, check=True
    )
    assert said.stdout.strip() == mine[name]
