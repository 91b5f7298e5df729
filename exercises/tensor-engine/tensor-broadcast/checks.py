"""All programs run on the student's class; torch computes what they should give."""

from collections.abc import Sequence

import numpy as np

from autograder.judge.checks import Student, check, variety
from autograder.judge.checks.random_programs import drawn, random_program
from autograder.judge.checks.shared_gradients import sums_of_leaves
from autograder.judge.checks.tensor_cost import ENTRIES, SECONDS
from autograder.judge.checks.tensors import (
    ComparedTensors,
    Shape,
    Slot,
    TensorProgram,
    ask_programs,
    expect_tensor_programs,
)
from autograder.judge.diagnosis import refuses_numbers, symptom

OPERATIONS = ("+", "-", "*", "/")
PAIRS: list[tuple[Shape, Shape]] = [
    ((3, 4), (4,)),
    ((3, 4), (3, 1)),
    ((3, 4), (1, 4)),
    ((3, 4), (1,)),
    ((2, 1, 4), (3, 1)),
    ((2, 3, 4), (3, 1)),
    ((2, 3, 4), (2, 1, 1)),
    ((2, 3, 4), (2, 1, 4)),
    ((2, 3, 2), (3, 2)),
    ((3, 3), (3,)),
    ((3, 3), (3, 1)),
    ((4, 1), (3,)),
    ((3, 4), (3, 4)),
    ((2, 3, 2, 2), (3, 1, 2)),
]
SPECIAL: list[tuple[Shape, Shape]] = [
    ((), ()),
    ((3,), ()),
    ((2, 3), ()),
    ((1,), ()),
    ((1, 1), ()),
    ((1, 1), (1,)),
    ((1, 3), (1, 1)),
    ((3, 1), (1, 1)),
    ((1, 1, 1), (2, 1)),
    ((0,), ()),
    ((0, 3), (3,)),
    ((0, 3), (1, 1)),
    ((2, 0), (2, 1)),
    ((2, 1, 3), (0, 3)),
    ((0, 2), (0, 2)),
]


def program_of(rng: np.random.Generator, operation: str, left: Shape, right: Shape) -> TensorProgram:
    program = TensorProgram()
    a, b = program.input(drawn(rng, left), "a"), program.input(drawn(rng, right), "b")
    y = program.name("y", program.apply(operation, a, b))
    program.backward(y, drawn(rng, y.shape))
    return program


def programs_of(
    rng: np.random.Generator, operations: Sequence[str], pairs: Sequence[tuple[Shape, Shape]]
) -> list[TensorProgram]:
    """Every operation on every pair, in both orders."""
    both = dict.fromkeys(shapes for pair in pairs for shapes in (pair, pair[::-1]))
    return [program_of(rng, operation, *pair) for operation in operations for pair in both]


@check("Equal shapes", points=1)
def equal_shapes(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, programs_of(rng, OPERATIONS, [((3,), (3,)), ((2, 3), (2, 3))]))


@check("A matrix with a row, with a column and with a number", points=2)
def row_column_number(student: Student, rng: np.random.Generator) -> None:
    programs = programs_of(rng, OPERATIONS, [((2, 3), (3,)), ((2, 3), (2, 1))])
    for operation in OPERATIONS:
        for left in (False, True):
            program = TensorProgram()
            a = program.input(drawn(rng, (2, 3)), "a")
            y = program.name("y", program.apply(operation, *((2, a) if left else (a, 2.5))))
            program.backward(y, drawn(rng, (2, 3)))
            programs.append(program)
    expect_tensor_programs(student, programs)


