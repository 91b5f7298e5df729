"""Hand-written VJPs against a trusted one: the battery that every such exercise gets.

Random upstream (an all-ones upstream is blind to most mistakes), with a 0 in the last trial; several trials, three memory
layouts, exact shapes and dtypes, arguments unchanged afterwards, the same answer when asked again.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.judge.arrays import Numbers, array
from autograder.judge.checks.compare import VJP, Tolerance, describe, expect_close, fail
from autograder.judge.checks.memory import is_unchanged
from autograder.judge.checks.watch import upstream
from sandbox.wire import Array

if TYPE_CHECKING:
    from autograder.judge.student import Student

LAYOUTS = ("contiguous", "transposed", "strided")
Reference = Callable[..., tuple[Numbers, ...]]


@dataclass(frozen=True)
class Case:
    """One point: named inputs, the shape of the forward's output, keyword parameters."""

    inputs: dict[str, Numbers]
    output_shape: tuple[int, ...]
    options: dict[str, Any] = field(default_factory=dict)


def expect_vjp(
    student: "Student",
    name: str,
    reference: Reference,
    cases: Sequence[Case],
    rng: np.random.Generator,
    *,
    trials: int = 3,
    tolerance: Tolerance = VJP,
) -> None:
    """`name(g, *inputs, **options)` returns a tuple with one gradient per input, equal to the reference's."""
    for number, case in enumerate(cases):
        for trial, g in enumerate(_upstreams(rng, case.output_shape, trials)):
            expected = reference(g, *case.inputs.values(), **case.options)
            layout = LAYOUTS[(number + trial) % len(LAYOUTS)]
            arguments = {"g": g, **case.inputs}
            answer = ask_unchanged(student, name, arguments, layout, case.options)
            expect_tuple(answer, len(expected), name, arguments)
            for (label, _), given, truth in zip(case.inputs.items(), answer, expected, strict=True):
                shapes = ", ".join(f"{key}{value.shape}" for key, value in arguments.items())
                expect_close(given, truth, f"{name}: the gradient of {label} for {shapes}", arguments, tolerance)


def _upstreams(rng: np.random.Generator, shape: tuple[int, ...], trials: int) -> Iterator[Numbers]:
    """Random ones. One entry of the last is exactly 0, if the others, or the trials before, say enough about the rest."""
    for trial in range(trials):
        g = upstream(rng, shape)
        if trial == trials - 1 and (trials > 2 or (trials > 1 and g.size > 1)) and g.size:
            g.flat[int(rng.integers(g.size))] = 0.0
        yield g


def ask_unchanged(
    student: "Student", name: str, arguments: dict[str, Numbers], layout: str, options: dict[str, Any] | None = None
) -> Any:
    """Call an entry point twice on arrays of this layout; the arguments must survive, the answers must agree."""
    sent = [array(value, layout=layout) for value in arguments.values()]
    answer, after = student.call_and_see(name, *sent, **(options or {}))
    for (label, value), left in zip(arguments.items(), after, strict=False):
        if not is_unchanged(value, left):
            raise fail(f"{name} changed its argument {label}.", "arguments unchanged", arguments, expected=value, given=left)
    again = student.call(name, *sent, **(options or {}))
    if not same_answer(answer, again):
        raise fail(f"{name} gave two different answers to the same call.", "same answer again", arguments)
    return answer


def expect_tuple(answer: Any, count: int, name: str, inputs: dict[str, Any]) -> None:
    if not isinstance(answer, tuple) or len(answer) != count:
        message = f"{name} should return a tuple of {count}, one gradient for each input, but returned {describe(answer)}."
        raise fail(message, "what is returned", inputs)


def same_answer(one: Any, other: Any) -> bool:
    """Bit for bit the same data."""
    if isinstance(one, Array) and isinstance(other, Array):
        return (one.dtype, one.shape, bytes(one.data)) == (other.dtype, other.shape, bytes(other.data))
    if isinstance(one, list | tuple) and type(one) is type(other):
        return len(one) == len(other) and all(same_answer(a, b) for a, b in zip(one, other, strict=True))
    return bool(type(one) is type(other) and (one == other or one != one))


def expect_jvp(
    student: "Student",
    name: str,
    reference: Callable[..., Numbers],
    points: Sequence[tuple[dict[str, Numbers], dict[str, Numbers]]],
    tolerance: Tolerance = VJP,
) -> None:
    """`name(*inputs, *tangents)` is the directional derivative, equal to the reference's."""
    for inputs, tangents in points:
        truth = reference(*inputs.values(), *tangents.values())
        shown = {**inputs, **{f"tangent of {key}": value for key, value in tangents.items()}}
        answer = ask_unchanged(student, name, shown, "contiguous")
        expect_close(answer, truth, f"{name}: the directional derivative", shown, tolerance)
