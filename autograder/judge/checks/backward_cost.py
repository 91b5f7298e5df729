"""Checks what a backward pass costs.

A gradient can be had without calculus: a forward pass for each entry, with a small step in that entry, gives the right numbers.
Reverse mode takes the time of a few forward passes, whatever the number of entries. For a few thousand entries, the two are
told apart by the CPU time; for many, the limit of the check stops everything that needs a forward pass for each.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers, array, to_numpy
from autograder.judge.checks.compare import VJP, Tolerance, describe, expect, fail
from autograder.judge.checks.costs import SECONDS as SECONDS
from autograder.judge.checks.recording import record_expected, upstream
from autograder.judge.checks.student import Student
from sandbox.wire import Array

FEW, MANY = 2_500, 40_000  # entries
SHORTEST_PASS = 2e-5  # seconds: a call of a few NumPy functions takes as long, however small its arrays
STEP = 1e-30

Inputs = dict[str, Numbers]
Forward = Callable[..., Numbers]
Ask = Callable[[Numbers, Inputs], Sequence[Any]]


def expect_cheap_vjp(
    student: Student,
    name: str,
    forward: Forward,
    many: Inputs,
    rng: np.random.Generator,
    *,
    few: Inputs | None = None,
    ask: Ask | None = None,
    tolerance: Tolerance = VJP,
) -> None:
    """Expects the gradients of `forward(*inputs)` for about MANY entries within the limit of the check.

    `few` is the same with about FEW entries, which are asked for first, so that the message can say what a backward pass cost. Leave
    it out if their forward pass takes less than SHORTEST_PASS. `forward` must be fast, and accept complex inputs: each gradient is
    compared along one random direction only. `ask` gets the upstream gradient and the inputs and returns the gradients; by default,
    it calls `name(g, *inputs)`.
    """
    ask = ask or (lambda g, inputs: student.call(name, array(g), *map(array, inputs.values())))
    if few is not None:
        before = student.cpu_seconds()
        expect_slopes(name, forward, few, rng, ask, tolerance)
        passes = (student.cpu_seconds() - before) / _seconds_of_a_pass(forward, few)
        entries = sum(value.size for value in few.values())
        message = (
            f"{name}: the gradients for {entries:,} entries took as much CPU time as {passes:,.0f} forward passes in NumPy. "
            "By the chain rule, all of them together cost a few forward passes."
        )
        expect(passes <= entries / 2, message, f"{name}: the cost of the gradients")
    expect_slopes(name, forward, many, rng, ask, tolerance)


def expect_slopes(
    name: str, forward: Forward, inputs: Inputs, rng: np.random.Generator, ask: Ask, tolerance: Tolerance = VJP
) -> None:
    """Expects gradients that fit `forward` along a random direction of each input."""
    g = upstream(rng, forward(*inputs.values()).shape)
    answer = ask(g, inputs)
    if not isinstance(answer, tuple | list) or len(answer) != len(inputs):
        raise fail(
            f"{name} should return {len(inputs)} gradients, but returned {describe(answer)}.", "the returned value", {}
        )
    for (label, value), given in zip(inputs.items(), answer, strict=True):
        direction = rng.normal(size=value.shape)
        stepped = {**inputs, label: value + 1j * STEP * direction}
        slope = float((g * np.imag(forward(*stepped.values())) / STEP).sum())
        _expect_slope(
            given, value, direction, slope, f"{name}: the gradient with respect to {label}{value.shape}", tolerance
        )


def _expect_slope(given: Any, value: Numbers, direction: Numbers, slope: float, what: str, tolerance: Tolerance) -> None:
    record_expected(slope)
    if not isinstance(given, Array) or (given.shape, given.dtype) != (value.shape, str(value.dtype)):
        raise fail(f"{what} should be an array of that shape and dtype {value.dtype}, but is {describe(given)}.", what, {})
    gradient = to_numpy(given)
    along = float((gradient * direction).sum())
    scale = float(np.linalg.norm(gradient.ravel()) * np.linalg.norm(direction.ravel()))
    if not abs(along - slope) <= tolerance.rtol * scale + tolerance.atol:  # nan equals nothing
        message = (
            f"{what} does not fit the function: along a random direction, it changes by {slope:.6g}, and not by {along:.6g}."
        )
        raise fail(message, what, {}, expected=slope, given=along)


def _seconds_of_a_pass(forward: Forward, inputs: Inputs, tries: int = 3) -> float:
    """The least CPU time of a forward pass in the judge, which a submission cannot make longer."""
    spent = []
    for _ in range(tries):
        before = time.thread_time()
        forward(*inputs.values())
        spent.append(time.thread_time() - before)
    return max(SHORTEST_PASS, min(spent))