@check("The example", points=1, fixed="it is the example of the statement")
def example(student: Student, rng: np.random.Generator) -> None:
    program = TensorProgram()
    x, c = program.input([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "x"), program.input([[2.0], [4.0]], "c")
    program.backward(program.name("y", (x - c) / c), [[1.0, 0.0, 2.0], [0.0, 4.0, 0.0]])
    expect_tensor_programs(student, [program])


@check("+ and - of every pair of shapes", points=1.5, hidden=True)
def sums_and_differences(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, programs_of(rng, ("+", "-"), PAIRS))


@check("* and / of every pair of shapes", points=2, hidden=True)
def products_and_quotients(student: Student, rng: np.random.Generator) -> None:
    programs = programs_of(rng, ("*", "/"), PAIRS)
    for operation in ("*", "/", "-"):  # zeros of both signs
        program = TensorProgram()
        values = drawn(rng, (3, 2))
        values[0], values[1, 0] = 0.0, -0.0
        a, b = program.input(values, "a"), program.input(drawn(rng, (2,)), "b")
        program.backward(program.name("y", program.apply(operation, a, b)), drawn(rng, (3, 2)) * [0.0, 1.0])
        programs.append(program)
    expect_tensor_programs(student, programs)


@check("No axes, axes of size 1, and axes of size 0", points=1, hidden=True)
def special_shapes(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, programs_of(rng, OPERATIONS, SPECIAL))


@check("One tensor in results of several shapes", points=1, hidden=True)
def several_shapes(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation in OPERATIONS:
        program = TensorProgram()
        row, column = program.input(drawn(rng, (3,)), "r"), program.input(drawn(rng, (2, 1)), "c")
        matrix = program.input(drawn(rng, (2, 3)), "m")
        scale = program.input(drawn(rng, ()), "s")
        table = program.name("t", program.apply(operation, row, column))
        y = (table * row + matrix / column) - (row * row) * scale
        program.backward(program.name("y", y + (column - 2) * scale), drawn(rng, (2, 3)))
        programs.append(program)
        programs.append(used_before(rng, operation))
        programs.append(twice(rng, operation))
    alike = TensorProgram()  # different leaves of equal data
    values = drawn(rng, (3,))
    a, b, c = (alike.input(values.reshape(shape), name) for shape, name in (((3,), "a"), ((3,), "b"), ((1, 3), "c")))
    alike.backward(alike.name("y", a * c / b - b * (2 / c)), drawn(rng, (1, 3)))
    expect_tensor_programs(student, [*programs, *sums_of_leaves(rng), alike])


def used_before(rng: np.random.Generator, operation: str) -> TensorProgram:
    """An intermediate result that is used in its own shape and in a larger one."""
    program = TensorProgram()
    x, w = program.input(drawn(rng, (1, 3)), "x"), program.input(drawn(rng, (2, 1)), "w")
    k = program.input(drawn(rng, (3,)), "k", requires_grad=False)
    h = program.name("h", x * k)
    small = program.name("q", h + x)
    program.backward(program.name("y", program.apply(operation, h, w) + small * h), drawn(rng, (2, 3)))
    return program


def twice(rng: np.random.Generator, operation: str) -> TensorProgram:
    """Both operands are the same tensor, and there are several passes."""
    program = TensorProgram()
    a, b = program.input(drawn(rng, (2, 1)), "a"), program.input(drawn(rng, (2,)), "b")
    square = program.name("p", program.apply(operation, a, a))
    y = program.name("y", square * b + a)
    program.backward(y, drawn(rng, (2, 2)))
    program.backward(square, drawn(rng, (2, 1)))
    program.backward(y, drawn(rng, (2, 2)))
    return program


@check("Larger programs", points=1.5, hidden=True)
def larger(student: Student, rng: np.random.Generator) -> None:
    programs = [random_program(rng, OPERATIONS, steps=7) for _ in range(24)]
    for shape in ((), (1, 1)):
        program = TensorProgram()
        a, b = program.input(drawn(rng, shape), "a"), program.input(drawn(rng, shape[1:]), "b")
        program.backward(program.name("y", 1 - a * b / (3 - b) + (0.5 + 2 / a) + 1.5 * b))
        programs.append(program)
    expect_tensor_programs(student, programs)


def wide(rng: np.random.Generator) -> TensorProgram:
    """Every operation, between a matrix with many rows, a column, a row and a number."""
    program = TensorProgram()
    rows = ENTRIES // 2
    x, column = program.input(drawn(rng, (rows, 2)), "x"), program.input(drawn(rng, (rows, 1)), "column")
    row, number = program.input(drawn(rng, (2,)), "row"), program.input(drawn(rng, ()), "number")
    y = program.name("y", (x - column) / row * column + number / column - x * column)
    program.backward(y, drawn(rng, (rows, 2)))
    return program


@check("Thousands of entries, at the cost of one backward pass", points=1, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, [wide(rng)])


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for _ in range(10):
        pairs = PAIRS + SPECIAL
        left, right = pairs[int(rng.integers(len(pairs)))][:: int(rng.choice([-1, 1]))]
        program = TensorProgram()
        slots: list[Slot] = [
            program.input(drawn(rng, shape), name, bool(rng.random() < 0.8)) for shape, name in ((left, "a"), (right, "b"))
        ]
        if slots[0].value.size and rng.random() < 0.3:
            slots.append(program.input(np.zeros(left) * rng.choice([-1.0, 1.0]), "z"))
        for _ in range(int(rng.integers(1, 5))):
            one, other = (slots[int(rng.integers(len(slots)))] for _ in range(2))
            operation = str(rng.choice(OPERATIONS))
            if operation == "/" and (np.abs(other.value) < 0.1).any():
                operation = "-"
            operands: list[Slot | float] = [one, other]
            if rng.random() < 0.2:
                operands[int(rng.integers(2))] = 1.5
                operation = "*" if operation == "/" else operation
            slots.append(program.apply(operation, *operands))
            if program.tensors[slots[-1].number].requires_grad and rng.random() < 0.6:
                program.backward(slots[-1], drawn(rng, slots[-1].shape))
        programs.append(program)
    ask_programs(student, [ComparedTensors(program) for program in programs])


for where in ("row-column-number", "larger"):
    symptom("rejects-numbers", refuses_numbers, check=where, raised=True)
