"""Solutions and gradients against dense linear algebra in numpy, and what fixed_point saves and evaluates on the way."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import torch

from autograder.judge.arrays import Numbers, to_numpy
from autograder.judge.checks import Student, Tolerance, check, describe, expect, expect_close, fail, probe, tensor, variety
from autograder.judge.diagnosis import forward_of, raises, reads_as, symptom
from sandbox.wire import Array

LINEAR = Tolerance(1e-8, 1e-12)
IMPLICIT = Tolerance(1e-6, 1e-12)
LAYOUTS = ("contiguous", "transposed", "strided")


# -- linear systems ------------------------------------------------------------------------------------------------------


@probe
def systems(student, cases):
    """All systems `(A, b, g, need)` are solved first, then pulled. The solution and the gradients of A and b."""
    import torch

    solved = []
    for A, b, g, need in cases:
        A.requires_grad_("A" in need)
        b.requires_grad_("b" in need)
        solved.append(student.linear_solve(A, b))
    answers = []
    for (A, b, g, need), x in zip(cases, solved):
        wanted = [t for t in (A, b) if t.requires_grad]
        arriving = iter(torch.autograd.grad(x, wanted, g, allow_unused=True))
        answers.append([x.detach(), *(next(arriving) if t.requires_grad else None for t in (A, b))])
    return answers


def system(rng: np.random.Generator, n: int, columns: int | None, need: str = "A and b") -> list[Any]:
    """A system whose matrix is far from singular and far from symmetric, with an upstream gradient."""
    A = np.diag(rng.choice([-1.0, 1.0], n) * rng.uniform(2.0, 3.0, n)) + np.triu(rng.normal(size=(n, n)), 1)
    A = A + 0.3 * np.tril(rng.normal(size=(n, n)), -1) / n
    shape = (n,) if columns is None else (n, columns)
    return [A, rng.normal(size=shape), rng.normal(size=shape), need]


def expect_systems(student: Student, cases: list[list[Any]]) -> None:
    sent = [
        [*(tensor(t, layout=LAYOUTS[(k + n) % 3]) for n, t in enumerate(case[:3])), case[3]] for k, case in enumerate(cases)
    ]
    answers = student.run(systems, sent, returns=list[tuple[Any, Any, Any]])
    expect(len(answers) == len(cases), "The solutions of the linear systems could not be read.")
    for (A, b, g, need), (x, of_a, of_b) in zip(cases, answers, strict=True):
        shown = {"A": A, "b": b}
        inverse = np.linalg.inv(A)
        truth = inverse @ b
        expect_close(x, tensor(truth), "linear_solve(A, b)", shown, LINEAR)
        shown["upstream"] = g
        db = inverse.T @ g
        dA = -np.outer(db, truth) if b.ndim == 1 else -db @ truth.T
        for name, given, right in (("A", of_a, dA), ("b", of_b, db)):
            what = f"The gradient of linear_solve with respect to {name}"
            if name in need and given is None:
                raise fail(f"{what} is missing: no gradient arrives there.", what, shown, expected=tensor(right))
            if name in need:
                expect_close(given, tensor(right), what, shown, LINEAR)


# -- fixed points --------------------------------------------------------------------------------------------------------


@probe
def equilibria(student, cases, measured):
    """All calls `(name, theta, z0, constants, g, how)` of fixed_point are made first, then pulled. The solution, the gradients
    of theta and z0, what was saved and evaluated, and whether the arguments are as they were."""
    import torch

    build = {
        "tanh": lambda z, t, c: 0.5 * torch.tanh(c[0] @ z) + c[1] @ t,
        "matrix": lambda z, t, c: 0.9 * torch.sin(t @ z + c[0]),
        "number": lambda z, t, c: 0.5 * torch.cos(t * z.roll(1)) + c[0],
        "slow": lambda z, t, c: 0.95 * torch.tanh(z.roll(1)) + t,
    }
    pending = []
    for name, theta, z0, constants, g, how in cases:
        calls = []

        def f(z, t, name=name, constants=constants, calls=calls):
            calls.append(1)
            return build[name](z, t, constants)

        theta.requires_grad_()
        theta.grad = torch.full_like(theta, 0.5)
        z0.requires_grad_(how == "z0 requires grad")
        given = 2 * theta if how == "theta computed" else theta
        packed = []

        def pack(saved, packed=packed):
            packed.append(saved)
            return saved

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda saved: saved):
            z = student.fixed_point(f, given, z0)
        sizes = {t.untyped_storage().data_ptr(): t.numel() for t in packed}
        pending.append([z, calls, len(calls), sum(sizes.values())])
    answers = []
    for (name, theta, z0, constants, g, how), (z, calls, evaluated, saved) in zip(cases, pending):
        wanted = [theta, z0] if z0.requires_grad else [theta]
        of_theta, *of_z0 = torch.autograd.grad(z, wanted, g, allow_unused=True)
        kept = theta.grad is not None and bool((theta.grad == 0.5).all()) and z0.grad is None
        kept = kept and theta.requires_grad and z0.requires_grad == (how == "z0 requires grad")
        answer = {"z": z.detach(), "of_theta": of_theta, "of_z0": of_z0[0] if of_z0 else None, "kept": kept}
        counts = [saved, evaluated, len(calls) - evaluated] if measured else [0, 1, 0]
        answers.append({**answer, "saved": counts[0], "forward": counts[1], "backward": counts[2]})
    return answers


class Equilibrium(msgspec.Struct):
    """What the probe says about one fixed point."""

    z: Any
    of_theta: Any
    of_z0: Any
    kept: bool
    saved: int
    forward: int
    backward: int


@dataclass(frozen=True)
class Problem:
    """A contraction `f`, with its derivative in z as a matrix and the product of a vector with its derivative in theta."""

    name: str
    theta: Numbers
    z0: Numbers
    constants: list[Numbers]
    g: Numbers
    how: str = ""

    @property
    def at(self) -> Numbers:
        return 2 * self.theta if self.how == "theta computed" else self.theta

    def f(self, z: Numbers) -> Numbers:
        t, c = self.at, self.constants
        formulas: dict[str, Callable[[], Numbers]] = {
            "tanh": lambda: 0.5 * np.tanh(c[0] @ z) + c[1] @ t,
            "matrix": lambda: 0.9 * np.sin(t @ z + c[0]),
            "number": lambda: 0.5 * np.cos(t * np.roll(z, 1)) + c[0],
            "slow": lambda: 0.95 * np.tanh(np.roll(z, 1)) + t,
        }
        return formulas[self.name]()

    def jacobian(self, z: Numbers) -> Numbers:
        t, c = self.at, self.constants
        shift = np.roll(np.eye(len(z)), 1, axis=0)  # shift @ z is np.roll(z, 1)
        formulas: dict[str, Callable[[], Numbers]] = {
            "tanh": lambda: 0.5 * (1 - np.tanh(c[0] @ z) ** 2)[:, None] * c[0],
            "matrix": lambda: 0.9 * np.cos(t @ z + c[0])[:, None] * t,
            "number": lambda: (-0.5 * t * np.sin(t * np.roll(z, 1)))[:, None] * shift,
            "slow": lambda: 0.95 * (1 - np.tanh(np.roll(z, 1)) ** 2)[:, None] * shift,
        }
        return formulas[self.name]()

    def pull(self, z: Numbers, v: Numbers) -> Numbers:
        t, c = self.at, self.constants
        formulas: dict[str, Callable[[], Numbers]] = {
            "tanh": lambda: c[1].T @ v,
            "matrix": lambda: np.outer(0.9 * np.cos(t @ z + c[0]) * v, z),
            "number": lambda: np.asarray((-0.5 * np.roll(z, 1) * np.sin(t * np.roll(z, 1)) * v).sum()),
            "slow": lambda: v,
        }
        return formulas[self.name]() * (2 if self.how == "theta computed" else 1)

    def solved(self) -> tuple[Numbers, Numbers]:
        """The solution, by Newton's method, and the gradient of theta."""
        z, one = self.z0.copy(), np.eye(len(self.z0))
        for _ in range(100):  # a few fixed-point steps lead into the range of Newton's method
            z = self.f(z)
        for _ in range(6):
            z = z - np.linalg.solve(one - self.jacobian(z), z - self.f(z))
        return z, self.pull(z, np.linalg.solve((one - self.jacobian(z)).T, self.g))


