"""The cost of a backward pass of a scalar engine: right engines pass however they are written, a step in every value does not."""

from collections.abc import Callable

import numpy as np
import pytest

from autograder.judge import pack
from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.engine_cost import LEAVES, SECONDS, expect_cheap_pass
from autograder.judge.checks.student import Student
from sandbox.errors import OutOfTime
from tests.conftest import EXERCISES

Enter = Callable[..., Student]
VALUES = 3 * LEAVES - 1

RIGHT = (pack.find(EXERCISES, "value-engine") / "solution.py").read_text()
STEPS = (pack.find(EXERCISES, "value-engine") / "wrong" / "forward-pass-per-value.py").read_text()
COUNTING = """
class Value(Value):
    made = 0
    def __init__(self, data, operands=()):
        super().__init__(data, operands)
        Value.made += 1

def made():
    return Value.made
"""
OFF_BY_ONE_IN_LARGE_GRAPHS = """
class Value(Value):
    made = []
    def __init__(self, data, operands=()):
        super().__init__(data, operands)
        self.made.append(self)
    def backward(self):
        super().backward()
        for value in self.made[1000::1000]:
            value.grad += 1
"""


def judge_cost(student: Student) -> None:
    student._session.allow(SECONDS)
    expect_cheap_pass(student, np.random.default_rng(0))


def test_one_backward_pass_is_cheap_enough(enter: Enter) -> None:
    student = enter(RIGHT + COUNTING)
    judge_cost(student)
    assert student.call("made") == VALUES


def test_a_forward_pass_for_every_value_is_not(enter: Enter) -> None:
    with pytest.raises(OutOfTime):
        judge_cost(enter(STEPS))


def test_the_message_about_a_large_program_names_values_by_their_numbers(enter: Enter) -> None:
    with pytest.raises(CheckFailed) as caught:
        judge_cost(enter(RIGHT + OFF_BY_ONE_IN_LARGE_GRAPHS))
    assert caught.value.message.startswith(
        f"In a program of {VALUES:,} values (v0 to v{VALUES - 1} in the order of their creation), v2000.grad should be "
    )
    detail = caught.value.detail
    assert detail is not None and detail.inputs == {} and detail.expected is not None and detail.given is not None
    assert (detail.expected.names, detail.differing) == (("v2000", "v1000"), (0, 1))
    for right, wrong in zip(detail.expected.values, detail.given.values, strict=True):
        assert float(wrong) == pytest.approx(float(right) + 1)
