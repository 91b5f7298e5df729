"""Programs that torch executes too: products of all shapes, a factor used twice, networks, and larger programs."""

from collections.abc import Callable

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, check, variety
from autograder.judge.checks.random_programs import drawn, random_program
from autograder.judge.checks.shared_gradients import sums_of_leaves
from autograder.judge.checks.tensor_cost import ENTRIES, SECONDS
from autograder.judge.checks.tensors import ComparedTensors, Shape, Slot, TensorProgram, ask_programs, expect_tensor_programs
from autograder.judge.diagnosis import raises, symptom

Pair = tuple[Shape, Shape]
OPERATIONS = ("+", "-", "*", "/", "neg", "exp", "tanh", "@")


def numbers(rng: np.random.Generator, shape: Shape) -> Numbers:
    """Numbers of both signs. Where there is room for more, one of them is 0."""
    values = drawn(rng, shape)
    if values.size > 2:
        values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])
    return values


def finished(rng: np.random.Generator, program: TensorProgram, y: Slot) -> TensorProgram:
    program.backward(program.name("y", y), numbers(rng, y.shape) if y.shape or rng.random() < 0.5 else None)
    return program


def products(rng: np.random.Generator, pairs: list[Pair]) -> list[TensorProgram]:
    programs = []
    for left, right in pairs:
        program = TensorProgram()
        a, b = program.input(numbers(rng, left), "a"), program.input(numbers(rng, right), "b")
        programs.append(finished(rng, program, a @ b))
    return programs


@check("Two matrices", points=1.5)
def two_matrices(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, products(rng, [((3, 4), (4, 2)), ((2, 2), (2, 2))]))


@check("A matrix and a vector", points=1)
def matrix_and_vector(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, products(rng, [((3, 4), (4,)), ((3,), (3, 2))]))


@check("A batch of matrices as one factor or as both", points=1.5)
def a_batch(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, products(rng, [((5, 3, 4), (5, 4, 2)), ((5, 3, 4), (4, 2))]))


@check("Matrices of many shapes", points=1, hidden=True)
def many_matrices(student: Student, rng: np.random.Generator) -> None:
    pairs: list[Pair] = [((3, 3), (3, 3)), ((2, 5), (5, 4)), ((1, 4), (4, 1)), ((3, 1), (1, 2)), ((4, 4), (4, 2))]
    expect_tensor_programs(student, products(rng, [*pairs, ((2, 4), (4, 4)), ((1, 1), (1, 1))]))


@check("A vector as either factor or as both", points=1.5, hidden=True)
def vectors(student: Student, rng: np.random.Generator) -> None:
    pairs: list[Pair] = [((4,), (4, 2)), ((3, 4), (4,)), ((4,), (4,)), ((3,), (3, 3)), ((3, 3), (3,)), ((1,), (1,))]
    batches: list[Pair] = [((5, 3, 4), (4,)), ((3,), (5, 3, 4)), ((2, 3, 4, 2), (2,)), ((3,), (3, 3, 3)), ((1,), (2, 1, 3))]
    expect_tensor_programs(student, products(rng, [*pairs, *batches]))


@check("Batches that are broadcast", points=1.5, hidden=True)
def broadcast_batches(student: Student, rng: np.random.Generator) -> None:
    single: list[Pair] = [((5, 3, 4), (4, 2)), ((3, 4), (5, 4, 2)), ((2, 3, 3), (3, 3)), ((3, 3), (2, 3, 3, 3))]
    stretched: list[Pair] = [
        ((2, 1, 3, 4), (5, 4, 2)),
        ((1, 3, 4), (5, 4, 2)),
        ((5, 3, 4), (1, 4, 2)),
        ((5, 3, 4), (2, 1, 4, 2)),
        ((2, 1, 2, 2), (1, 2, 2, 2)),
    ]
    equal: list[Pair] = [((2, 2, 2), (2, 2, 2)), ((2, 3, 2, 4), (2, 3, 4, 3)), ((1, 2, 3), (1, 3, 2))]
    expect_tensor_programs(student, products(rng, [*single, *stretched, *equal]))


@check("Axes of size 0", points=0.5, hidden=True)
def empty(student: Student, rng: np.random.Generator) -> None:
    pairs: list[Pair] = [
        ((0, 4), (4, 2)),
        ((3, 4), (4, 0)),
        ((0, 3, 4), (4, 2)),
        ((3, 0), (0, 2)),
        ((0,), (0,)),
        ((0,), (0, 2)),
    ]
    expect_tensor_programs(student, products(rng, pairs))


def same_factor(rng: np.random.Generator, shape: Shape, is_leaf: bool) -> TensorProgram:
    """The product of a tensor with itself."""
    program = TensorProgram()
    x = program.input(drawn(rng, shape), "x")
    s = x if is_leaf else program.name("s", x * 0.5)
    return finished(rng, program, s @ s)


def chain(rng: np.random.Generator) -> TensorProgram:
    """Three square factors, the first of which is used on both sides and with two partners."""
    program = TensorProgram()
    a, b, c = (program.input(drawn(rng, (3, 3)), name) for name in "abc")
    return finished(rng, program, a @ b @ c + c @ a + a @ c)