def problem(rng: np.random.Generator, name: str, n: int, how: str = "") -> Problem:
    square = rng.normal(size=(n, n))
    square = square / np.linalg.norm(square, 2)  # not symmetric, of norm 1
    theta, constants = {
        "tanh": lambda: (rng.normal(size=3), [square, rng.normal(size=(n, 3))]),
        "matrix": lambda: (square * (0.5 if how == "theta computed" else 1.0), [rng.normal(size=n)]),
        "number": lambda: (np.asarray(rng.uniform(0.4, 0.9)), [rng.normal(size=n)]),
        "slow": lambda: (0.01 * rng.normal(size=n), []),
    }[name]()
    return Problem(name, theta, rng.normal(size=n), constants, rng.normal(size=n), how)


def asked(student: Student, problems: list[Problem]) -> list[Equilibrium]:
    sent = [[p.name, *map(tensor, (p.theta, p.z0)), list(map(tensor, p.constants)), tensor(p.g), p.how] for p in problems]
    answers = student.run(equilibria, sent, True, returns=list[Equilibrium])
    expect(len(answers) == len(problems), "The results of fixed_point could not be read.")
    return answers


def expect_solution(p: Problem, answer: Equilibrium) -> None:
    z, _ = p.solved()
    shown = {"f": p.name, "theta": p.at, "z0": p.z0}
    what = f"The solution of fixed_point for f = {p.name}"
    expect_close(answer.z, tensor(z), what, shown, Tolerance(0.0, 1e-8))
    given = to_numpy(answer.z)
    residual = float(np.linalg.norm(p.f(given) - given))
    message = f"{what} is not accurate enough: the norm of f(z, theta) - z is {residual:.1e}, but it should be below 1e-10."
    expect(residual < 1e-10, message, what, shown, expected=tensor(z), given=answer.z)


