"""Functions with Jacobians known by formula, computed here with numpy. Every answer is one product, row or column of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, check, expect, expect_close, fail, probe, tensor, to_numpy, variety
from autograder.judge.diagnosis import raises, reads_as, symptom

Question = tuple[str, Any]  # the entry point, and its third argument
FUNCTIONS = ("vjp", "jacobian_row", "jacobian_col")
STATES = ("does not require grad", "requires grad", "holds a gradient", "has a history")
FLAT = ("constant", "learned constant", "partly constant", "partly unused")


@probe
def derived(student, cases):
    """In each case, build f, ask everything about it, and tell what became of x."""
    import torch

    def asked(name, x, constants, questions, how):
        learned = constants.clone().requires_grad_()
        f = {
            "layer": lambda t: torch.tanh(constants @ t),
            "table": lambda t: (t @ constants) ** 2,
            "transposed": lambda t: (t * t * constants).T,
            "scalar output": lambda t: (constants * t**3).sum(),
            "scalar input": lambda t: constants * t * t,
            "linear": lambda t: constants @ t,
            "learned": lambda t: learned * torch.sin(t),
            "identity": lambda t: t,
            "constant": lambda t: constants * 2.0,
            "learned constant": lambda t: learned * learned,
            "partly constant": lambda t: torch.cat([t * t, constants]),
            "partly unused": lambda t: t[:2] * constants * t[1],
        }[name]
        source = x
        if how != "does not require grad":
            x.requires_grad_()
        if how == "holds a gradient":
            x.grad = torch.full_like(x, 0.5)
        if how == "has a history":
            x = source * 1.0
        values, wanted = x.detach().clone(), x.requires_grad
        answers = [getattr(student, which)(f, x, argument) for which, argument in questions]
        flags = x.requires_grad == wanted and bool((x.detach() == values).all())
        if how == "holds a gradient":
            flags = flags and x.grad is not None and bool((x.grad == 0.5).all())
        else:
            flags = flags and source.grad is None
        if how == "has a history":
            flags = flags and x.grad_fn is not None
        return {"answers": answers, "flags": flags}

    return [asked(*case) for case in cases]


class Derived(msgspec.Struct):
    """`flags` says whether x has the values, the requires_grad and the .grad that it had."""

    answers: list[Any]
    flags: bool


def jacobian(name: str, x: Numbers, c: Numbers) -> tuple[Numbers, tuple[int, ...]]:
    """The Jacobian of the flattened output with respect to the flattened input, and the shape of the output."""
    if name == "layer":
        return (1 - np.tanh(c @ x) ** 2)[:, None] * c, (len(c),)
    if name == "linear":
        return c, (len(c),)
    if name == "table":
        shape = (len(x), c.shape[1])
        by_row = 2 * (x @ c)[:, :, None] * c.T[None]  # output row, output column, input column
        blocks = np.zeros((*shape, *x.shape))
        for row in range(len(x)):
            blocks[row, :, row] = by_row[row]
        return blocks.reshape(shape[0] * shape[1], x.size), shape
    if name == "transposed":
        rows, columns = x.shape
        slopes = np.diag((2 * x * c).ravel())
        order = np.arange(x.size).reshape(rows, columns).T.ravel()
        return slopes[order], (columns, rows)
    if name == "scalar output":
        return (3 * c * x * x).reshape(1, -1), ()
    if name == "scalar input":
        return (2 * c * x).reshape(-1, 1), c.shape
    if name == "learned":
        return np.diag((c * np.cos(x)).ravel()), x.shape
    if name == "identity":
        return np.eye(x.size), x.shape
    if name == "partly constant":
        return np.concatenate([np.diag(2 * x), np.zeros((len(c), len(x)))]), (len(x) + len(c),)
    if name == "partly unused":
        result = np.zeros((2, len(x)))
        result[0, 0], result[0, 1], result[1, 1] = c[0] * x[1], c[0] * x[0], 2 * c[1] * x[1]
        return result, (2,)
    return np.zeros((c.size, x.size)), c.shape


def numbers(rng: np.random.Generator, *shape: int) -> Numbers:
    return np.asarray(rng.uniform(0.4, 1.6, size=shape) * rng.choice([-1.0, 1.0], size=shape))


def point(rng: np.random.Generator, name: str, m: int, n: int) -> tuple[Numbers, Numbers]:
    """x and the constants of a function with about m outputs and n inputs."""
    if name in ("layer", "linear"):
        return numbers(rng, n), numbers(rng, m, n) / n
    if name == "table":
        return numbers(rng, 2, n), numbers(rng, n, m)
    if name == "transposed":
        return numbers(rng, m, n), numbers(rng, m, n)
    if name == "scalar input":
        return numbers(rng), numbers(rng, m)
    if name in ("constant", "learned constant"):
        return numbers(rng, n), numbers(rng, m, 2)
    if name == "partly constant":
        return numbers(rng, n), numbers(rng, m)
    if name == "partly unused":
        return numbers(rng, n + 2), numbers(rng, 2)
    return numbers(rng, m, n), numbers(rng, m, n)


def truth(which: str, argument: Any, matrix: Numbers, x: Numbers, shape: tuple[int, ...]) -> Numbers:
    if which == "vjp":
        return np.asarray(np.ravel(argument) @ matrix).reshape(x.shape)
    if which == "jacobian_row":
        return np.asarray(matrix[argument]).reshape(x.shape)
    return np.asarray(matrix[:, argument]).reshape(shape)


def everything(rng: np.random.Generator, which: str, matrix: Numbers, shape: tuple[int, ...]) -> list[Question]:
    """Every row, every column, or several products, and one of them again."""
    outputs, inputs = matrix.shape
    if which == "jacobian_row":
        return [(which, int(i)) for i in [*rng.permutation(outputs), 0]]
    if which == "jacobian_col":
        return [(which, int(j)) for j in [*rng.permutation(inputs), 0]] if inputs else []
    some, sparse = (np.asarray(rng.normal(size=shape)) for _ in range(2))
    sparse = sparse * (rng.random(shape) < 0.5)
    return [(which, some), (which, sparse), (which, some)]


@dataclass(frozen=True)
class Case:
    """A function of about `m` outputs and `n` inputs. `zeros` is how many of the first entries of x are 0."""

    name: str
    m: int = 3
    n: int = 2
    how: str = "does not require grad"
    layout: str = "contiguous"
    zeros: int = 0


def expect_derivatives(student: Student, rng: np.random.Generator, which: tuple[str, ...], *cases: Case) -> None:
    drawn = []
    for case in cases:
        x, constants = point(rng, case.name, case.m, case.n)
        x.flat[: case.zeros] = 0.0
        matrix, shape = jacobian(case.name, x, constants)
        questions = [question for function in which for question in everything(rng, function, matrix, shape)]
        drawn.append((case, x, constants, matrix, shape, questions))
    sent = [
        [case.name, tensor(x, layout=case.layout), tensor(constants), on_the_wire(questions), case.how]
        for case, x, constants, _, _, questions in drawn
    ]
    answers = student.run(derived, sent, returns=list[Derived])
    if [len(answer.answers) for answer in answers] != [len(questions) for *_, questions in drawn]:
        raise fail("The answers of your functions could not be read.")
    for answer, (case, x, _, matrix, shape, questions) in zip(answers, drawn, strict=True):
        for (function, argument), given in zip(questions, answer.answers, strict=True):
            third = {"vjp": "v", "jacobian_row": "i", "jacobian_col": "j"}[function]
            shown: dict[str, Any] = {"f": case.name, "x": x, third: argument, "the Jacobian": matrix}
            what = f"{function} for the function '{case.name}', whose Jacobian is {matrix.shape[0]} × {matrix.shape[1]},"
            expect_close(given, tensor(truth(function, argument, matrix, x, shape)), what, shown, plain=True)
        message = "After the call, x should have the requires_grad and the .grad that it had before."
        expect(answer.flags, message, "x after the call", {"f": case.name, "x": case.how})


def on_the_wire(questions: list[Question]) -> list[Any]:
    return [[function, tensor(a) if function == "vjp" else a] for function, a in questions]


@check("vjp: a Jacobian that is not square, and a square one", points=2)
def product(student: Student, rng: np.random.Generator) -> None:
    expect_derivatives(student, rng, ("vjp",), Case("layer", 2, 4), Case("layer", 3, 3))


@check("jacobian_row: every row", points=1.5)
def rows(student: Student, rng: np.random.Generator) -> None:
    expect_derivatives(student, rng, ("jacobian_row",), Case("layer", 3, 3), Case("layer", 2, 4))


@check("jacobian_col: every column", points=1.5)
def columns(student: Student, rng: np.random.Generator) -> None:
    expect_derivatives(student, rng, ("jacobian_col",), Case("layer", 3, 3), Case("layer", 2, 4))


def many(rng: np.random.Generator) -> list[Case]:
    """Tall, wide and square Jacobians, inputs and outputs of every shape."""
    size = int(rng.integers(4, 6))
    return [
        Case("layer", size, 2),
        Case("layer", 1, 1),
        Case("linear", 2, size),
        Case("table", 3, 2),
        Case("table", 2, 3, layout="transposed", zeros=1),
        Case("transposed", 2, 3),
        Case("learned", 2, 2),
        Case("scalar output", 2, 3),
        Case("scalar input", 3),
    ]


@check("vjp for other functions and shapes", points=1.5, hidden=True)
def other_products(student: Student, rng: np.random.Generator) -> None:
    expect_derivatives(student, rng, ("vjp",), *many(rng), Case("scalar output", 2, 0))


@check("jacobian_row for other functions and shapes", points=1.5, hidden=True)
def other_rows(student: Student, rng: np.random.Generator) -> None:
    expect_derivatives(student, rng, ("jacobian_row",), *many(rng))


@check("jacobian_col for other functions and shapes", points=1.5, hidden=True)
def other_columns(student: Student, rng: np.random.Generator) -> None:
    expect_derivatives(student, rng, ("jacobian_col",), *many(rng))


@check("Constant functions, unused inputs, and functions that return x", points=1.5, hidden=True)
def unreached(student: Student, rng: np.random.Generator) -> None:
    cases = [Case(name, 2, 2) for name in FLAT]
    cases += [Case("identity", 2, 2, zeros=2), Case("identity", 1, 2, "requires grad"), Case(FLAT[2], 1, 2, "requires grad")]
    expect_derivatives(student, rng, FUNCTIONS, *cases)


@check("x stays as it is, whether it requires grad, holds a gradient or has a history", points=1, hidden=True)
def caller_untouched(student: Student, rng: np.random.Generator) -> None:
    cases = [Case("layer", 2, 3, how, zeros=1) for how in STATES]
    expect_derivatives(student, rng, FUNCTIONS, *cases, Case("identity", 1, 2, "has a history"))


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    names = ("layer", "table", "transposed", "scalar output", "scalar input", "linear", "learned", "identity", *FLAT)
    sent = []
    for name in rng.choice(names, size=5, replace=False):
        m, n = (int(size) for size in rng.integers(1, 4, size=2))
        x, constants = point(rng, str(name), m, n)
        x = x * (rng.random(x.shape) < 0.8)
        matrix, shape = jacobian(str(name), x, constants)
        questions = [question for function in FUNCTIONS for question in everything(rng, function, matrix, shape)]
        layout, how = str(rng.choice(["contiguous", "transposed"])), str(rng.choice(STATES))
        sent.append([str(name), tensor(x, layout=layout), tensor(constants), on_the_wire(questions), how])
    student.run(derived, sent, returns=list[Derived])


# -- what the diagnosis can tell from wrong answers ----------------------------------------------------------------------

Wrong = Callable[[Numbers, Numbers, Numbers], Numbers]  # the third argument, the Jacobian, and the right answer


def reading(answers: list[dict[str, Any]], cases: list[Any]) -> list[dict[str, Any]]:
    """The answers, with the questions and the Jacobian, which are the same on both sides."""
    found = []
    for answer, (name, x, constants, questions, _) in zip(answers, cases, strict=True):
        matrix, _shape = jacobian(name, to_numpy(x), to_numpy(constants))
        asked = [[which, to_numpy(a) if which == "vjp" else a] for which, a in questions]
        found.append({**answer, "asked": asked, "jacobian": matrix})
    return found


def equal(one: Any, other: Any) -> bool:
    one, other = to_numpy(one), to_numpy(other)
    return one.size == other.size and bool(np.allclose(one.ravel(), other.ravel(), rtol=1e-9, atol=1e-12))


def answers_of(results: list[dict[str, Any]]) -> list[Any]:
    return [answer for result in results for answer in result["answers"]]


def same_numbers(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    return all(map(equal, answers_of(right), answers_of(given)))


def instead(function: str, wrong: Wrong) -> Callable[[Any, Any], bool]:
    """Every answer of this function is what `wrong` says."""

    def when(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
        mine = [
            equal(g, wrong(to_numpy(argument), to_numpy(case["jacobian"]), to_numpy(r)))
            for case, result in zip(right, given, strict=True)
            for (which, argument), r, g in zip(case["asked"], case["answers"], result["answers"], strict=True)
            if which == function
        ]
        return bool(mine) and all(mine)

    return when


reads_as("derived", reading)
symptom("writes-grad", lambda right, given: not all(g["flags"] for g in given) and same_numbers(right, given))
symptom("returns-graph", lambda right, given: any(a.graph for a in answers_of(given)) and same_numbers(right, given))
symptom("crash-when-constant", raises("does not require grad", "not have been used"), check="unreached", raised=True)
symptom("none-gradient", lambda right, given: any(a is None for a in answers_of(given)), check="unreached")
for place in ("product", "other-products", "caller-untouched"):
    symptom("missing-upstream", instead("vjp", lambda v, matrix, right: matrix.sum(0)), check=place)
    symptom("sum-vs-mean", instead("vjp", lambda v, matrix, right: right / len(matrix)), check=place)
    symptom("jvp-instead-of-vjp", instead("vjp", lambda v, matrix, right: matrix @ v.ravel()), check=place)
for place in ("rows", "other-rows"):
    symptom("row-for-column", instead("jacobian_row", lambda i, matrix, right: matrix[:, i]), check=place)
for place in ("columns", "other-columns"):
    symptom("row-for-column", instead("jacobian_col", lambda j, matrix, right: matrix[j]), check=place)
