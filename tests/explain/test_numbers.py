"""One sentence with the numbers of a failed check."""

from collections.abc import Sequence

import numpy as np
import pytest

from autograder.explain.misconceptions.numbers import numbers_of
from autograder.judge.checks.compare import CheckFailed, expect_close, expect_equal, expect_number, show
from autograder.judge.report import CheckResult, Detail
from autograder.trace.model import Event, Term, Terms, Trace, TraceGraph, TraceNode
from sandbox.wire import Array

OVERWRITTEN, AVERAGED = "overwrites-instead-of-accumulating", "divides-shared"
ZEROS = np.zeros((2, 3))
ONE_WRONG = np.array([[0.0, 0.0, 0.0], [0.0, 1.5, 0.0]])


def failed(detail: Detail | None) -> CheckResult:
    return CheckResult("c", "C", False, False, 0, 1, "failed", "It is wrong.", detail)


def of_expectation(given: object, expected: object, what: str) -> str:
    """What is said where a check compares these two."""
    expectation = expect_close if isinstance(expected, np.ndarray) else expect_number
    with pytest.raises(CheckFailed) as raised:
        (expect_equal if isinstance(expected, bool) else expectation)(given, expected, what)  # type: ignore[arg-type]
    return numbers_of("wrong-sign", failed(raised.value.detail))


def wire(values: object, dtype: str = "float64") -> Array:
    numbers = np.asarray(values, dtype)
    return Array("numpy", dtype, numbers.shape, numbers.tobytes())


@pytest.mark.parametrize(
    ("given", "expected", "what", "said"),
    [
        (4.0, 12.0, "the slope", "In this check, the slope is 4; 12 was expected."),
        (1.0000002, 1.0, "The slope", "In this check, the slope is 1.0000002; 1 was expected."),
        (float("nan"), 0.5, "Jacobian entry", "In this check, the Jacobian entry is nan; 0.5 was expected."),
        (True, False, "With x = {a: 1}: x == y", "In this check, x == y is True; False was expected."),
        (wire(-2.0), np.array(2.0), "f: the gradient of x for g(), x()", "In this check, the gradient of x is -2; 2 was expected."),
        (wire(ONE_WRONG), ZEROS, "f: the gradient of x", "In this check, entry [1, 1] of the gradient of x is 1.5; 0 was expected."),
        (wire(ZEROS[0]), ZEROS, "y", "In this check, y has shape (3,); shape (2, 3) was expected."),
        (wire(ZEROS, "float32"), ZEROS, "y", "In this check, y has dtype float32; float64 was expected."),
        (None, ZEROS, "y", "In this check, y is None; an array of shape (2, 3) was expected."),
        ("no number", 1.0, "y", ""),
    ],
    ids=["number", "all digits that matter", "nan", "truth", "scalar array", "array", "shape", "type", "None", "text"],
)  # fmt: skip
def test_both_numbers_in_one_sentence(given: object, expected: object, what: str, said: str) -> None:
    assert of_expectation(given, expected, what) == said


def of_program(given: Sequence[float], trace: Trace | None, key: str = OVERWRITTEN) -> str:
    """Of f = a * b + b, where a.grad should be 3 and b.grad 12."""
    names = ("a", "b", "a * b")
    detail = Detail(
        ".grad of every value", {}, show([3.0, 12.0, 1.0], names), show(list(given), names), (1,), "f = a * b + b"
    )
    return numbers_of(key, failed(detail), trace)


def traced(*parts: float, program: str = "f = a * b + b") -> Trace:
    """b receives these contributions, in this order."""
    sums = np.cumsum(parts)
    nodes = tuple(TraceNode(label) for label in ("a", "b", "a * b"))
    events = [
        Event(
            "accumulate",
            "b accumulates",
            node=1,
            expected=Terms(contribution=Term(repr(part)), now=Term(repr(float(total)))),
        )
        for part, total in zip(parts, sums, strict=True)
    ]
    passed_on = Event("contribution", "f sends to b", node=1, expected=Terms(contribution=Term("8.0")))  # not yet added
    return Trace("c", program, TraceGraph(nodes), (passed_on, *events))


@pytest.mark.parametrize(
    ("given", "parts", "key", "said"),
    [
        (4.0, (8.0, 4.0), OVERWRITTEN, "b.grad is 4, the last contribution; 12 = 8 + 4 was expected"),
        (8.0, (8.0, 4.0), OVERWRITTEN, "b.grad is 8, only one of the contributions; 12 = 8 + 4 was expected"),
        (6.0, (8.0, 4.0), AVERAGED, "b.grad is 6, the mean of the contributions; 12 = 8 + 4 was expected"),
        (4.0, (8.0, 4.0), "wrong-sign", "b.grad is 4; 12 = 8 + 4 was expected"),
        (-1.0, (13.0, -1.0), OVERWRITTEN, "b.grad is -1, the last contribution; 12 = 13 - 1 was expected"),
        (5.0, (2.0,) * 6, OVERWRITTEN, "b.grad is 5; 12, the sum of 6 contributions, was expected"),
        (9.0, (8.0, 4.0, 12.0), OVERWRITTEN, "b.grad is 9; 12 = 8 + 4 was expected"),
        (9.0, (12.0,), OVERWRITTEN, "b.grad is 9; 12 was expected"),
        (9.0, (8.0, 5.0), OVERWRITTEN, "b.grad is 9; 12 was expected"),
    ],
    ids=["last", "another", "mean", "another mistake", "minus", "many", "of an earlier moment", "one", "another sum"],
)
def test_a_gradient_beside_the_sum_that_it_should_be(given: float, parts: Sequence[float], key: str, said: str) -> None:
    assert of_program((3.0, given, 1.0), traced(*parts), key) == f"In this check, {said}."


def test_the_steps_of_another_program_are_not_used() -> None:
    assert of_program((3.0, 4.0, 1.0), traced(8.0, 4.0, program="f = a")) == "In this check, b.grad is 4; 12 was expected."
    assert of_program((3.0, 4.0, 1.0), None) == "In this check, b.grad is 4; 12 was expected."


def test_an_expression_is_put_in_brackets() -> None:
    names = ("a", "a * b")
    detail = Detail(".grad of every value", {}, show([3.0, 1.0], names), show([0.0, 2.0], names), (0, 1))
    assert numbers_of("wrong-sign", failed(detail)) == "In this check, (a * b).grad is 2; 1 was expected."


@pytest.mark.parametrize(
    "detail",
    [
        None,
        Detail("y"),
        Detail("y", {}, show(1.0)),
        Detail("", {}, show(1.0), show(2.0)),
        Detail("y", {}, show([1.0, 2.0]), show([1.0])),
        Detail("graph", {}, show("a graph"), show("another graph")),
        Detail("y", {}, show([1.0, 2.0]), show([1.0, None])),
    ],
)
def test_without_a_pair_of_numbers_nothing_is_said(detail: Detail | None) -> None:
    assert numbers_of("wrong-sign", failed(detail)) == ""


def test_a_check_that_passed_has_no_sentence() -> None:
    detail = Detail("y", {}, show(1.0), show(2.0))
    assert numbers_of("wrong-sign", CheckResult("c", "C", False, True, 1, 1, "passed", "", detail)) == ""
