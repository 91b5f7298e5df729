"""Runs programs on the student's class and compares data and gradient of every value in them."""

from collections.abc import Callable

import numpy as np

from autograder.judge.checks import Student, check, probe, variety
from autograder.judge.checks.engine import Program, Slot, expect_programs, look_alikes

# a node used by the new operation and by another one, in either order
MIXTURES: tuple[Callable[[Slot, Slot], Slot], ...] = (
    lambda h, c: h.call("square") * c + h,
    lambda h, c: h + c * h.call("square"),
    lambda h, c: h.call("square") * h.call("square") + c,
    lambda h, c: (h + c) * h.call("square"),
    lambda h, c: (c + h) * h.call("square"),
    lambda h, c: (h * c + h.call("square")).call("square") + h,
)


def number(rng: np.random.Generator) -> float:
    """Magnitudes around one, both signs, and neither 0 nor 1, which hide mistakes."""
    return float(rng.uniform(1.2, 2.0) * rng.choice([-1.0, 1.0]))


@check("One square, one sum, two products", points=1)
def one_operation(student: Student, rng: np.random.Generator) -> None:
    program = Program()
    a, b = program.input(number(rng), "a"), program.input(number(rng), "b")
    program.backward(program.name("f", (a.call("square") + a * b) * b))
    expect_programs(student, [program])


# TODO(author): hidden checks, one for each mistake that you can name
@check("A value used through its square and directly", points=3, hidden=True)
def shared(student: Student, rng: np.random.Generator) -> None:
    """The shared node is an input in one program and an intermediate result in another."""
    programs = []
    for mixture in MIXTURES:
        for interior in (False, True):
            program = Program()
            x, c = program.input(number(rng), "x"), program.input(number(rng), "c")
            program.backward(program.name("f", mixture(program.name("h", x * c) if interior else x, c)))
            programs.append(program)
    program = Program()
    x, c = program.input(0.0, "x"), program.input(number(rng), "c")
    program.backward(program.name("f", x.call("square") * c + c.call("square") * x))
    expect_programs(student, [*programs, program, *look_alikes(rng)])


@probe
def outcomes(student, inputs, steps):
    """Compare data and gradient of every value of a program."""
    values = [student.Value(x) for x in inputs]
    for operation, one, other in steps:
        a, b = values[one], values[other]
        values.append(a + b if operation == "+" else a * b if operation == "*" else a.square())
    values[-1].backward()
    return [[value.data, value.grad] for value in values]


# TODO(author): random inputs from everything that the statement allows; nothing is graded here
@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    steps = []
    for count in range(2, int(rng.integers(3, 8))):
        operation = ("+", "*", "square")[int(rng.integers(3))]
        steps.append([operation, int(rng.integers(count)), int(rng.integers(count))])
    student.run(outcomes, [float(x) for x in rng.choice([0.0, 1.3, rng.normal(), rng.normal()], size=2)], steps)
