"""Programs that torch executes too: every kind of axis, ties, and larger programs in which reductions meet broadcasting."""

from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, check, variety
from autograder.judge.checks.random_programs import drawn, random_program
from autograder.judge.checks.shared_gradients import sums_of_leaves
from autograder.judge.checks.tensor_cost import ENTRIES, SECONDS
from autograder.judge.checks.tensors import ComparedTensors, Shape, Slot, TensorProgram, ask_programs, expect_tensor_programs
from autograder.judge.diagnosis import raises, symptom

Axis = int | tuple[int, ...] | None
Asked = tuple[Shape, Axis]
OPERATIONS = ("+", "-", "*", "/", "neg", "exp", "tanh", "sum", "mean", "max")


def finished(rng: np.random.Generator, program: TensorProgram, y: Slot) -> TensorProgram:
    """The program with a backward pass from y. Where there is room for more, one entry of the gradient is 0."""
    gradient = drawn(rng, y.shape)
    if gradient.size > 2:
        gradient.flat[int(rng.integers(gradient.size))] = rng.choice([0.0, -0.0])
    program.backward(program.name("y", y), gradient if y.shape or rng.random() < 0.5 else None)
    return program


def reduction(rng: np.random.Generator, operation: str, values: Numbers, axis: Axis, keepdims: bool) -> TensorProgram:
    program = TensorProgram()
    return finished(rng, program, program.input(values, "x").call(operation, axis=axis, keepdims=keepdims))


def numbers(rng: np.random.Generator, shape: Shape) -> Numbers:
    """Numbers of both signs, all of them different. Where there is room for more, one of them is 0."""
    values = drawn(rng, shape)
    if values.size > 4:
        values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])
    return values


MATRICES: list[Asked] = [((3, 4), None), ((3, 4), 0), ((3, 4), 1), ((3, 3), 1)]
EVERYWHERE: list[Asked] = [
    ((3, 4), None),
    ((3, 4), -1),
    ((4, 4), 0),
    ((4, 4), -1),
    ((3, 4), (-1, 0)),
    ((2, 3, 4), 1),
    ((2, 3, 4), -2),
    ((3, 3, 3), 1),
    ((2, 3, 4), (2, 0)),
    ((2, 3, 4), (-1, 1)),
    ((2, 3, 4), (0, 1, 2)),
    ((3, 3, 3), (0, -2)),
    ((3, 3, 3), (2, -2)),
    ((2, 3, 4), (1,)),
    ((2, 3, 2, 3), (3, 1)),
    ((2, 3, 2, 3), (-3, 0)),
    ((3, 1, 2), (1, 2)),
    ((5,), 0),
]


def of_matrices(rng: np.random.Generator, operation: str) -> list[TensorProgram]:
    """The programs of a public check."""
    asked = [*((*item, False) for item in MATRICES), ((3, 4), 1, True), ((3, 3), 0, True)]
    return [reduction(rng, operation, numbers(rng, shape), axis, keepdims) for shape, axis, keepdims in asked]


def everywhere(rng: np.random.Generator, operation: str) -> list[TensorProgram]:
    """Each kind of axis, each of them with and without keepdims."""
    return [
        reduction(rng, operation, numbers(rng, shape), axis, keepdims)
        for shape, axis in EVERYWHERE
        for keepdims in (False, True)
    ]


@check("Sum of a matrix", points=1.5)
def sum_of_a_matrix(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, of_matrices(rng, "sum"))


@check("Mean of a matrix", points=1)
def mean_of_a_matrix(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, of_matrices(rng, "mean"))


@check("Maximum of a matrix, and a tie", points=1.5)
def max_of_a_matrix(student: Student, rng: np.random.Generator) -> None:
    tied = drawn(rng, (2, 3))
    tied[1, [0, 2]] = 2.5
    expect_tensor_programs(student, [*of_matrices(rng, "max"), reduction(rng, "max", tied, 1, False)])


@check("Sum over every kind of axis", points=1, hidden=True)
def sum_along_axes(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, everywhere(rng, "sum"))


