"""Jacobians of every shape, whose products are computed here, and how many products were asked for."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import (
    Callback,
    Student,
    Tolerance,
    check,
    expect,
    expect_close,
    expect_equal,
    fail,
    probe,
    variety,
)
from autograder.judge.diagnosis import raises, reads_as, symptom

CLOSE = Tolerance(1e-9, 1e-12)


@probe
def chosen(student, sizes):
    """choose at every pair of sizes."""
    return [student.choose(n_in, n_out) for n_in, n_out in sizes]


@probe
def built(student, cases, reuse):
    """jacobian for every case. With `reuse`, jvp and vjp each return one array again and again, and overwrite it once more
    after jacobian has returned."""
    import numpy as np

    def product(callback, length):
        buffer = np.zeros(length)

        def multiply(v):
            if not reuse:
                return callback(v)
            buffer[:] = callback(v)
            return buffer

        return multiply, buffer

    answers = []
    for n_out, n_in, jvp, vjp in cases:
        forward, of_forward = product(jvp, n_out)
        reverse, of_reverse = product(vjp, n_in)
        answers.append(student.jacobian(forward, reverse, n_in, n_out))
        of_forward.fill(np.nan)
        of_reverse.fill(np.nan)
    return answers


def products(matrix: Numbers) -> list[Any]:
    """What a case consists of. The matrix stays here, and so does the number of calls."""
    return [*matrix.shape, multiplication("jvp", matrix), multiplication("vjp", matrix.T)]


def multiplication(name: str, matrix: Numbers) -> Callback:
    def multiply(v: Any) -> Numbers:
        if not isinstance(v, np.ndarray) or v.shape != matrix.shape[1:] or v.dtype != np.float64:
            is_array = isinstance(v, np.ndarray)
            given = f"one of shape {v.shape} and dtype {v.dtype}" if is_array else f"a {type(v).__name__}"
            raise ValueError(f"{name} expects a float64 array of shape {matrix.shape[1:]}, but received {given}")
        return np.asarray(matrix @ v)

    return Callback(name, multiply)


def matrix_of(rng: np.random.Generator, n_out: int, n_in: int) -> Numbers:
    return np.asarray(rng.uniform(0.5, 2.0, size=(n_out, n_in)) * rng.choice([-1.0, 1.0], size=(n_out, n_in)))


def expect_modes(student: Student, sizes: list[tuple[int, int]]) -> None:
    answers = student.run(chosen, [list(pair) for pair in sizes], returns=list[Any])
    expect(len(answers) == len(sizes), "The answers of choose could not be read.")
    for (n_in, n_out), given in zip(sizes, answers, strict=True):
        inputs = {"n_in": n_in, "n_out": n_out}
        if n_in != n_out:
            expect_equal(given, "forward" if n_in < n_out else "reverse", f"choose({n_in}, {n_out})", inputs)
        elif given not in ("forward", "reverse"):
            raise fail('choose should return "forward" or "reverse".', f"choose({n_in}, {n_out})", inputs, given=given)


def expect_jacobians(student: Student, matrices: list[Numbers], *, reuse: bool = False) -> None:
    cases = [products(matrix) for matrix in matrices]
    answers = student.run(built, cases, reuse, returns=list[Any])
    expect(len(answers) == len(matrices), "The Jacobians could not be read.")
    for matrix, answer, case in zip(matrices, answers, cases, strict=True):
        n_out, n_in = matrix.shape
        what = f"The Jacobian for n_in = {n_in} and n_out = {n_out}"
        inputs = {"n_in": n_in, "n_out": n_out}
        expect_close(answer, matrix, what, inputs, CLOSE)
        expect_calls(calls_of(case), n_in, n_out)


def expect_calls(calls: int, n_in: int, n_out: int) -> None:
    budget = min(n_in, n_out)
    what, inputs = "the number of calls of jvp and vjp", {"n_in": n_in, "n_out": n_out}
    if calls > budget:
        message = f"jacobian made {count(calls)} of jvp and vjp in total; {count(budget)} suffice."
        raise fail(message, what, inputs, expected=budget, given=calls)
    if calls < budget:
        message = f"jacobian made {count(calls)} of jvp and vjp, which cannot determine the Jacobian."
        raise fail(message, what, inputs, expected=budget, given=calls)


def calls_of(case: list[Any]) -> int:
    return sum(part.calls for part in case if isinstance(part, Callback))


def count(calls: int) -> str:
    return "1 call" if calls == 1 else f"{calls} calls" if calls else "no calls"


@check("The cheaper mode", points=1)
def cheaper_mode(student: Student, rng: np.random.Generator) -> None:
    low, high = int(rng.integers(2, 6)), int(rng.integers(7, 30))
    expect_modes(student, [(low, high), (high, low), (1, high), (high, 1)])


@check("A tall and a wide Jacobian, with as few calls as possible", points=2)
def tall_and_wide(student: Student, rng: np.random.Generator) -> None:
    expect_jacobians(student, [matrix_of(rng, 5, 2), matrix_of(rng, 2, 5)])


@check("The cheaper mode for any sizes", points=0.5, hidden=True)
def any_mode(student: Student, rng: np.random.Generator) -> None:
    n = int(rng.integers(3, 1000))
    expect_modes(student, [(n, n + 1), (n + 1, n), (0, n), (n, 0), (0, 1), (1, 0), (1, 2), (2, 1), (n, n), (1, 1), (0, 0)])


@check("Other shapes", points=1.5, hidden=True)
def other_shapes(student: Student, rng: np.random.Generator) -> None:
    shapes = [(3, 3), (4, 4), (1, 1), (1, 6), (6, 1), (3, 4), (4, 3), (2, 2)]
    with_zeros = [matrix_of(rng, n_out, n_in) for n_out, n_in in ((3, 4), (5, 3), (3, 3))]
    for matrix in with_zeros:
        matrix[0], matrix[:, -1], matrix[-1, 0] = 0.0, 0.0, -0.0
    expect_jacobians(student, [*(matrix_of(rng, *shape) for shape in shapes), *with_zeros])


@check("Results that are overwritten by the next call", points=2, hidden=True)
def reused_buffers(student: Student, rng: np.random.Generator) -> None:
    shapes = [(5, 2), (2, 5), (3, 3), (1, 4), (4, 1), (1, 1)]
    expect_jacobians(student, [matrix_of(rng, *shape) for shape in shapes], reuse=True)


@check("No inputs or no outputs", points=1, hidden=True, fixed="an empty Jacobian has no entries")
def empty(student: Student, rng: np.random.Generator) -> None:
    expect_jacobians(student, [np.zeros(shape) for shape in ((3, 0), (0, 3), (0, 0), (1, 0), (0, 1))])


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    shapes = [(int(rng.integers(0, 6)), int(rng.integers(0, 6))) for _ in range(6)]
    matrices = [matrix_of(rng, *shape) * (rng.random(shape) < 0.8) for shape in shapes]
    student.run(built, [products(matrix) for matrix in matrices], bool(rng.random() < 0.5), returns=list[Any])
    student.run(chosen, [list(shape) for shape in shapes if shape[0] != shape[1]], returns=list[Any])


# -- what a wrong answer shows -------------------------------------------------------------------------------------------


def either_if_square(answer: list[str], sizes: list[list[int]]) -> list[str]:
    modes = ("forward", "reverse")
    return ["either" if n_in == n_out and mode in modes else mode for mode, (n_in, n_out) in zip(answer, sizes, strict=True)]


def with_calls(answer: list[Any], cases: list[Any], reuse: bool) -> list[dict[str, Any]]:
    return [{"jacobian": one, "calls": calls_of(case)} for one, case in zip(answer, cases, strict=True)]


def calls_are(expected: Callable[[int, int], int]) -> Callable[[Any, Any], bool]:
    """Whether every Jacobian of the wrong answer took this many calls, by its numbers of outputs and inputs."""

    def when(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
        return all(entry["calls"] == expected(*truth["jacobian"].shape) for truth, entry in zip(right, given, strict=True))

    return when


def more_calls(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    """More calls, but not as many as those of a single wrong mode."""
    by_mode = (lambda n_out, n_in: n_out, lambda n_out, n_in: n_in, max)
    more = any(entry["calls"] > truth["calls"] for truth, entry in zip(right, given, strict=True))
    return more and not any(calls_are(calls)(right, given) for calls in by_mode)


reads_as("chosen", either_if_square)
reads_as("built", with_calls)
symptom("always-reverse", calls_are(lambda n_out, n_in: n_out), check="tall-and-wide")
symptom("always-forward", calls_are(lambda n_out, n_in: n_in), check="tall-and-wide")
symptom("modes-swapped", calls_are(max), check="tall-and-wide")
symptom("one-call-too-many", more_calls)
symptom("reads-the-closure", calls_are(lambda n_out, n_in: 0), check="tall-and-wide")
symptom("operands-swapped", raises("expects a float64 array of shape"), raised=True)
