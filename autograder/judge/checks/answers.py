"""Expects the answer that the solution gave to the same question, whatever its form."""

from typing import Any

from autograder.judge.checks.compare import TENSOR, Tolerance, describe, expect_close, expect_equal, expect_number, fail
from sandbox.wire import Array


def expect_answer(given: Any, expected: Any, what: str, tolerance: Tolerance = TENSOR) -> None:
    """Expects the types and shapes of `expected`, which may contain tuples, lists and dicts, and its numbers within the
    tolerance. Its arrays and tensors are those of `array` and `tensor`.
    """
    if isinstance(expected, Array):
        if isinstance(given, Array) and given.kind != expected.kind:
            raise fail(f"{what} should be {describe(expected)}, but is {describe(given)}.", what, given=given)
        expect_close(given, expected, what, tolerance=tolerance, nonfinite=True)
    elif isinstance(expected, list | tuple | dict):
        if type(given) is not type(expected) or _places(given) != _places(expected):
            raise fail(f"{what} should be {describe(expected)}, but is {describe(given)}.", what)
        for place in _places(expected):
            expect_answer(given[place], expected[place], f"{what}, entry {place!r}", tolerance)
    elif type(expected) is float and expected == expected:
        expect_number(given, expected, what, tolerance=tolerance)
    elif type(expected) is not float or type(given) is not float or given == given:
        expect_equal(given, expected, what)


def _places(values: Any) -> list[Any]:
    return sorted(values) if isinstance(values, dict) else list(range(len(values)))