def expect_gradient(p: Problem, answer: Equilibrium) -> None:
    _, gradient = p.solved()
    shown = {"f": p.name, "theta": p.at, "z0": p.z0, "upstream": p.g}
    what = f"The gradient of fixed_point with respect to theta for f = {p.name}"
    if answer.of_theta is None:
        raise fail(f"{what} is missing: no gradient arrives there.", what, shown, expected=tensor(gradient))
    expect_close(answer.of_theta, tensor(gradient), what, shown, IMPLICIT)


def expect_cheap(p: Problem, answer: Equilibrium) -> None:
    limit = 20 * (p.z0.size + p.theta.size)
    message = f"fixed_point saves {answer.saved} elements for its backward pass; at most {limit} are allowed here."
    expect(answer.saved <= limit, message, "elements saved for backward", expected=limit, given=answer.saved)
    for when, count in (("fixed_point", answer.forward), ("the backward pass of fixed_point", answer.backward)):
        message = f"f was evaluated {count} times in {when}; at most 5000 evaluations are allowed."
        expect(count <= 5000, message, "evaluations of f", expected=5000, given=count)


# -- the checks ----------------------------------------------------------------------------------------------------------


@check("linear_solve for one right-hand side", points=2)
def linear_vector(student: Student, rng: np.random.Generator) -> None:
    expect_systems(student, [system(rng, 3, None), system(rng, 4, None)])


@check("fixed_point: the solution", points=2)
def solution_simple(student: Student, rng: np.random.Generator) -> None:
    problems = [problem(rng, "tanh", 4), problem(rng, "number", 3)]
    for p, answer in zip(problems, asked(student, problems), strict=True):
        expect_solution(p, answer)


@check("fixed_point: the gradient, and what is saved for it", points=3)
def gradient_simple(student: Student, rng: np.random.Generator) -> None:
    problems = [problem(rng, "tanh", 4), problem(rng, "number", 3)]
    for p, answer in zip(problems, asked(student, problems), strict=True):
        expect_gradient(p, answer)
        expect_cheap(p, answer)


@check("linear_solve for several right-hand sides", points=3, hidden=True)
def linear_matrix(student: Student, rng: np.random.Generator) -> None:
    sizes = ((3, 2), (2, 5), (4, 4), (3, 1), (1, 3))
    expect_systems(student, [system(rng, n, columns) for n, columns in sizes])


@check("linear_solve of size 1, with zeros, and with a gradient for A or b alone", points=1, hidden=True)
def linear_special(student: Student, rng: np.random.Generator) -> None:
    cases = [system(rng, 1, None), system(rng, 1, 1), system(rng, 5, None)]
    cases += [system(rng, 3, columns, need) for columns in (None, 2) for need in ("A", "b")]
    sparse = [system(rng, 4, None), system(rng, 4, None), system(rng, 3, 3), system(rng, 3, 3)]
    sparse[0][1][:] = 0.0
    sparse[1][2][:2] = -0.0
    sparse[2][1][:, 1], sparse[2][2][:, 0], sparse[2][2][:, 2] = 0.0, 0.0, -0.0
    sparse[3][0] = np.roll(np.diag(rng.uniform(0.5, 2.0, 3)), 1, axis=0)  # zeros along the diagonal
    expect_systems(student, cases + sparse)


