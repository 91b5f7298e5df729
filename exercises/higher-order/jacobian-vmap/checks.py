"""Jacobians against formulas in numpy. The functions themselves are built beside the student's code."""

from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Callback, Student, Tolerance, check, expect, expect_close, fail, probe, tensor, variety
from autograder.judge.diagnosis import raises, reads_as, symptom

CLOSE = Tolerance(1e-9, 1e-11)
LAYOUTS = ("contiguous", "transposed", "strided")
FLAT = ("constant", "constant that requires grad", "learned constant")


@probe
def jacobians(student, cases):
    """jacobian or batch_jacobian for every case, and what became of x. f tells the judge when it is called."""
    import torch

    def build(name, constants, called):
        learned = constants.clone().requires_grad_()
        fixed = torch.ones(3, dtype=constants.dtype).requires_grad_()
        functions = {
            "scalar": lambda t: t.sin() * t,
            "curve": lambda t: torch.stack([t**2, 3 * t, t.exp()]).reshape(3, 1),
            "potential": lambda t: (t**3 * learned).sum() + t.reshape(-1)[0] ** 2,
            "neighbours": lambda t: t**2 * t.roll(-1, 0),
            "outer": lambda t: (t**2)[:, None] * t[None, :],
            "row sums": lambda t: (t**2).sum(1) * t[:, 0],
            "transposed": lambda t: (t**3 * learned).T,
            "total": lambda t: t * t.sum(),
            "quotient": lambda t: t[1:] / t.sum(),
            "first": lambda t: torch.stack([t[0] ** 2, t[0] * t[-1], 5 * t[-1]]),
            "linear": lambda t: learned * t + 1,
            "offset": lambda t: t.sin() + 1e4,
            "constant": lambda t: torch.ones((2, 3), dtype=t.dtype),
            "constant that requires grad": lambda t: fixed,
            "learned constant": lambda t: (learned * learned).reshape(-1),
        }

        def f(t):
            called()
            return functions[name](t)

        return f

    answers = []
    for name, batch, x, constants, how, called in cases:
        if how != "plain":
            x.requires_grad_()
        if how == "grad":
            x.grad = torch.full_like(x, 0.5)
        result = (student.batch_jacobian if batch else student.jacobian)(build(name, constants, called), x)
        kept = x.requires_grad == (how != "plain")
        if how == "grad":
            kept = kept and x.grad is not None and bool((x.grad == 0.5).all())
        else:
            kept = kept and x.grad is None
        result = result.detach() if torch.is_tensor(result) else result
        answers.append({"result": result, "kept": kept})
    return answers


class Answer(msgspec.Struct):
    """What the probe says about one case."""

    result: Any
    kept: bool


class Case(msgspec.Struct):
    name: str
    x: Any
    constants: Any
    batch: bool = False
    how: str = "plain"
    layout: str = "contiguous"

    def sent(self) -> list[Any]:
        called = Callback("f", lambda: None)
        return [self.name, self.batch, tensor(self.x, layout=self.layout), tensor(self.constants), self.how, called]

    def truth(self) -> Numbers:
        if self.batch:
            return np.stack([derivatives(self.name, x, self.constants) for x in self.x])
        return derivatives(self.name, self.x, self.constants)


