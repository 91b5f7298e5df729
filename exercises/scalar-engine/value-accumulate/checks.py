"""Every way of using a value, paired with every other: one overlooked overwrite shows in the pairs that contain it."""

from collections.abc import Callable
from itertools import product

import numpy as np

from autograder.judge.checks import Student, check
from autograder.judge.checks.engine import Program, Slot, expect_programs

OPERATIONS = ("+", "-", "*")

# all ways in which a value can be used; the second value is another operand, if there is one
USES: tuple[Callable[[Slot, Slot], Slot], ...] = (
    lambda s, a: s + a,
    lambda s, a: a + s,
    lambda s, a: s - a,
    lambda s, a: a - s,
    lambda s, a: s * a,
    lambda s, a: a * s,
    lambda s, a: s.call("square"),
    lambda s, a: s.call("exp"),
)


def number(rng: np.random.Generator) -> float:
    return float(rng.uniform(0.4, 1.4) * rng.choice([-1.0, 1.0]))


def inputs(program: Program, rng: np.random.Generator, names: str) -> list[Slot]:
    return [program.input(number(rng), name) for name in names]


def all_pairs(rng: np.random.Generator, *, interior: bool) -> list[Program]:
    programs = []
    for first, second, join in product(USES, USES, OPERATIONS):
        program = Program()
        x, a, b = inputs(program, rng, "xab")
        shared = program.name("s", x * program.input(number(rng), "w")) if interior else x
        program.backward(program.name("f", program.apply(join, first(shared, a), second(shared, b))))
        programs.append(program)
    return programs


@check("Each operation once, no value used twice", points=1)
def each_operation_once(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for use in USES:
        program = Program()
        a, b, c = inputs(program, rng, "abc")
        program.backward(program.name("f", use(a, b) * c))
        programs.append(program)
    expect_programs(student, programs)


@check("The example: y = x * w - x.square()", points=1)
def example(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for first, second in ((3.0, 2.0), (-1.5, 0.5)):
        program = Program()
        x, w = program.input(first, "x"), program.input(second, "w")
        p, q = program.name("p", x * w), program.name("q", x.call("square"))
        program.backward(program.name("y", p - q))
        programs.append(program)
    expect_programs(student, programs)


@check("The same value as both operands", points=1)
def both_operands(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation in OPERATIONS:
        program = Program()
        x, c = inputs(program, rng, "xc")
        program.backward(program.name("f", program.apply(operation, x, x) * c))
        programs.append(program)
    expect_programs(student, programs)


@check("The same value as both operands, and used once more", points=1, hidden=True)
def both_operands_and_more(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation, use, interior in product(OPERATIONS, USES, (False, True)):
        program = Program()
        x, a, c = inputs(program, rng, "xac")
        shared = program.name("s", x - program.input(number(rng) * 0.3, "w")) if interior else x
        twice = program.apply(operation, shared, shared)
        program.backward(program.name("f", twice * c + use(shared, a) if use in USES[::2] else use(shared, a) + twice * c))
        programs.append(program)
    expect_programs(student, programs)


@check("An input with two consumers, of all kinds", points=2, hidden=True)
def shared_input(student: Student, rng: np.random.Generator) -> None:
    expect_programs(student, all_pairs(rng, interior=False))


@check("An intermediate result with two consumers, of all kinds", points=2, hidden=True)
def shared_result(student: Student, rng: np.random.Generator) -> None:
    expect_programs(student, all_pairs(rng, interior=True))


@check("Values with three consumers and more", points=1, hidden=True)
def many_consumers(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for start in range(len(USES)):
        program = Program()
        x, a, c = inputs(program, rng, "xac")
        shared = program.name("s", x + c) if start % 2 else x
        total = USES[start](shared, a)
        for step in range(1, 2 + start % 3 + 1):
            total = total + USES[(start + 3 * step) % len(USES)](shared, a) * c
        program.backward(program.name("f", total))
        programs.append(program)
    expect_programs(student, programs)


@check("Larger programs", points=1, hidden=True)
def random_programs(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for _ in range(6):
        program = Program()
        slots = inputs(program, rng, "abc")
        scale = program.input(0.3, "k")
        for _ in range(9):
            left, right = (slots[int(rng.integers(max(0, len(slots) - 4), len(slots)))] for _ in range(2))
            slots.append(USES[int(rng.integers(len(USES)))](left * scale, right))
        program.backward(program.name("f", slots[-1] + slots[-2] * slots[-3]))
        programs.append(program)
    expect_programs(student, programs)
