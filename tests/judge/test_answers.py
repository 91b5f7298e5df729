"""Answers of any form are compared with a known one, entry by entry."""

from typing import Any

import numpy as np
import pytest

from autograder.judge.checks import CheckFailed, array, tensor
from autograder.judge.checks.answers import expect_answer
from sandbox.wire import Array

NAN = float("nan")
ANSWERS: tuple[tuple[Any, Any], ...] = (
    (array([1.0, 2.0]), array([1.0, 2.5])),
    (array([1.0, 2.0]), tensor([1.0, 2.0])),
    (tensor([1.0]), array([1.0])),
    (array([1.0, 2.0]), array([[1.0, 2.0]])),
    (array(np.array([1.0], dtype="float32")), array([1.0])),
    (array([1.0, np.nan]), array([1.0, 2.0])),
    ((array([1.0]), array([2.0])), (array([1.0]), array([3.0]))),
    ((array([1.0]), array([2.0])), [array([1.0]), array([2.0])]),
    ((array([1.0]),), (array([1.0]), array([1.0]))),
    ({"x": 1.0, "w": [2, 3]}, {"x": 1.0, "w": [2, 4]}),
    ({"x": 1.0}, {"y": 1.0}),
    (1.5, 1.6),
    (1.5, "1.5"),
    (NAN, 1.0),
    (1.0, NAN),
    (3, 4),
    (True, 1),
    (None, 0),
    ("ab", "ac"),
)


def numbers(value: Any) -> Any:
    """The same answer, a little off, as far as its numbers have a fraction."""
    if isinstance(value, Array):
        values = np.frombuffer(value.data, value.dtype).reshape(value.shape) * (1 + 1e-9)
        return Array(value.kind, value.dtype, value.shape, values.astype(value.dtype).tobytes())
    if isinstance(value, tuple | list):
        return type(value)(map(numbers, value))
    if isinstance(value, dict):
        return {key: numbers(item) for key, item in value.items()}
    return value * (1 + 1e-9) if type(value) is float else value


@pytest.mark.parametrize(("expected", "other"), ANSWERS, ids=str)
def test_an_answer_is_accepted_within_the_tolerance_and_no_other_one_is(expected: Any, other: Any) -> None:
    expect_answer(expected, expected, "the answer")
    expect_answer(numbers(expected), expected, "the answer")
    with pytest.raises(CheckFailed, match="the answer"):
        expect_answer(other, expected, "the answer")


def test_the_message_says_which_entry_is_wrong() -> None:
    with pytest.raises(CheckFailed, match="slope, entry 1, entry 'w' should be 2, but is 3"):
        expect_answer((1.0, {"w": 3.0}), (1.0, {"w": 2.0}), "slope")
