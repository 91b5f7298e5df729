"""Checks hand-written VJPs and JVPs against a trusted reference.

The upstream gradients are random, because an all-ones upstream hides most mistakes, and the last one contains a 0. Each case
is tried several times and in three memory layouts. Shapes and dtypes must be exact, the arguments must be unchanged, and a
second call must return the same answer.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers, array
from autograder.judge.checks.arguments import is_unchanged
from autograder.judge.checks.compare import VJP, Tolerance, describe, expect_close, fail
from autograder.judge.checks.recording import record_vjp, upstream
from autograder.judge.checks.student import Student
from sandbox.wire import Array

LAYOUTS = ("contiguous", "transposed", "strided")
Reference = Callable[..., tuple[Numbers, ...]]


@dataclass(frozen=True)
class Case:
    """One test case: named inputs, the shape of the forward output, and keyword arguments."""

    inputs: dict[str, Numbers]
    output_shape: tuple[int, ...]
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ComparedVjp:
    """One gradient that is about to be compared, with everything needed to ask for it again with other numbers."""

    name: str
    reference: Reference
    inputs: dict[str, Numbers]
    upstream: Numbers
    options: dict[str, Any]
    place: int  # of the gradient among the inputs
    tolerance: Tolerance

    @property
    def of(self) -> str:
        return list(self.inputs)[self.place]

    @property
    def arguments(self) -> dict[str, Numbers]:
        return {"g": self.upstream, **self.inputs}

    @property
    def entries(self) -> int:
        return sum(value.size for value in self.arguments.values())

    def expected(self) -> tuple[Numbers, ...]:
        return self.reference(self.upstream, *self.inputs.values(), **self.options)


def expect_vjp(
    student: Student,
    name: str,
    reference: Reference,
    cases: Sequence[Case],
    rng: np.random.Generator,
    *,
    trials: int = 3,
    tolerance: Tolerance = VJP,
) -> None:
    """Expects `name(g, *inputs, **options)` to return a tuple with one gradient per input, equal to the reference's."""
    for number, case in enumerate(cases):
        for trial, g in enumerate(_upstreams(rng, case.output_shape, trials)):
            expected = reference(g, *case.inputs.values(), **case.options)
            layout = LAYOUTS[(number + trial) % len(LAYOUTS)]
            arguments = {"g": g, **case.inputs}
            answer = ask_unchanged(student, name, arguments, layout, case.options)
            expect_tuple(answer, len(expected), name, arguments)
            for place, (label, given, truth) in enumerate(zip(case.inputs, answer, expected, strict=True)):
                record_vjp(ComparedVjp(name, reference, case.inputs, g, case.options, place, tolerance))
                shapes = ", ".join(f"{key}{value.shape}" for key, value in arguments.items())
                expect_close(
                    given, truth, f"{name}: the gradient with respect to {label} for {shapes}", arguments, tolerance
                )


def _upstreams(rng: np.random.Generator, shape: tuple[int, ...], trials: int) -> Iterator[Numbers]:
    """Random upstream gradients. One entry of the last is exactly 0 if the other trials and entries still test the rest."""
    for trial in range(trials):
        g = upstream(rng, shape)
        if trial == trials - 1 and (trials > 2 or (trials > 1 and g.size > 1)) and g.size:
            g.flat[int(rng.integers(g.size))] = 0.0
        yield g


def ask_unchanged(
    student: Student, name: str, arguments: dict[str, Numbers], layout: str, options: dict[str, Any] | None = None
) -> Any:
    """Calls an entry point twice with arrays of this layout. The arguments must be unchanged and the answers equal."""
    sent = [array(value, layout=layout) for value in arguments.values()]
    answer, after = student.call_and_see(name, *sent, **(options or {}))
    for (label, value), left in zip(arguments.items(), after, strict=False):
        if not is_unchanged(value, left):
            what = f"the argument {label} after the call"
            raise fail(f"{name} modified its argument {label}.", what, arguments, expected=value, given=left)
    again = student.call(name, *sent, **(options or {}))
    if not same_answer(answer, again):
        message = f"{name} returned different results for two calls with the same arguments."
        raise fail(message, "second call with the same arguments", arguments)
    return answer


def expect_tuple(answer: Any, count: int, name: str, inputs: dict[str, Any]) -> None:
    if not isinstance(answer, tuple) or len(answer) != count:
        gradients = f"{count} gradient{'' if count == 1 else 's'}"
        message = f"{name} should return a tuple of {gradients}, one for each input, but returned {describe(answer)}."
        raise fail(message, "the returned value", inputs)


def same_answer(left: Any, right: Any) -> bool:
    """Whether two answers are bitwise equal."""
    if isinstance(left, Array) and isinstance(right, Array):
        return (left.dtype, left.shape, bytes(left.data)) == (right.dtype, right.shape, bytes(right.data))
    if isinstance(left, list | tuple) and type(left) is type(right):
        return len(left) == len(right) and all(same_answer(a, b) for a, b in zip(left, right, strict=True))
    return bool(type(left) is type(right) and (left == right or left != left))


def expect_jvp(
    student: Student,
    name: str,
    reference: Callable[..., Numbers],
    points: Sequence[tuple[dict[str, Numbers], dict[str, Numbers]]],
    tolerance: Tolerance = VJP,
) -> None:
    """Expects `name(*inputs, *tangents)` to return the directional derivative, equal to the reference's."""
    for inputs, tangents in points:
        truth = reference(*inputs.values(), *tangents.values())
        shown = {**inputs, **{f"tangent of {key}": value for key, value in tangents.items()}}
        answer = ask_unchanged(student, name, shown, "contiguous")
        expect_close(answer, truth, f"{name}: the directional derivative", shown, tolerance)
