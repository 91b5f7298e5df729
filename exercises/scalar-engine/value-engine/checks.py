"""Every value that a program makes is compared, not only the inputs: that is where a lost contribution shows first."""

from itertools import product

import numpy as np

from autograder.judge.checks import Student, check, expect_number, probe, variety
from autograder.judge.checks.engine import Program, Slot, expect_programs, look_alikes
from autograder.judge.checks.engine_cost import SECONDS, expect_cheap_pass
from autograder.judge.diagnosis import refuses_numbers, symptom

OPERATIONS = ("+", "*")


def far_from_special(rng: np.random.Generator, count: int) -> list[float]:
    """Numbers that are neither near 0 nor near 1, so that no mistake can hide behind them."""
    draws = rng.uniform(-1.7, 1.7, count)
    return [float(draw) + (1.3 if draw > 0 else -1.3) for draw in draws]


def inputs(program: Program, rng: np.random.Generator, names: str) -> list[Slot]:
    return [program.input(value, name) for value, name in zip(far_from_special(rng, len(names)), names, strict=True)]


@check("One addition and one multiplication", points=1)
def one_operation(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation in OPERATIONS:
        program = Program()
        a, b = inputs(program, rng, "ab")
        program.backward(program.name("f", program.apply(operation, a, b)))
        programs.append(program)
    expect_programs(student, programs)


@check("The example: f = (a + b) * (b + 1)", points=1, fixed="it is the example of the statement")
def example(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for x, y in ((5.0, 3.0), (-1.5, 2.5), (2.0, -3.0)):
        program = Program()
        a, b = program.input(x, "a"), program.input(y, "b")
        program.backward(program.name("f", (a + b) * (b + 1)))
        programs.append(program)
    expect_programs(student, programs)


@probe
def before_and_alone(student, x):
    leaf = student.Value(x)
    untouched = leaf.grad, leaf.grad
    result = leaf * 2 + leaf
    interior = result.grad, result.grad
    alone = student.Value(x)
    alone.backward()
    return [[float(number) for number in pair] for pair in (untouched, interior, (alone.grad, alone.grad))]


@check(
    "Gradients are 0 before backward(), and backward() works on a leaf",
    points=1,
    fixed="0 before and 1 after are the rule, whatever the data",
)
def before_and_on_a_leaf(student: Student, rng: np.random.Generator) -> None:
    (x,) = far_from_special(rng, 1)
    pair = tuple[float, float]
    untouched, interior, alone = student.run(before_and_alone, x, returns=tuple[pair, pair, pair])
    for n, when in enumerate(("", ", read again,")):
        expect_number(untouched[n], 0.0, f".grad of a new Value{when}", {"x": x})
        expect_number(interior[n], 0.0, f".grad of a result before backward{when}", {"x": x})
        expect_number(alone[n], 1.0, f".grad of a leaf after its own backward{when}", {"x": x})


@check("A number as the left or right operand", points=1, hidden=True)
def numbers_on_either_side(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for write in (lambda a: a + 2, lambda a: 2 + a, lambda a: a * 3, lambda a: 3 * a, lambda a: 1.5 * (a + 0.5)):
        program = Program()
        (a,) = inputs(program, rng, "a")
        program.backward(program.name("f", write(a)))
        programs.append(program)
    expect_programs(student, programs)


@check("The upstream gradient is propagated", points=1, hidden=True)
def upstream(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation in OPERATIONS:
        for side in (0, 1):
            program = Program()
            a, b, c = inputs(program, rng, "abc")
            inner = program.apply(operation, a, b)
            program.backward(program.name("f", (inner * c if side else c * inner) * 1.7))
            programs.append(program)
    expect_programs(student, programs)


@check("The same value as both operands", points=1, hidden=True)
def same_operand(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation in OPERATIONS:
        program = Program()
        x, c = inputs(program, rng, "xc")
        program.backward(program.name("f", program.apply(operation, x, x) * c))
        programs.append(program)
    expect_programs(student, programs)


@check("A value with two consumers receives both contributions", points=1, hidden=True)
def two_consumers(student: Student, rng: np.random.Generator) -> None:
    """Every pair of operations, every operand position, an input and an intermediate result as the shared value."""
    programs = []
    for first, second, left, right, interior in product(OPERATIONS, OPERATIONS, (0, 1), (0, 1), (False, True)):
        join = OPERATIONS[len(programs) % 2 ^ interior]
        program = Program()
        x, a, b, w = inputs(program, rng, "xabw")
        shared = program.name("s", x * w) if interior else x
        one = program.apply(first, *((shared, a) if left else (a, shared)))
        two = program.apply(second, *((shared, b) if right else (b, shared)))
        program.backward(program.name("f", program.apply(join, one, two)))
        programs.append(program)
    expect_programs(student, programs)


@check("Larger programs", points=1, hidden=True)
def random_programs(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for _ in range(6):
        program = Program()
        slots = inputs(program, rng, "abc")
        for _ in range(9):
            left, right = (slots[int(rng.integers(max(0, len(slots) - 5), len(slots)))] for _ in range(2))
            slots.append(program.apply(OPERATIONS[int(rng.integers(2))], left * 0.5, right))
        program.backward(program.name("f", slots[-1] + slots[-2]))
        programs.append(program)
    expect_programs(student, [*programs, *look_alikes(rng)])


@check("Thousands of values, at the cost of one backward pass", points=2, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    expect_cheap_pass(student, rng)


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


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    """Whole numbers and 0 as well, numbers on either side, one operand twice, any value as the one that goes backward."""
    programs = []
    for _ in range(8):
        program = Program()
        draws = [int(rng.integers(-3, 4)), float(rng.normal()), 0.0, 1]
        slots = [program.input(draws[int(rng.integers(4))]) for _ in range(int(rng.integers(1, 4)))]
        for _ in range(int(rng.integers(0, 9))):
            operands: list[Slot | int | float] = [slots[int(rng.integers(len(slots)))] for _ in range(2)]
            if rng.random() < 0.4:
                operands[int(rng.integers(2))] = draws[int(rng.integers(4))]
            slots.append(program.apply(OPERATIONS[int(rng.integers(2))], *operands))
        program.backward(slots[-1] if rng.random() < 0.7 else slots[int(rng.integers(len(slots)))])
        programs.append(program.instructions)
    student.run(outcomes, programs)


for where in ("example", "numbers-on-either-side"):
    symptom("rejects-numbers", refuses_numbers, check=where, raised=True)
