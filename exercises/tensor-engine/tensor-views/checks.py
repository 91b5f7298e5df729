"""Programs that torch executes too: views of leaves and of results, views of views, and gradients that could share memory."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, array, check, expect_close, fail, probe, variety
from autograder.judge.checks.random_programs import drawn, random_program
from autograder.judge.checks.tensor_cost import ENTRIES, SECONDS
from autograder.judge.checks.tensors import ComparedTensors, Shape, Slot, TensorProgram, ask_programs, expect_tensor_programs

Pair = tuple[Shape, Shape]
OPERATIONS = ("+", "-", "*", "/", "neg", "exp", "tanh", "reshape", "permute", "expand")


def gradient_of(rng: np.random.Generator, shape: Shape) -> Numbers:
    """An upstream gradient. Where there is room for more, one of its entries is 0."""
    gradient = drawn(rng, shape)
    if gradient.size > 2:
        gradient.flat[int(rng.integers(gradient.size))] = rng.choice([0.0, -0.0])
    return gradient


def finished(rng: np.random.Generator, program: TensorProgram, y: Slot) -> TensorProgram:
    program.backward(program.name("y", y), gradient_of(rng, y.shape) if y.shape or rng.random() < 0.5 else None)
    return program


def view(rng: np.random.Generator, before: Shape, method: str, **options: Any) -> TensorProgram:
    program = TensorProgram()
    values = drawn(rng, before)
    if values.size > 3:
        values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])
    return finished(rng, program, program.input(values, "x").call(method, **options))


def reshapes(rng: np.random.Generator, pairs: list[Pair]) -> list[TensorProgram]:
    return [view(rng, before, "reshape", shape=after) for before, after in pairs]


def permutations(rng: np.random.Generator, pairs: list[Pair]) -> list[TensorProgram]:
    return [view(rng, before, "permute", axes=axes) for before, axes in pairs]


def expansions(rng: np.random.Generator, pairs: list[Pair]) -> list[TensorProgram]:
    return [view(rng, before, "expand", shape=after) for before, after in pairs]


@check("Reshape", points=1)
def reshape(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, reshapes(rng, [((2, 3), (3, 2)), ((2, 6), (3, -1)), ((4,), (2, 2))]))


@check("Permute a tensor with three axes", points=1.5)
def permute(student: Student, rng: np.random.Generator) -> None:
    pairs: list[Pair] = [((2, 3), (1, 0)), ((2, 3, 4), (2, 0, 1)), ((2, 2, 2), (1, 2, 0)), ((2, 3, 4), (-1, 0, 1))]
    expect_tensor_programs(student, permutations(rng, pairs))


@check("Expand a vector and a column", points=1.5)
def expand(student: Student, rng: np.random.Generator) -> None:
    pairs: list[Pair] = [((3,), (2, 3)), ((2, 1), (2, 3)), ((1, 3), (4, 2, 3))]
    expect_tensor_programs(student, expansions(rng, pairs))


@check("Reshape to every kind of shape", points=0.75, hidden=True)
def many_reshapes(student: Student, rng: np.random.Generator) -> None:
    pairs: list[Pair] = [
        ((2, 3, 4), (4, 6)),
        ((2, 3, 4), (-1,)),
        ((2, 3, 4), (-1, 3)),
        ((2, 3, 4), (2, -1, 2)),
        ((6,), (1, 6, 1)),
        ((2, 3), (2, 3)),
        ((2, 3), (2, -1)),
        ((), (1,)),
        ((), (1, -1)),
        ((), ()),
        ((1, 1), ()),
        ((1,), (1, 1, 1)),
        ((0, 3), (2, 0)),
        ((2, 0), (-1,)),
        ((0,), (0, 4)),
        ((0, 2), (3, 0, 5)),
    ]
    expect_tensor_programs(student, reshapes(rng, pairs))


@check("Every permutation, and axes that count from the end", points=1, hidden=True)
def many_permutations(student: Student, rng: np.random.Generator) -> None:
    pairs: list[Pair] = [
        ((2, 3, 4), (1, 2, 0)),
        ((2, 3, 4), (0, 2, 1)),
        ((2, 3, 4), (2, 1, 0)),
        ((3, 3, 3), (2, 0, 1)),
        ((2, 3, 4), (-1, -3, -2)),
        ((2, 3, 4), (1, -1, -3)),
        ((3, 3, 3), (-2, -1, 0)),
        ((3, 3), (-1, 0)),
        ((2, 3), (0, 1)),
        ((2, 3, 2, 3), (1, 3, 0, 2)),
        ((2, 2, 2, 2), (3, 0, 1, 2)),
        ((2, 2, 2, 2), (-3, 3, -4, 2)),
        ((5,), (0,)),
        ((5,), (-1,)),
        ((), ()),
        ((1, 3, 1), (2, 0, 1)),
        ((0, 2, 3), (2, 0, 1)),
    ]
    expect_tensor_programs(student, permutations(rng, pairs))


@check("Expand over added and stretched axes", points=0.75, hidden=True)
def many_expansions(student: Student, rng: np.random.Generator) -> None:
    pairs: list[Pair] = [
        ((3,), (3, 3)),
        ((3, 1), (3, 3)),
        ((1, 3), (3, 3)),
        ((1, 3), (1, 3)),
        ((2, 3), (2, 3)),
        ((2, 1, 4), (2, 3, 4)),
        ((1, 3, 1), (2, 3, 4)),
        ((3, 1), (2, 3, 4)),
        ((3, 1), (2, 3, 1)),
        ((1, 1), (2, 2, 2)),
        ((1,), (4,)),
        ((), (2, 3)),
        ((), ()),
        ((), (1,)),
        ((2,), (3, 1, 2)),
        ((1, 2), (0, 2)),
        ((2,), (0, 2)),
        ((0, 1), (3, 0, 2)),
    ]
    expect_tensor_programs(student, expansions(rng, pairs))


def chained(rng: np.random.Generator, before: Shape, *calls: tuple[str, Any]) -> TensorProgram:
    """A view of a view, between a result and a product."""
    program = TensorProgram()
    x = program.input(drawn(rng, before), "x")
    y = x * x
    for method, value in calls:
        y = y.call(method, **{"axes" if method == "permute" else "shape": value})
    return finished(rng, program, y * program.input(drawn(rng, y.shape), "w"))


@check("Views of views", points=1, hidden=True)
def views_of_views(student: Student, rng: np.random.Generator) -> None:
    programs = [
        chained(rng, (2, 3), ("permute", (1, 0)), ("reshape", (2, 3))),
        chained(rng, (2, 3, 4), ("permute", (2, 0, 1)), ("reshape", (6, 4))),
        chained(rng, (3, 3), ("permute", (1, 0)), ("reshape", (9,))),
        chained(rng, (2, 6), ("reshape", (2, 3, 2)), ("permute", (0, 2, 1)), ("reshape", (4, 3))),
        chained(rng, (6,), ("reshape", (2, 3)), ("permute", (1, 0))),
        chained(rng, (3,), ("expand", (2, 3)), ("reshape", (3, 2)), ("permute", (-1, 0))),
        chained(rng, (2, 1), ("permute", (1, 0)), ("expand", (3, 2)), ("permute", (1, 0)), ("reshape", (2, 3))),
        chained(rng, (3, 1), ("expand", (3, 2)), ("permute", (1, 0)), ("reshape", (-1,)), ("expand", (2, 6))),
    ]
    for _ in range(3):  # the same with the operations as the last ones before the backward pass
        program = TensorProgram()
        x = program.input(drawn(rng, (2, 3, 4)), "x")
        programs.append(finished(rng, program, x.call("reshape", shape=(4, 6)).call("permute", axes=(1, 0))))
    expect_tensor_programs(student, programs)


def two_views(rng: np.random.Generator, shared: str, b_first: bool) -> TensorProgram:
    """Sums of views, whose gradients are equal arrays in different shapes. One of the tensors has another use."""
    program = TensorProgram()
    a, b = program.input(drawn(rng, (3, 3)), "a"), program.input(drawn(rng, (9,)), "b")
    used = {"leaf": a, "result": program.name("s", a * a)}[shared]
    scaled = (used * 3.0).call("reshape", shape=(9,))
    flat, turned = used.call("reshape", shape=(9,)), used.call("permute", axes=(1, 0)).call("reshape", shape=(9,))
    total = (b + flat if b_first else flat + b) + turned
    return finished(rng, program, scaled + total if b_first else total + scaled)


def twice(rng: np.random.Generator) -> TensorProgram:
    """One tensor permuted in two ways and expanded in two ways."""
    program = TensorProgram()
    x, v = program.input(drawn(rng, (3, 3, 3)), "x"), program.input(drawn(rng, (3,)), "v")
    permuted = x.call("permute", axes=(1, 2, 0)) * x.call("permute", axes=(2, 1, 0)) + x
    column = v.call("reshape", shape=(3, 1)).call("expand", shape=(3, 3))
    return finished(rng, program, permuted * column - v.call("expand", shape=(3, 3, 3)))


def second_pass(rng: np.random.Generator) -> TensorProgram:
    program = TensorProgram()
    x = program.input(drawn(rng, (2, 3)), "x")
    y = program.name("y", (x * x).call("permute", axes=(1, 0)).call("reshape", shape=(6,)))
    program.backward(y, drawn(rng, (6,)))
    program.backward(y, drawn(rng, (6,)))
    program.backward(program.name("z", x.call("expand", shape=(2, 2, 3))), drawn(rng, (2, 2, 3)))
    return program


def constants(rng: np.random.Generator) -> TensorProgram:
    """Views that no gradient goes through: of a leaf that does not require grad, and in a no_grad block."""
    program = TensorProgram()
    x = program.input(drawn(rng, (2, 3)), "x")
    c = program.input(drawn(rng, (3,)), "c", requires_grad=False)
    program.no_grad()
    fixed = program.name("fixed", x.call("reshape", shape=(3, 2)).call("permute", axes=(1, 0)))
    program.grad_enabled()
    return finished(rng, program, x * fixed + c.call("expand", shape=(2, 3)) * x)


def look_alikes(rng: np.random.Generator) -> TensorProgram:
    """Two leaves with equal data."""
    program = TensorProgram()
    values = drawn(rng, (2, 2))
    a, b = program.input(values, "a"), program.input(values, "b")
    return finished(rng, program, a.call("permute", axes=(1, 0)) * b.call("permute", axes=(1, 0)) - b)


def with_numbers(rng: np.random.Generator) -> TensorProgram:
    program = TensorProgram()
    a, b = program.input(drawn(rng, (2, 3)), "a"), program.input(drawn(rng, (2, 1)), "b")
    return finished(rng, program, (1.5 - a) * (2.0 / b) + (0.5 + a.call("reshape", shape=(2, 3))) * (3.0 * b))


@check("Several uses of a tensor, several passes, constants", points=0.5, hidden=True)
def uses(student: Student, rng: np.random.Generator) -> None:
    programs = [two_views(rng, shared, b_first) for shared in ("leaf", "result") for b_first in (True, False)]
    expect_tensor_programs(student, [*programs, twice(rng), second_pass(rng), constants(rng), look_alikes(rng)])


@check("Larger programs", points=0.5, hidden=True)
def larger(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, [with_numbers(rng), *(random_program(rng, OPERATIONS) for _ in range(20))])


@probe
def modified_afterwards(student: Any, x: Any, g: Any, calls: Any) -> Any:
    """The gradients of two leaves after the upstream gradient, and then the first of them, were modified."""
    answer = []
    for name, value in calls:
        g_of_call = g.reshape(value).copy() if name == "reshape" else g.transpose(value).copy()
        a, b = (student.Tensor(x.copy(), requires_grad=True) for _ in range(2))
        (getattr(a, name)(tuple(value)) + getattr(b, name)(tuple(value))).backward(g_of_call)
        c = student.Tensor(x.copy(), requires_grad=True)
        getattr(c, name)(tuple(value)).backward(g_of_call)
        g_of_call += 1.0
        a.grad += 1.0
        c.grad *= 2.0
        answer.append([a.grad, b.grad, c.grad])
    return answer


@check("Gradients do not share memory", points=0.5, hidden=True)
def no_shared_memory(student: Student, rng: np.random.Generator) -> None:
    x, g = drawn(rng, (2, 3)), drawn(rng, (2, 3))
    calls = [("reshape", [3, 2]), ("permute", [1, 0]), ("reshape", [6]), ("reshape", [2, 3])]
    answer: Any = student.run(modified_afterwards, array(x), array(g), calls)
    if not isinstance(answer, list) or len(answer) != len(calls):
        raise fail("The gradients could not be read.")
    for (name, value), row in zip(calls, answer, strict=True):
        if not isinstance(row, list) or len(row) != 3:
            raise fail("The gradients could not be read.")
        written = f"{name}({tuple(value)})"
        for given, truth, what in zip(
            row,
            (g + 1.0, g, 2.0 * g),
            ("a.grad, to which 1 was added,", "b.grad, after a.grad was modified,", "c.grad, which was doubled,"),
            strict=True,
        ):
            expect_close(given, truth, f"{written}: {what} and after the upstream gradient was modified", {"x": x, "g": g})


@check("Thousands of entries, at the cost of one backward pass", points=1, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    rows = ENTRIES // 100
    program = TensorProgram()
    x, column = program.input(drawn(rng, (ENTRIES,)), "x"), program.input(drawn(rng, (ENTRIES // 2, 1)), "column")
    y = x
    for _ in range(4):
        turned = y.call("reshape", shape=(rows, 100)).call("permute", axes=(1, 0))
        y = turned.call("reshape", shape=(ENTRIES // 2, 2)) + column.call("expand", shape=(ENTRIES // 2, 2))
    program.backward(program.name("y", y), gradient_of(rng, y.shape))
    expect_tensor_programs(student, [program])


def any_view(rng: np.random.Generator) -> TensorProgram:
    shape = tuple(int(size) for size in rng.choice([0, 1, 2, 3], size=int(rng.integers(4)), p=[0.1, 0.3, 0.3, 0.3]))
    program = TensorProgram()
    y = program.input(drawn(rng, shape) * (rng.random(shape) < 0.8), "x")
    for _ in range(int(rng.integers(1, 4))):
        method, n = str(rng.choice(["reshape", "permute", "expand"])), len(y.shape)
        if method == "permute":
            axes = tuple(int(a) - (n if rng.random() < 0.4 else 0) for a in rng.permutation(n))
            y = y.call("permute", axes=axes)
        elif method == "expand":
            stretched = tuple(int(rng.integers(0, 4)) if size == 1 else size for size in y.shape)
            y = y.call("expand", shape=(int(rng.integers(1, 3)), *stretched) if rng.random() < 0.3 else stretched)
        else:
            size = math.prod(y.shape)
            shapes: list[Shape] = [(size,), (1, size), (size, 1, 1), (size // 2, 2) if size % 2 == 0 else (size, 1)]
            after = shapes[int(rng.integers(4))]
            free = size > 0 and rng.random() < 0.4
            y = y.call("reshape", shape=tuple(-1 if free and k == 0 else m for k, m in enumerate(after)))
    return finished(rng, program, y)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    writers: list[Callable[[np.random.Generator], TensorProgram]] = [
        second_pass,
        constants,
        look_alikes,
        with_numbers,
        twice,
    ]
    programs = [any_view(rng) for _ in range(8)] + [write(rng) for write in writers]
    programs += [random_program(rng, OPERATIONS, steps=int(rng.integers(1, 7))) for _ in range(3)]
    ask_programs(student, [ComparedTensors(program) for program in programs])
    x, g = drawn(rng, (2, 3)), drawn(rng, (2, 3))
    student.run(modified_afterwards, array(x), array(g), [("reshape", [3, 2]), ("permute", [1, 0])])