@check("Mean over every kind of axis", points=1, hidden=True)
def mean_along_axes(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, everywhere(rng, "mean"))


@check("Maximum over every kind of axis", points=1.5, hidden=True)
def max_along_axes(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, everywhere(rng, "max"))


@check("Ties of the maximum, and entries that are nearly as large", points=1.5, hidden=True)
def ties(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for shape, axis in (*MATRICES, ((2, 3, 4), (2, 0)), ((2, 3, 4), (-1, 1)), ((3, 3, 3), 1), ((2, 6), -1)):
        scale = float(rng.uniform(0.5, 1.5))
        values = scale * rng.integers(-2, 1, size=shape)  # many ties, and no positive number
        programs.append(reduction(rng, "max", values, axis, bool(rng.integers(2))))
    zeros = np.array([[0.0, -0.0, -1.0], [-0.0, -0.0, 0.0], [-2.0, 0.0, 1.0]])[rng.permutation(3)]
    programs += [reduction(rng, "max", values, 1, False) for values in (zeros, np.full((2, 3), rng.uniform(1, 2)))]
    near = drawn(rng, (3, 1)) * np.array([1.0, 1.0 - 1e-9, 1.0 + 1e-9, 1.0])
    tiny = 1e-12 * drawn(rng, (3, 4))
    programs += [reduction(rng, "max", near, 1, True), reduction(rng, "max", near, None, False)]
    programs += [reduction(rng, "max", tiny, 0, False), reduction(rng, "max", 1e9 + tiny, 1, False)]
    expect_tensor_programs(student, programs)


def softmax(rng: np.random.Generator) -> TensorProgram:
    program = TensorProgram()
    x = program.input(drawn(rng, (3, 4)), "x")
    shifted = x - x.call("max", axis=1, keepdims=True)
    weights = shifted.call("exp")
    return finished(rng, program, weights / weights.sum(axis=1, keepdims=True))


def variance(rng: np.random.Generator) -> TensorProgram:
    program = TensorProgram()
    x = program.input(drawn(rng, (3, 4)), "x")
    deviation = x - x.call("mean", axis=0)
    return finished(rng, program, (deviation * deviation).call("mean", axis=0))


def reduced_twice(rng: np.random.Generator, first: str, second: str, square: bool) -> TensorProgram:
    """One tensor, of which two axes are reduced. It is a leaf or a result."""
    program = TensorProgram()
    x, w = program.input(drawn(rng, (3, 3)), "x"), program.input(drawn(rng, (3, 3)), "w")
    shared = program.name("s", x * w) if square else x
    return finished(rng, program, shared.call(first, axis=0) * shared.call(second, axis=1) + shared.call(first, axis=1))


def second_pass(rng: np.random.Generator, operation: str) -> TensorProgram:
    program = TensorProgram()
    x = program.input(drawn(rng, (2, 3)), "x")
    y = program.name("y", (x * x).call(operation, axis=1))
    program.backward(y, drawn(rng, (2,)))
    program.backward(y, drawn(rng, (2,)))
    program.backward(program.name("z", x.call(operation)))
    return program


def constants(rng: np.random.Generator, operation: str) -> TensorProgram:
    """Reductions that no gradient goes through: of a leaf that does not require grad, and in a no_grad block."""
    program = TensorProgram()
    x = program.input(drawn(rng, (2, 3)), "x")
    c = program.input(drawn(rng, (2, 3)), "c", requires_grad=False)
    program.no_grad()
    scale = program.name("scale", x.call(operation, axis=1, keepdims=True))
    program.grad_enabled()
    return finished(rng, program, x * scale + c.call(operation, axis=0) * x)


def look_alikes(rng: np.random.Generator, operation: str) -> TensorProgram:
    """Two leaves with equal data, and reductions of them that are equal, too."""
    program = TensorProgram()
    values = drawn(rng, (2, 3))
    a, b = program.input(values, "a"), program.input(values, "b")
    return finished(rng, program, a.call(operation, axis=0) * b.call(operation, axis=0) * 2.0 - b.call(operation))


@check("Several uses of a tensor, several passes, constants", points=1, hidden=True)
def uses(student: Student, rng: np.random.Generator) -> None:
    programs = [softmax(rng), variance(rng), *sums_of_leaves(rng)]
    for first, second in (("sum", "max"), ("max", "mean"), ("mean", "sum"), ("max", "max"), ("sum", "sum")):
        programs += [reduced_twice(rng, first, second, square) for square in (False, True)]
    for operation in ("sum", "mean", "max"):
        programs += [write(rng, operation) for write in (second_pass, constants, look_alikes)]
    expect_tensor_programs(student, programs)


def with_numbers(rng: np.random.Generator) -> TensorProgram:
    program = TensorProgram()
    a, b = program.input(drawn(rng, (2, 3)), "a"), program.input(drawn(rng, (2, 1)), "b")
    return finished(rng, program, (1.5 - a) * (2.0 / b) + (0.5 + a.call("mean", axis=0)) * (3.0 * b.call("max")))


@check("Larger programs", points=0.5, hidden=True)
def larger(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, [with_numbers(rng), *(random_program(rng, OPERATIONS) for _ in range(20))])


@check("Tensors with a single entry, and sums over no entries", points=0.5, hidden=True)
def single_and_empty(student: Student, rng: np.random.Generator) -> None:
    single: list[Asked] = [((), None), ((1,), None), ((1,), 0), ((1, 1), (0, 1)), ((1, 3), 0), ((3, 1), (1,))]
    empty: list[Asked] = [((0, 3), 0), ((0, 3), 1), ((0, 3), None), ((2, 0), (1, 0)), ((2, 0, 3), -1)]
    asked = [(operation, *item) for operation in ("sum", "mean", "max") for item in single]
    asked += [("sum", *item) for item in empty]
    programs = [
        reduction(rng, operation, drawn(rng, shape), axis, keepdims)
        for operation, shape, axis in asked
        for keepdims in (False, True)
    ]
    expect_tensor_programs(student, programs)


@check("Thousands of entries, at the cost of one backward pass", points=1, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    program = TensorProgram()
    x = program.input(drawn(rng, (ENTRIES // 2, 2)), "x")
    y = x
    for operation in ("sum", "mean", "max", "mean", "sum", "max"):
        y = y * 0.5 + y.call(operation, axis=1, keepdims=True) - y.call(operation)
    program.backward(program.name("y", y), drawn(rng, y.shape))
    expect_tensor_programs(student, [program])


def any_reduction(rng: np.random.Generator) -> TensorProgram:
    operation = str(rng.choice(["sum", "mean", "max"]))
    sizes = [0, 1, 2, 3] if operation == "sum" else [1, 2, 3]
    shape = tuple(int(size) for size in rng.choice(sizes, size=int(rng.integers(4))))
    axes = tuple(int(a) - (len(shape) if rng.random() < 0.4 else 0) for a in rng.permutation(len(shape)))
    chosen = axes[: int(rng.integers(1, 4))]
    axis: Axis = None if not chosen or rng.random() < 0.2 else chosen[0] if rng.random() < 0.5 else chosen
    ordinary = drawn(rng, shape) if rng.random() < 0.5 else 0.5 * rng.integers(-2, 2, size=shape)
    values = np.asarray(rng.choice([1e-9, 1.0, 1e6]) * ordinary)
    return reduction(rng, operation, values, axis, bool(rng.integers(2)))


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    programs = [any_reduction(rng) for _ in range(6)]
    programs += [random_program(rng, OPERATIONS, steps=int(rng.integers(1, 7))) for _ in range(3)]
    for write in (second_pass, constants, look_alikes):
        programs.append(write(rng, str(rng.choice(["sum", "mean", "max"]))))
    ask_programs(student, [ComparedTensors(program) for program in [*programs, with_numbers(rng)]])


def of_type(name: str) -> Any:
    return raises("'tuple'", "must be integers", type_name=name)


for where in ("sum-along-axes", "mean-along-axes", "max-along-axes"):
    symptom("single-axis-only", of_type("TypeError"), check=where, raised=True)
