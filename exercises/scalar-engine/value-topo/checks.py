"""Graphs on which a wrong order, a repeated step or a confusion of nodes leaves a wrong number somewhere."""

from itertools import product
from typing import Any

import numpy as np

from autograder.judge.checks import Student, check, expect, expect_number, probe, variety
from autograder.judge.checks.engine import Program, Slot, expect_programs, look_alikes
from autograder.judge.checks.engine_cost import SECONDS, expect_cheap_pass

OPERATIONS = ("+", "*")


def number(rng: np.random.Generator) -> float:
    return float(rng.uniform(0.4, 1.6) * rng.choice([-1.0, 1.0]))


def inputs(program: Program, rng: np.random.Generator, names: str) -> list[Slot]:
    return [program.input(number(rng), name) for name in names]


def branch(program: Program, rng: np.random.Generator, start: Slot, length: int) -> Slot:
    """A line of operations on `start`, each with a new input; which operand the line is changes from step to step."""
    end = start
    for step in range(length):
        fresh = program.input(number(rng))
        pair = (end, fresh) if (step + length) % 2 else (fresh, end)
        end = program.apply(OPERATIONS[(step + length // 2) % 2], *pair)
    return end


@check("One operation", points=1)
def one_operation(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation in OPERATIONS:
        program = Program()
        a, b = inputs(program, rng, "ab")
        f = program.name("f", program.apply(operation, a, b))
        program.read()
        program.backward(f)
        programs.append(program)
    expect_programs(student, programs)


@check("Expressions without shared nodes", points=1.5)
def trees(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for first, second in product(OPERATIONS, OPERATIONS):
        program = Program()
        a, b, c, d = inputs(program, rng, "abcd")
        left, right = program.apply(first, a, b), program.apply(second, c, d)
        program.backward(program.name("f", left * right))
        programs.append(program)
        program = Program()
        a, b, c, d = inputs(program, rng, "abcd")
        program.backward(program.name("f", program.apply(second, d, program.apply(first, a, b) * c)))
        programs.append(program)
    expect_programs(student, programs)


@check("The example: p = a * b; y = p * (p + b)", points=1.5, fixed="it is the example of the statement")
def example(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for x, w in ((2.0, 3.0), (-1.5, 0.5)):
        program = Program()
        a, b = program.input(x, "a"), program.input(w, "b")
        p = program.name("p", a * b)
        program.backward(program.name("y", p * program.name("q", p + b)))
        programs.append(program)
    expect_programs(student, programs)


@check("Two branches of different length from one node", points=2, hidden=True)
def unequal_branches(student: Student, rng: np.random.Generator) -> None:
    """Short branch left and right, joined by either operation, from an input and from an intermediate result."""
    programs = []
    lengths = ((0, 1), (0, 2), (1, 1), (1, 2), (1, 3), (2, 3), (0, 5), (2, 6))
    for (short, long), join, short_first, interior in product(lengths, OPERATIONS, (False, True), (False, True)):
        program = Program()
        x, w, c = inputs(program, rng, "xwc")
        shared = program.name("s", x * w) if interior else x
        one, two = branch(program, rng, shared, short), branch(program, rng, shared, long)
        pair = (one, two) if short_first else (two, one)
        program.backward(program.name("f", program.apply(join, *pair) * c))
        programs.append(program)
    expect_programs(student, programs)


@check("Different nodes with equal data", points=1.5, hidden=True)
def equal_data(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation, join in product(OPERATIONS, OPERATIONS):
        program = Program()
        x = number(rng)
        a, b = program.input(x, "a"), program.input(x, "b")
        p, q = program.apply(operation, a, b), program.apply(operation, b, a)
        c = program.input(x + x if operation == "+" else x * x, "c")
        left = program.name("l", program.apply(join, p, c))
        right = program.name("r", program.apply(join, q, a))
        program.backward(program.name("f", left * right + (c + b)))
        programs.append(program)
        program = Program()
        a, b, c = program.input(x, "a"), program.input(x, "b"), program.input(number(rng), "c")
        p, q = program.apply(operation, a, c), program.apply(operation, b, c)
        program.backward(program.name("f", program.apply(join, p, q) * c))
        programs.append(program)
    expect_programs(student, [*programs, *look_alikes(rng)])


@check("The same node as both operands", points=1, hidden=True)
def same_node_twice(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for first, second, interior in product(OPERATIONS, OPERATIONS, (False, True)):
        program = Program()
        x, w, c = inputs(program, rng, "xwc")
        shared = program.name("s", x + w) if interior else x
        twice = program.name("t", program.apply(first, shared, shared))
        again = program.name("u", program.apply(second, twice, twice))
        program.backward(program.name("f", c * again + shared))
        programs.append(program)
    for operation, twice_first in product(OPERATIONS, (False, True)):  # while a longer way from it is still open
        program = Program()
        x, w = inputs(program, rng, "xw")
        shared = program.name("s", x * w)
        twice = program.name("t", program.apply(operation, shared, shared))
        long = branch(program, rng, shared, 3)
        pair = (twice, long) if twice_first else (long, twice)
        program.backward(program.name("f", program.apply("*", *pair)))
        programs.append(program)
    expect_programs(student, programs)


@check("Larger programs", points=1.5, hidden=True)
def random_programs(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for _ in range(6):
        program = Program()
        leaves = inputs(program, rng, "abcd")
        slots = list(leaves)
        for _ in range(22):
            recent = [slots[int(rng.integers(max(0, len(slots) - 6), len(slots)))] for _ in range(2)]
            if rng.random() < 0.5:
                slots.append(recent[0] + recent[1])
            else:
                pair = [recent[0], leaves[int(rng.integers(len(leaves)))]]
                order = rng.permutation(2)
                slots.append(pair[order[0]] * pair[order[1]])
        program.backward(program.name("f", slots[-1] + slots[-2] * slots[-3]))
        programs.append(program)
    expect_programs(student, programs)


@probe
def line(student, start, steps):
    """One operation after another on a value; the other operands are all different. Data, then gradients."""
    first = student.Value(start)
    others = [student.Value(number) for _, number, _ in steps]
    end = first
    for (operation, _, swapped), other in zip(steps, others, strict=True):
        left, right = (other, end) if swapped else (end, other)
        end = left + right if operation == "+" else left * right
    end.backward()
    readings = [[float(end.data), *(float(value.grad) for value in (first, *others))] for _ in range(2)]
    return [one if one == again else [one, again] for one, again in zip(*readings)]


@check("Chains of 300 and 480 operations", points=1, hidden=True)
def long_line(student: Student, rng: np.random.Generator) -> None:
    for length in (300, 480):
        start = number(rng)
        others = [float(rng.uniform(0.95, 1.05)) for _ in range(length)]
        steps: list[Any] = [[OPERATIONS[int(rng.integers(2))], other, bool(rng.integers(2))] for other in others]
        answer: Any = student.run(line, start, steps)
        well_formed = isinstance(answer, list) and len(answer) == length + 2
        expect(well_formed, "The gradients along the chain could not be read.")
        before = [start]
        for operation, other, _ in steps:
            before.append(before[-1] + other if operation == "+" else before[-1] * other)
        expect_number(answer[0], before.pop(), f"The value at the end of a chain of {length} operations")
        upstream = 1.0
        for position in reversed(range(length)):
            operation, other, _ = steps[position]
            slope = 1.0 if operation == "+" else before[position]
            what = f"The gradient of operand number {position + 1} in a chain of {length} operations"
            expect_number(answer[position + 2], upstream * slope, what)
            upstream *= 1.0 if operation == "+" else other
        expect_number(answer[1], upstream, f"The gradient at the start of a chain of {length} operations")


@check("40 consecutive doublings: more than 10 ** 12 paths", points=1.5, hidden=True, seconds=2)
def ladder(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for form in range(4):
        program = Program()
        v = x = program.input(number(rng), "x")
        c, d = program.input(float(rng.uniform(0.4, 0.6)), "c"), program.input(float(rng.uniform(0.4, 0.6)), "d")
        for _ in range(40):
            v = (
                lambda v, c, d: v * c + v * d,
                lambda v, c, d: (v + v) * c,
                lambda v, c, d: v + v * c,
                lambda v, c, d: d * v + v,
            )[form](v, c, d)
        program.backward(program.name("f", v + x))
        programs.append(program)
    expect_programs(student, programs)


@probe
def outcomes(student, programs):
    """Data and gradients of programs as plain numbers: which contribution is added first may show in the last digit."""
    import operator

    symbols = {"+": operator.add, "*": operator.mul}
    answer = []
    for program in programs:
        slots = []
        for name, *operands in program:
            if name == "in":
                slots.append(student.Value(*operands))
            elif name == "backward":
                slots[operands[0]].backward()
            else:
                operate = symbols.get(name) or operator.methodcaller(name)
                slots.append(operate(*(item[0] if isinstance(item, list) else slots[item] for item in operands)))
        answer.append([[float(slot.data), float(slot.grad)] for slot in slots])
    return answer


@check("Thousands of values, at the cost of one backward pass", points=2.5, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    expect_cheap_pass(student, rng)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    """Graphs of all shapes with equal data and zeros in them; any value may go backward, an input too; and doublings."""
    programs = []
    for _ in range(8):
        program = Program()
        draws = (0.0, 1.0, -1.0, 2, number(rng), number(rng))
        slots = [program.input(draws[int(rng.integers(6))]) for _ in range(int(rng.integers(1, 5)))]
        reach = int(rng.integers(1, 12))
        for _ in range(int(rng.integers(0, 20))):
            one, other = (slots[int(rng.integers(max(0, len(slots) - reach), len(slots)))] for _ in range(2))
            slots.append(one * other if rng.random() < 0.3 and len(slots) < 8 else one + other)
        program.backward(slots[-1] if rng.random() < 0.7 else slots[int(rng.integers(len(slots)))])
        programs.append(program)
    program = Program()
    v = program.input(number(rng))
    for _ in range(int(rng.integers(20, 41))):
        v = v + v
    program.backward(v)
    student.run(outcomes, [program.instructions for program in (*programs, program)])