def derivatives(name: str, x: Numbers, constants: Numbers) -> Numbers:
    """The Jacobian by formula, of shape y.shape + x.shape."""
    n = x.size
    eye = np.eye(n)
    flat = x.reshape(-1)
    if name == "scalar":
        return np.asarray(np.sin(x) + x * np.cos(x))
    if name == "curve":
        return np.array([[2 * x], [3.0], [np.exp(x)]], dtype=float).reshape(3, 1)
    if name == "potential":
        result = np.asarray(3 * x**2 * constants)
        result.reshape(-1)[0] += 2 * flat[0]
        return result
    if name == "neighbours":
        return np.asarray(2 * np.diag(x * np.roll(x, -1)) + (x**2)[:, None] * np.roll(eye, 1, axis=1))
    if name == "outer":
        return np.einsum("i,j,ik->ijk", 2 * x, x, eye) + np.einsum("i,jk->ijk", x**2, eye)
    if name == "row sums":
        rows, columns = x.shape
        first = np.eye(columns)[0]
        each = 2 * x * x[:, :1] + (x**2).sum(1, keepdims=True) * first
        return np.einsum("ij,ia->iaj", each, np.eye(rows))
    if name == "transposed":
        rows, columns = x.shape
        return np.einsum("ab,ar,bc->barc", 3 * x**2 * constants, np.eye(rows), np.eye(columns))
    if name == "total":
        return np.asarray(eye * x.sum() + x[:, None])
    if name == "quotient":
        return np.asarray(eye[1:] / x.sum() - (x[1:] / x.sum() ** 2)[:, None])
    if name == "first":
        return np.asarray([2 * x[0] * eye[0], x[-1] * eye[0] + x[0] * eye[-1], 5 * eye[-1]])
    if name == "offset":
        return np.diag(np.cos(x))
    if name == "linear":
        return np.asarray((constants.reshape(-1)[:, None] * eye).reshape(x.shape * 2))
    shape = {"constant": (2, 3), "constant that requires grad": (3,)}.get(name, (constants.size,))
    return np.zeros(shape + x.shape)


def case_of(rng: np.random.Generator, name: str, *shape: int, **more: Any) -> Case:
    x, constants = (rng.uniform(0.4, 1.6, size=shape) * rng.choice([-1.0, 1.0], size=shape) for _ in range(2))
    if name == "quotient":
        x = np.abs(x)
    constants = constants[0] if more.get("batch") else constants
    return Case(name, np.asarray(x), np.asarray(constants), **more)


def expect_jacobians(student: Student, cases: list[Case]) -> None:
    for n, case in enumerate(cases):
        case.layout = LAYOUTS[n % 3]
    sent = [case.sent() for case in cases]
    answers = student.run(jacobians, sent, returns=list[Answer])
    expect(len(answers) == len(cases), "The Jacobians could not be read.")
    for case, (*_, called), answer in zip(cases, sent, answers, strict=True):
        who = "batch_jacobian" if case.batch else "jacobian"
        what = f"{who} of the function {case.name!r} for x of shape {case.x.shape}"
        shown = {"xb" if case.batch else "x": case.x}
        expect_close(answer.result, tensor(case.truth()), what, shown, CLOSE)
        if called.calls > 2 and not case.batch:
            message = f"f may be called at most twice, but was called {called.calls} times."
            raise fail(message, what, shown, expected=2, given=called.calls)
        expect(answer.kept, f"{who} changed .grad or requires_grad of its argument.", what, shown)


@check("The Jacobian of one function", points=2)
def one_function(student: Student, rng: np.random.Generator) -> None:
    cases = [case_of(rng, "first", 2), case_of(rng, "first", 4), case_of(rng, "neighbours", 3), case_of(rng, "outer", 2)]
    expect_jacobians(student, cases)


@check("One Jacobian for each sample", points=2)
def each_sample(student: Student, rng: np.random.Generator) -> None:
    expect_jacobians(student, [case_of(rng, "total", 4, 3, batch=True), case_of(rng, "quotient", 2, 4, batch=True)])


