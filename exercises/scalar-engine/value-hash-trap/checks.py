"""Nodes with equal data everywhere, so that comparing by value shows; operators on both sides; operands by identity."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from autograder.judge.checks import Student, check, expect, expect_equal, probe, variety
from autograder.judge.checks.engine import Program, Slot, expect_programs, look_alikes
from autograder.judge.checks.engine_cost import SECONDS, expect_cheap_pass
from autograder.judge.diagnosis import refuses_numbers, symptom

Write = Callable[[Slot], Slot]

SEEN_IN_TUTORIALS: tuple[Write, ...] = (
    lambda x: (x + 1) ** 2,
    lambda x: 2 * x,
    lambda x: 1 - x,
    lambda x: 1 / x,
    lambda x: x / 2,
    lambda x: x - 1,
    lambda x: -x,
)
OPERATIONS = ("+", "-", "*", "/")
PAIRS: tuple[Callable[[Slot, Slot], Slot], ...] = (
    *(lambda a, b, o=o: a.program.apply(o, a, b) for o in OPERATIONS),
    lambda a, b: -a * b,
    lambda a, b: a**3 * b,
    lambda a, b: b / a**-2,
    lambda a, b: 1.5 / a - 2 / b,
)


def number(rng: np.random.Generator, *, positive: bool = False) -> float:
    size = float(rng.uniform(1.2, 2.4) if rng.random() < 0.5 else rng.uniform(0.4, 0.8))
    return size if positive or rng.random() < 0.5 else -size


@probe
def comparisons(student, number):
    """Comparisons of two leaves and of two results with equal data; then a dictionary, before and after backward."""
    x, y = student.Value(number), student.Value(number)
    p, q = x + y, x + y
    facts = [x == y, x != y, x == x, x != x, x in [y], p == q, p != q, p == p]
    sizes = [len({x, y}), len({x, x}), len({x, y, p, q})]
    table = {x: "x", y: "y", p: "p", q: "q"}
    (p * q).backward()
    return [*(bool(fact) for fact in facts), *sizes, *(table.get(key, "lost") for key in (x, y, p, q))]


COMPARISONS = {
    "x == y": False,
    "x != y": True,
    "x == x": True,
    "x != x": False,
    "x in [y]": False,
    "p == q": False,
    "p != q": True,
    "p == p": True,
    "len({x, y})": 2,
    "len({x, x})": 1,
    "len({x, y, p, q})": 4,
    "table[x] after backward": "x",
    "table[y] after backward": "y",
    "table[p] after backward": "p",
    "table[q] after backward": "q",
}


def expect_identity(student: Student, x: float) -> None:
    answer: Any = student.run(comparisons, x)
    well_formed = isinstance(answer, list) and len(answer) == len(COMPARISONS)
    expect(well_formed, "The comparisons could not be read.")
    for given, (text, truth) in zip(answer, COMPARISONS.items(), strict=True):
        scene = f"With x, y = Value({x}), Value({x}), p = x + y, q = x + y, table = {{x: 'x', y: 'y', p: 'p', q: 'q'}}"
        expect_equal(given, truth, f"{scene}: {text}")


@check("Equality and hashing", points=1, fixed="which Values are equal does not depend on their data: that is the rule")
def equality(student: Student, rng: np.random.Generator) -> None:
    expect_identity(student, 3.0)


@check("The operators that tutorials use", points=1)
def operators(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for write in SEEN_IN_TUTORIALS:
        program = Program()
        x = program.input(number(rng), "x")
        program.backward(program.name("f", write(x)))
        programs.append(program)
    expect_programs(student, programs)


@check(
    "The example: y = (a + 1) ** 2 - 6 / b, also for a and b with equal data",
    points=1,
    fixed="it is the example of the statement",
)
def example(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for first, second in ((3.0, 3.0), (-1.5, 2.5)):
        program = Program()
        a, b = program.input(first, "a"), program.input(second, "b")
        y = program.name("y", (a + 1) ** 2 - 6 / b)
        program.read()
        program.backward(y)
        programs.append(program)
    expect_programs(student, programs)


@check(
    "Equality and hashing with other numbers",
    points=1,
    hidden=True,
    fixed="which Values are equal does not depend on their data: that is the rule",
)
def equality_again(student: Student, rng: np.random.Generator) -> None:
    for x in (0.0, number(rng)):
        expect_identity(student, x)


@check("A number as either operand, with an upstream gradient other than 1", points=1, hidden=True)
def numbers_on_either_side(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation in OPERATIONS:
        for other in (3, number(rng)):
            program = Program()
            a, c = program.input(number(rng), "a"), program.input(number(rng), "c")
            left = program.name("l", program.apply(operation, other, a))
            right = program.name("r", program.apply(operation, a, other))
            program.backward(program.name("f", left * c - c / right))
            programs.append(program)
    expect_programs(student, programs)


@check("Every operator with shared values", points=0.5, hidden=True)
def shared_values(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for first, second in product(range(len(PAIRS)), repeat=2):
        program = Program()
        x, a, b = (program.input(number(rng), name) for name in "xab")
        shared = program.name("s", x * a) if (first + second) % 2 else x
        left, right = PAIRS[first](shared, a), PAIRS[second](b, shared)
        program.backward(program.name("f", left - right if first % 2 else right + left))
        programs.append(program)
    for n in (0.5, -1.5, -2, 0, 1, 2):
        program = Program()
        x, c = program.input(number(rng, positive=True), "x"), program.input(number(rng), "c")
        z = program.input(0.0, "z")
        program.backward(program.name("f", c * x**n + x + z * x**n))
        programs.append(program)
    expect_programs(student, programs)


@check("Two inputs with equal data get separate gradients", points=1.5, hidden=True)
def equal_data(student: Student, rng: np.random.Generator) -> None:
    """Also intermediate results with equal data, and a leaf whose data equal those of a result."""
    programs = []
    for pair in PAIRS:
        program = Program()
        x = number(rng)
        a, b = program.input(x, "a"), program.input(x, "b")
        program.backward(program.name("f", pair(a, b) * 1.5))
        programs.append(program)
        program = Program()
        a, b, c = program.input(x, "a"), program.input(x, "b"), program.input(x + x, "c")
        p, q = program.name("p", a + b), program.name("q", b + a)
        program.backward(program.name("f", pair(p, q) * c + pair(b, a) * 0.7 + q))
        programs.append(program)
    for write in SEEN_IN_TUTORIALS:
        program = Program()
        x = number(rng)
        a, b = program.input(x, "a"), program.input(x, "b")
        program.backward(program.name("f", 1.7 * write(a) - write(b) * a))
        programs.append(program)
    expect_programs(student, [*programs, *look_alikes(rng)])


@probe
def operands_of(student, numbers, pairs):
    """The operands of sums and products as positions in the list of all nodes; the new nodes join that list."""
    nodes = [student.Value(number) for number in numbers]
    for operation, left, right in pairs:
        nodes.append(nodes[left] + nodes[right] if operation == "+" else nodes[left] * nodes[right])

    def positions(node):
        operands = node.operands()
        places = [next((i for i, other in enumerate(nodes) if other is operand), -1) for operand in operands]
        return ["tuple" if isinstance(operands, tuple) else type(operands).__name__, places]

    before = [positions(node) for node in nodes]
    nodes[-1].backward()
    return [before, [positions(node) for node in nodes]]


@check("operands(): a tuple, in order, with duplicates", points=1.5, hidden=True)
def operands(student: Student, rng: np.random.Generator) -> None:
    x = number(rng)
    numbers = [x, number(rng), x, number(rng)]
    pairs = []
    for operation in ("+", "*"):
        for left, right in ((0, 2), (1, 3), tuple(int(i) for i in rng.permutation(4)[:2])):
            pairs += [[operation, left, right], [operation, right, left]]
        repeated = int(rng.integers(4))
        pairs.append([operation, repeated, repeated])
    made = len(numbers) + len(pairs)
    pairs += [["*", made - 1, made - 1], ["+", made, 1], ["*", made, made + 1]]
    truth = [["tuple", []] for _ in numbers] + [["tuple", [left, right]] for _, left, right in pairs]
    answer: Any = student.run(operands_of, numbers, pairs)
    well_formed = isinstance(answer, list) and [len(part) for part in answer if isinstance(part, list)] == [len(truth)] * 2
    expect(well_formed, "The operands could not be read.")
    texts = [f"Value({item})" for item in numbers]
    texts += [f"n{left} {operation} n{right}" for operation, left, right in pairs]
    for given, when in zip(answer, ("", ", after backward"), strict=True):
        for position, (mine, expected) in enumerate(zip(given, truth, strict=True)):
            what = f"operands() of node n{position} = {texts[position]}{when}, as node numbers,"
            expect_equal(mine, expected, what)


@probe
def outcomes(student, programs):
    """Data and gradients of programs as plain numbers: which contribution is added first may show in the last digit."""
    import operator

    symbols = {
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "/": operator.truediv,
        "**": operator.pow,
        "neg": operator.neg,
    }
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


@check("Thousands of values, at the cost of one backward pass", points=1.5, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    expect_cheap_pass(student, rng)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    """Programs with every operator on equal data and whole numbers; comparisons; operands of sums and products."""
    programs = []
    for _ in range(30):
        program = Program()
        draws = [int(rng.integers(-3, 4)), number(rng), 0.0, 1, 1.0]
        slots = [program.input(draws[int(rng.integers(5))]) for _ in range(int(rng.integers(1, 4)))]
        for _ in range(int(rng.integers(0, 8))):
            one, other = (slots[int(rng.integers(len(slots)))] for _ in range(2))
            operation = (*OPERATIONS, *OPERATIONS, "neg", "**")[int(rng.integers(10))]
            if operation in OPERATIONS:
                operands: list[Slot | int | float] = [one, other]
                if rng.random() < 0.4:
                    operands[int(rng.integers(2))] = draws[int(rng.integers(5))]
                slots.append(program.apply(operation, *operands))
            else:
                exponent = (-2, -1, 0, 1, 2, 3, 0.5, float(rng.normal()))[int(rng.integers(8))]
                slots.append(-one if operation == "neg" else one**exponent)
        program.backward(slots[-1] if rng.random() < 0.7 else slots[int(rng.integers(len(slots)))])
        if moderate(program) and not to_the_power_of_zero(program):
            programs.append(program)
    student.run(outcomes, [program.instructions for program in programs])
    student.run(comparisons, (0.0, 2, number(rng))[int(rng.integers(3))])
    pairs: list[list[Any]] = []
    for made in range(int(rng.integers(1, 6))):
        left, right = (int(n) for n in rng.integers(3 + made, size=2))
        pairs.append(["+" if rng.random() < 0.5 else "*", left, right])
    student.run(operands_of, [1.0, number(rng), 1], pairs)


def to_the_power_of_zero(program: Program) -> bool:
    """The base 0 is not used with `**`."""
    data, _, _ = program.evaluate()
    return any(instruction[0] == "**" and data[instruction[1]] == 0 for instruction in program.instructions)


# a size that is too small: the set took different Values for one
for name in ("equality", "equality-again"):
    symptom("hash-by-value", lambda right, given: given[8] < right[8], check=name)
    symptom("equality-by-value", lambda right, given: given[0] is True and given[8:11] == right[8:11], check=name)


def without_repetitions(right: list[list[Any]], given: list[list[Any]]) -> bool:
    """The operands of every node are there, and none of them twice."""
    both = [(r, g) for before, after in zip(right, given, strict=True) for (_, r), (_, g) in zip(before, after, strict=True)]
    return all(set(r) == set(g) and len(g) == len(set(g)) for r, g in both)


for name in ("example", "numbers-on-either-side"):
    symptom("rejects-numbers", refuses_numbers, check=name, raised=True)
symptom("lost-multiplicity", without_repetitions, check="operands")