def network(rng: np.random.Generator) -> TensorProgram:
    program = TensorProgram()
    x = program.input(drawn(rng, (4, 3)), "x", requires_grad=False)
    w1, b1 = program.input(drawn(rng, (3, 5)), "w1"), program.input(drawn(rng, (5,)), "b1")
    w2 = program.input(drawn(rng, (5,)), "w2")
    hidden = program.name("h", ((x @ w1 + b1) * 0.5).call("tanh"))
    return finished(rng, program, hidden @ w2)


def one_constant(rng: np.random.Generator) -> TensorProgram:
    """A product with a constant on either side."""
    program = TensorProgram()
    x = program.input(drawn(rng, (3, 3)), "x")
    c = program.input(drawn(rng, (3, 3)), "c", requires_grad=False)
    return finished(rng, program, x @ c + c @ x)


def constants(rng: np.random.Generator) -> TensorProgram:
    """Products that no gradient goes through: of two constants, and in a no_grad block."""
    program = TensorProgram()
    x = program.input(drawn(rng, (2, 2)), "x")
    c = program.input(drawn(rng, (2, 2)), "c", requires_grad=False)
    program.no_grad()
    fixed = program.name("fixed", x @ x)
    program.grad_enabled()
    return finished(rng, program, x * fixed + (c @ c) * x)


def second_pass(rng: np.random.Generator) -> TensorProgram:
    program = TensorProgram()
    a, b = program.input(drawn(rng, (2, 3)), "a"), program.input(drawn(rng, (3, 2)), "b")
    y = program.name("y", (a @ b) * 0.5)
    program.backward(y, drawn(rng, (2, 2)))
    program.backward(y, drawn(rng, (2, 2)))
    program.backward(program.name("z", b @ a), drawn(rng, (3, 3)))
    return program


def look_alikes(rng: np.random.Generator) -> TensorProgram:
    """Two leaves with equal data."""
    program = TensorProgram()
    values = drawn(rng, (2, 2))
    a, b = program.input(values, "a"), program.input(values, "b")
    return finished(rng, program, a @ b - b)


def with_numbers(rng: np.random.Generator) -> TensorProgram:
    program = TensorProgram()
    a, b = program.input(drawn(rng, (2, 3)), "a"), program.input(drawn(rng, (2, 1)), "b")
    w = program.input(drawn(rng, (3, 3)), "w")
    return finished(rng, program, (1.5 - a) / 1.25 * (2.0 / b) + (0.5 + a @ w) * (3.0 * b))


WRITERS: list[Callable[[np.random.Generator], TensorProgram]] = [
    chain,
    network,
    one_constant,
    constants,
    second_pass,
    look_alikes,
    with_numbers,
]


@check("One tensor as both factors, networks, constants", points=1.5, hidden=True)
def uses(student: Student, rng: np.random.Generator) -> None:
    shapes: list[Shape] = [(3, 3), (4,), (2, 3, 3)]
    programs = [same_factor(rng, shape, is_leaf) for shape in shapes for is_leaf in (True, False)]
    expect_tensor_programs(student, [*programs, *sums_of_leaves(rng), *(write(rng) for write in WRITERS)])


@check("Larger programs", points=1, hidden=True)
def larger(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, [random_program(rng, OPERATIONS, axes=4) for _ in range(20)])


@check("Thousands of entries, at the cost of one backward pass", points=1, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    side = int(ENTRIES**0.5)
    program = TensorProgram()
    a, b = (program.input(drawn(rng, (side, side)), name) for name in "ab")
    program.backward(program.name("y", a @ b), drawn(rng, (side, side)))
    expect_tensor_programs(student, [program])


def any_product(rng: np.random.Generator) -> Pair:
    def factor(batch: Shape, matrix: Shape) -> Shape:
        """Some of the batch axes, some of them stretched, before the matrix."""
        kept = batch[int(rng.integers(len(batch) + 1)) :] if rng.random() < 0.5 else batch
        return (*(1 if rng.random() < 0.3 else size for size in kept), *matrix)

    batch = tuple(int(size) for size in rng.choice([0, 1, 2, 3], size=int(rng.integers(3)), p=[0.1, 0.2, 0.4, 0.3]))
    rows, inner, columns = (int(size) for size in rng.choice(4, size=3, p=[0.1, 0.2, 0.4, 0.3]))
    left = (inner,) if rng.random() < 0.25 else factor(batch, (rows, inner))
    return left, (inner,) if rng.random() < 0.25 else factor(batch, (inner, columns))


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    programs = products(rng, [any_product(rng) for _ in range(8)])
    programs += [write(rng) for write in WRITERS]
    programs += [same_factor(rng, (2, 2), True)]
    programs += [random_program(rng, OPERATIONS, steps=int(rng.integers(1, 7))) for _ in range(3)]
    ask_programs(student, [ComparedTensors(program) for program in programs])


for where in ("matrix-and-vector", "vectors"):
    symptom("vectors-as-matrices", raises(type_name="AxisError"), check=where, raised=True)
