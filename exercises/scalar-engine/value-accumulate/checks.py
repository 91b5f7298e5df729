"""Every way of using a value, paired with every other: one overlooked overwrite shows in the pairs that contain it."""

from collections.abc import Callable
from itertools import product

import numpy as np

from autograder.judge.checks import Student, check, probe, variety
from autograder.judge.checks.engine import Program, Slot, expect_programs, look_alikes

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


@check("Each operation once, with no value used twice", points=1)
def each_operation_once(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for use in USES:
        program = Program()
        a, b, c = inputs(program, rng, "abc")
        program.backward(program.name("f", use(a, b) * c))
        programs.append(program)
    expect_programs(student, programs)


@check("The example: y = x * w - x.square()", points=1, fixed="it is the example of the statement")
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


@check("The same value as both operands and in a second operation", points=1, hidden=True)
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


@check("An input with two consumers of every kind", points=2, hidden=True)
def shared_input(student: Student, rng: np.random.Generator) -> None:
    expect_programs(student, all_pairs(rng, interior=False))


@check("An intermediate result with two consumers of every kind", points=2, hidden=True)
def shared_result(student: Student, rng: np.random.Generator) -> None:
    expect_programs(student, all_pairs(rng, interior=True))


@check("Values with three or more consumers", points=1, hidden=True)
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
    for use in USES:  # a value of 0, and a gradient of 0 that arrives
        program = Program()
        x, a, c = program.input(0.0, "x"), *inputs(program, rng, "ac")
        program.backward(program.name("f", use(x, a) * c + use(c, a) * x))
        programs.append(program)
    expect_programs(student, [*programs, *look_alikes(rng)])


@probe
def outcomes(student, programs):
    """Data and gradients of programs as plain numbers: which contribution is added first may show in the last digit."""
    import operator

    symbols = {"+": operator.add, "-": operator.sub, "*": operator.mul}
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


def moderate(program: Program) -> bool:
    """Whether it can be computed at all, with values that keep their digits."""
    try:
        data, grads, _ = program.evaluate()
    except (ArithmeticError, ValueError, TypeError):
        return False
    return all(isinstance(value, float) and abs(value) < 1e3 for value in (*data, *grads))


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    """Any program of moderate size: zeros, whole numbers, one operand twice, any value as the one that goes backward."""
    programs = []
    for _ in range(12):
        program = Program()
        draws = (0.0, 1, int(rng.integers(-3, 4)), number(rng), number(rng))
        slots = [program.input(draws[int(rng.integers(5))]) for _ in range(int(rng.integers(1, 5)))]
        for _ in range(int(rng.integers(0, 10))):
            one, other = (slots[int(rng.integers(len(slots)))] for _ in range(2))
            one = slots[-1] if rng.random() < 0.5 else one
            slots.append(USES[int(rng.integers(len(USES)))](one, one if rng.random() < 0.2 else other))
        program.backward(slots[-1] if rng.random() < 0.7 else slots[int(rng.integers(len(slots)))])
        programs.append(program)
    student.run(outcomes, [program.instructions for program in programs if moderate(program)])