@check("Inputs and outputs of any shape", points=2.5, hidden=True)
def other_shapes(student: Student, rng: np.random.Generator) -> None:
    shapes: list[tuple[str, tuple[int, ...]]] = [
        *(("scalar", ()), ("curve", ()), ("potential", ()), ("potential", (2, 3)), ("potential", (3, 1, 2)), ("linear", ())),
        *(
            ("neighbours", (1,)),
            ("neighbours", (4,)),
            ("offset", (3,)),
            ("outer", (3,)),
            ("outer", (1,)),
            ("linear", (2, 2)),
        ),
        *(("row sums", (3, 2)), ("row sums", (2, 2)), ("row sums", (1, 3)), ("linear", (2, 1, 2))),
        *(("transposed", (2, 3)), ("transposed", (3, 3)), ("transposed", (3, 1))),
    ]
    cases = [case_of(rng, name, *shape) for name, shape in shapes]
    for name, at_zero in (("neighbours", (4,)), ("row sums", (3, 2)), ("potential", (2, 3)), ("scalar", ())):
        case = case_of(rng, name, *at_zero)
        case.x.reshape(-1)[:2] = 0.0
        cases.append(case)
    expect_jacobians(student, cases)


@check("Batches of any size, also as many samples as entries", points=2, hidden=True)
def other_batches(student: Student, rng: np.random.Generator) -> None:
    shapes = [("total", 3, 3), ("total", 1, 3), ("total", 1, 1), ("neighbours", 4, 4), ("neighbours", 2, 3)]
    shapes += [("quotient", 3, 3), ("quotient", 2, 2), ("first", 3, 3), ("first", 5, 1), ("linear", 3, 2)]
    expect_jacobians(student, [case_of(rng, name, b, n, batch=True) for name, b, n in shapes])


@check("Outputs that do not depend on the input", points=1.5, hidden=True, fixed="the derivative of a constant is 0")
def constants(student: Student, rng: np.random.Generator) -> None:
    cases = [
        case_of(rng, name, *shape, how=how) for name in FLAT for shape in ((), (3,), (2, 2)) for how in ("plain", "grad")
    ]
    cases += [case_of(rng, name, 3, 2, batch=True) for name in FLAT[1:]]
    expect_jacobians(student, cases)


@check("The argument is not modified", points=2, hidden=True)
def untouched(student: Student, rng: np.random.Generator) -> None:
    for how in ("plain", "leaf", "grad"):
        cases = [case_of(rng, "neighbours", 3, how=how), case_of(rng, "row sums", 2, 3, how=how)]
        expect_jacobians(student, [*cases, case_of(rng, "total", 2, 3, how=how, batch=True)])


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    n, rows, b = (int(k) for k in rng.integers(1, 5, size=3))
    shapes: list[tuple[str, tuple[int, ...]]] = [
        *(("scalar", ()), ("curve", ()), ("neighbours", (n,)), ("outer", (n,)), ("row sums", (rows, n)), ("total", (n,))),
        *(("transposed", (rows, n)), ("potential", (rows, n)), ("linear", (rows, 1, n)), ("first", (n,))),
        *((name, shape) for name in FLAT for shape in ((), (rows, n))),
    ]
    hows = ("plain", "leaf", "grad")
    cases = [case_of(rng, name, *shape, how=str(rng.choice(hows))) for name, shape in shapes]
    for name in ("total", "neighbours", "first", "linear", *FLAT[1:]):
        cases.append(case_of(rng, name, b, n, batch=True, how=str(rng.choice(hows))))
    for case in cases:
        case.x *= rng.random(case.x.shape) < 0.8
    student.run(jacobians, [case.sent() for case in cases], returns=list[Answer])


# -- what a wrong answer shows -------------------------------------------------------------------------------------------


def with_calls(answers: list[dict[str, Any]], cases: list[Any]) -> list[dict[str, Any]]:
    """More calls than are allowed; below that their number is free."""
    many = [max(0, called.calls - 2) * (not batch) for _, batch, *_, called in cases]
    return [{**answer, "more calls": more} for answer, more in zip(answers, many, strict=True)]


reads_as("jacobians", with_calls)
symptom("one-call-too-many", lambda right, given: any(entry["more calls"] for entry in given), check="one-function")
symptom("writes-grad", lambda right, given: not all(entry["kept"] for entry in given), check="untouched")
symptom("crash-when-constant", raises("does not require grad", "not have been used"), check="constants", raised=True)