@check("fixed_point for other functions and shapes of theta", points=4, hidden=True)
def other_functions(student: Student, rng: np.random.Generator) -> None:
    problems = [problem(rng, "matrix", 3), problem(rng, "tanh", 5), problem(rng, "number", 4), problem(rng, "tanh", 1)]
    problems[1].z0[:2], problems[2].z0[:] = 0.0, 0.0
    for p, answer in zip(problems, asked(student, problems), strict=True):
        expect_solution(p, answer)
        expect_gradient(p, answer)


@check("A slow contraction: solution, gradient, memory and evaluations", points=3, hidden=True, seconds=1)
def slow(student: Student, rng: np.random.Generator) -> None:
    p = problem(rng, "slow", 20)
    (answer,) = asked(student, [p])
    expect_solution(p, answer)
    expect_gradient(p, answer)
    expect_cheap(p, answer)


@check("No gradient for z0, and the arguments are not modified", points=2, hidden=True)
def arguments(student: Student, rng: np.random.Generator) -> None:
    problems = [problem(rng, name, 3, "z0 requires grad") for name in ("tanh", "matrix")]
    problems += [problem(rng, name, 3, "theta computed") for name in ("tanh", "matrix")]
    for p, answer in zip(problems, asked(student, problems), strict=True):
        expect_solution(p, answer)
        expect_gradient(p, answer)
        stray = answer.of_z0
        if stray is not None and (not isinstance(stray, Array) or to_numpy(stray).any()):
            what = "The gradient of fixed_point with respect to z0"
            raise fail(f"{what} should be None or zero, but is {describe(stray)}.", what, {"z0": p.z0}, given=stray)
        expect(
            answer.kept, "fixed_point changed .grad or requires_grad of an argument.", "the arguments", {"theta": p.theta}
        )


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    def sparse(*shape: int) -> Numbers:
        return np.asarray(rng.normal(size=shape) * (rng.random(shape) < 0.8))

    cases = []
    for need in ("A and b", "A", "b"):
        n, columns = (int(size) for size in rng.integers(1, 5, size=2))
        A, b, g, _ = system(rng, n, None if rng.random() < 0.4 else columns)
        cases.append([tensor(A), tensor(sparse(*b.shape)), tensor(sparse(*g.shape)), need])
    student.run(systems, cases, returns=list[Any])
    problems = [
        problem(rng, name, int(rng.integers(1, 5)), str(rng.choice(["", "z0 requires grad", "theta computed"])))
        for name in ("tanh", "matrix", "number", "slow")
    ]
    sent = [
        [p.name, *map(tensor, (p.theta, p.z0 * rng.choice([0.0, 1.0]))), list(map(tensor, p.constants)), tensor(p.g), p.how]
        for p in problems
    ]
    student.run(equilibria, sent, False, returns=list[Equilibrium])


# -- what a wrong answer shows -------------------------------------------------------------------------------------------


def solutions(answer: list[dict[str, Any]], *_: Any) -> list[dict[str, Any]]:
    """Without what depends on how the solution was found, as far as it is allowed."""
    found = []
    for entry in answer:
        small = entry["saved"] <= 20 * (_size(entry["z"]) + _size(entry["of_theta"]))
        few = max(entry["forward"], entry["backward"]) <= 5000
        of_z0 = None if entry["of_z0"] is None or not to_numpy(entry["of_z0"]).any() else entry["of_z0"]
        rest = {name: entry[name] for name in ("z", "of_theta", "kept")}
        found.append({**rest, "of_z0": of_z0, "saved": small or "too much", "evaluations": few or "too many"})
    return found


def _size(value: Any) -> int:
    return to_numpy(value).size if isinstance(value, Array) else 0


def nearly_solved(right: Any, given: Any) -> bool:
    """Some solutions have only a part of the digits, and everything else follows from this."""
    errors = [np.abs(to_numpy(mine["z"]) - to_numpy(truth["z"])).max() for truth, mine in zip(right, given, strict=True)]
    return bool(1e-10 < max(errors) < 0.1)


reads_as("equilibria", solutions)
forward_of("linear_solve", lambda A, b: torch.linalg.inv(A) @ b)
symptom("unrolled", lambda right, given: any(entry["saved"] == "too much" for entry in given))
symptom("too-many-evaluations", lambda right, given: any(entry["evaluations"] == "too many" for entry in given))
for where in ("gradient-simple", "slow", "other-functions", "arguments", "linear-vector"):
    symptom("detached-saved-value", raises("does not require grad"), check=where, raised=True)
for where in ("solution-simple", "other-functions", "slow", "arguments"):
    symptom("not-converged", nearly_solved, check=where)
for where in ("linear-matrix", "linear-special"):
    symptom("one-right-hand-side", raises("invalid gradient at index"), check=where, raised=True)
