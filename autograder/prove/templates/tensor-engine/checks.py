"""Programs that run on the student's class and on torch, which computes what they should give."""

import numpy as np

from autograder.judge.checks import Student, check, variety
from autograder.judge.checks.random_programs import drawn
from autograder.judge.checks.tensors import (
    ComparedTensors,
    Shape,
    Slot,
    TensorProgram,
    ask_programs,
    expect_tensor_programs,
)

SHAPES: list[Shape] = [(3,), (2, 3), (3, 3), (1, 4), (2, 3, 4), (3, 3, 3), (2, 1, 3)]


def finished(rng: np.random.Generator, program: TensorProgram, y: Slot) -> TensorProgram:
    program.backward(program.name("y", y), drawn(rng, y.shape))
    return program


def summed(rng: np.random.Generator, shape: Shape, axis: int) -> TensorProgram:
    program = TensorProgram()
    return finished(rng, program, program.input(drawn(rng, shape), "x").call("sum", axis=axis))


def mixture(rng: np.random.Generator, shape: Shape, axis: int) -> TensorProgram:
    """The sum of an intermediate result that is used again, and that is a leaf at the same time in another sum."""
    program = TensorProgram()
    x, w = program.input(drawn(rng, shape), "x"), program.input(drawn(rng, shape), "w")
    h = program.name("h", x * w + x)
    s = program.name("s", h.call("sum", axis=axis))
    return finished(rng, program, s * (h * x).call("sum", axis=axis) + s + w.call("sum", axis=axis))


@check("A matrix, along each axis", points=1)
def matrix(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, [summed(rng, (2, 3), axis) for axis in (0, 1)])


# TODO(author): hidden checks, one for each mistake that you can name
@check("Every axis of other shapes, and values that are used again", points=3, hidden=True)
def every_axis(student: Student, rng: np.random.Generator) -> None:
    axes = [(shape, axis) for shape in SHAPES for axis in range(-len(shape), len(shape))]
    twice = TensorProgram()  # different leaves of equal data
    values = drawn(rng, (2, 2))
    a, b = twice.input(values, "a"), twice.input(values, "b")
    finished(rng, twice, (a * a + b).call("sum", axis=0) + (a + b).call("sum", axis=1))
    programs = [make(rng, *one) for make in (summed, mixture) for one in axes]
    expect_tensor_programs(student, [*programs, twice])


# TODO(author): random inputs from everything that the statement allows; nothing is graded here
@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    shape = SHAPES[int(rng.integers(len(SHAPES)))]
    axis = int(rng.integers(-len(shape), len(shape)))
    ask_programs(student, [ComparedTensors(make(rng, shape, axis)) for make in (summed, mixture)])
