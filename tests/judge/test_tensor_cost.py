"""The cost of a backward pass of a tensor engine: one evaluation of an operation for every entry does not pass."""

from collections.abc import Callable

import numpy as np
import pytest

from autograder.judge import pack
from autograder.judge.checks.student import Student
from autograder.judge.checks.tensor_cost import ENTRIES, SECONDS
from autograder.judge.checks.tensors import TensorProgram, expect_tensor_programs
from sandbox.errors import OutOfTime
from tests.conftest import EXERCISES

Enter = Callable[..., Student]
FOLDER = pack.find(EXERCISES, "tensor-reductions")
RIGHT, STEPS = ((FOLDER / name).read_text() for name in ("solution.py", "wrong/forward-pass-per-entry.py"))


def sums(student: Student, rows: int) -> None:
    """Sums of the rows of an array with two columns, several times."""
    student._session.allow(SECONDS)
    rng = np.random.default_rng(0)
    program = TensorProgram()
    y = program.input(rng.normal(size=(rows, 2)), "x")
    for _ in range(6):
        y = y * 0.5 - y.sum(axis=1, keepdims=True)
    program.backward(y, rng.normal(size=(rows, 2)))
    expect_tensor_programs(student, [program])


def test_one_backward_pass_is_cheap_enough(enter: Enter) -> None:
    sums(enter(RIGHT, "numpy"), ENTRIES // 2)


def test_a_step_in_every_entry_is_right(enter: Enter) -> None:
    sums(enter(STEPS, "numpy"), 3)


def test_a_step_in_every_entry_is_late(enter: Enter) -> None:
    with pytest.raises(OutOfTime):
        sums(enter(STEPS, "numpy"), ENTRIES // 2)
