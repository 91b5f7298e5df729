"""Jacobians of every shape, whose products are computed beside the student's code, and how many products were asked for."""

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import (
    Student,
    Tolerance,
    array,
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
def built(student, matrices, reuse):
    """jacobian for every matrix, and the number of calls. With `reuse`, jvp and vjp each return one array again and again,
    and overwrite it once more after jacobian has returned."""
    import numpy as np

    def product(name, matrix, calls):
        buffer = np.zeros(matrix.shape[0])

        def multiply(v):
            if not isinstance(v, np.ndarray) or v.shape != matrix.shape[1:] or v.dtype != np.float64:
                is_array = isinstance(v, np.ndarray)
                given = f"one of shape {v.shape} and dtype {v.dtype}" if is_array else f"a {type(v).__name__}"
                raise ValueError(f"{name} expects a float64 array of shape {matrix.shape[1:]}, but received {given}")
            calls.append(name)
            if not reuse:
                return matrix @ v
            buffer[:] = matrix @ v
            return buffer

        return multiply, buffer

    answers = []
    for matrix in matrices:
        calls = []
        jvp, of_jvp = product("jvp", matrix, calls)
        vjp, of_vjp = product("vjp", matrix.T, calls)
        result = student.jacobian(jvp, vjp, matrix.shape[1], matrix.shape[0])
        of_jvp.fill(np.nan)
        of_vjp.fill(np.nan)
        answers.append({"jacobian": result, "calls": len(calls)})
    return answers


class Built(msgspec.Struct):
    """What the probe says about one Jacobian."""

    jacobian: Any
    calls: int


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
    answers = student.run(built, [array(matrix) for matrix in matrices], reuse, returns=list[Built])
    expect(len(answers) == len(matrices), "The Jacobians could not be read.")
    for matrix, answer in zip(matrices, answers, strict=True):
        n_out, n_in = matrix.shape
        what = f"The Jacobian for n_in = {n_in} and n_out = {n_out}"
        inputs = {"n_in": n_in, "n_out": n_out}
        expect_close(answer.jacobian, matrix, what, inputs, CLOSE)
        expect_calls(answer.calls, n_in, n_out)


def expect_calls(calls: int, n_in: int, n_out: int) -> None:
    budget = min(n_in, n_out)
    what, inputs = "the number of calls of jvp and vjp", {"n_in": n_in, "n_out": n_out}
    if calls > budget:
        message = f"jacobian made {count(calls)} of jvp and vjp in total; {count(budget)} suffice."
        raise fail(message, what, inputs, expected=budget, given=calls)
    if calls < budget:
        message = f"jacobian made {count(calls)} of jvp and vjp, which cannot determine the Jacobian."
        raise fail(message, what, inputs, expected=budget, given=calls)


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
    student.run(built, [array(matrix) for matrix in matrices], bool(rng.random() < 0.5), returns=list[Built])
    student.run(chosen, [list(shape) for shape in shapes if shape[0] != shape[1]], returns=list[Any])


# -- what a wrong answer shows -------------------------------------------------------------------------------------------


def either_if_square(answer: list[str], sizes: list[list[int]]) -> list[str]:
    modes = ("forward", "reverse")
    return ["either" if n_in == n_out and mode in modes else mode for mode, (n_in, n_out) in zip(answer, sizes, strict=True)]


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
symptom("always-reverse", calls_are(lambda n_out, n_in: n_out), check="tall-and-wide")
symptom("always-forward", calls_are(lambda n_out, n_in: n_in), check="tall-and-wide")
symptom("modes-swapped", calls_are(max), check="tall-and-wide")
symptom("one-call-too-many", more_calls)
symptom("reads-the-closure", calls_are(lambda n_out, n_in: 0), check="tall-and-wide")
symptom("operands-swapped", raises("expects a float64 array of shape"), raised=True)
