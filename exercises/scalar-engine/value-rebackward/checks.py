"""Several passes over shared graphs, with the leaves' gradients noted after each of them; interior gradients are free."""

from collections.abc import Callable
from itertools import product

import numpy as np

from autograder.judge.checks import Student, check, probe, variety
from autograder.judge.checks.engine import Program, Slot, expect_programs, look_alikes
from autograder.judge.checks.engine_cost import SECONDS, expect_cheap_pass

# outputs with interior nodes that have one consumer, two, or are used twice by one
OUTPUTS: tuple[Callable[[Slot, Slot], Slot], ...] = (
    lambda x, w: x * w,
    lambda x, w: (x + w) * w,
    lambda x, w: 2 + (x * w + w) * 3,
    lambda x, w: (x * w) * (x + 0.5),
)


def number(rng: np.random.Generator) -> float:
    return float(rng.uniform(0.4, 1.7) * rng.choice([-1.0, 1.0]))


def inputs(program: Program, rng: np.random.Generator, names: str) -> list[Slot]:
    return [program.input(number(rng), name) for name in names]


def trunk(program: Program, rng: np.random.Generator) -> tuple[Slot, Slot, Slot]:
    """Two inputs and a result of theirs, three operations deep, with a shared node inside."""
    x, w = inputs(program, rng, "xw")
    inner = program.name("u", x * w)
    return x, w, program.name("h", inner * (inner + w) + 1.5 * x)


def passes(program: Program, *roots: Slot) -> None:
    for root in roots:
        program.backward(root)
        program.read()


@check("A single pass", points=1)
def single_pass(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for write in OUTPUTS:
        program = Program()
        x, w = inputs(program, rng, "xw")
        y = program.name("y", write(x, w))
        program.read()
        program.backward(y)
        programs.append(program)
    expect_programs(student, programs, look_at="leaves")


@check("backward() twice on the same output", points=1.5)
def twice(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for write in OUTPUTS:
        program = Program()
        y = program.name("y", write(*inputs(program, rng, "xw")))
        passes(program, y, y)
        programs.append(program)
    expect_programs(student, programs, look_at="leaves")


@check(
    "The example: y twice, then x.grad = 0.0, then z, then x itself", points=2, fixed="it is the example of the statement"
)
def example(student: Student, rng: np.random.Generator) -> None:
    program = Program()
    x, w = program.input(3.0, "x"), program.input(2.0, "w")
    h = program.name("h", x * w)
    y = program.name("y", h * h)
    passes(program, y, y)
    program.set_grad(x, 0.0)
    program.read()
    z = program.name("z", h + x)
    passes(program, z, x)
    expect_programs(student, [program], look_at="leaves")


@check("backward() three times on the same output, on deeper graphs", points=1.5, hidden=True)
def three_times(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for write in OUTPUTS:
        program = Program()
        x, _, h = trunk(program, rng)
        c = program.input(number(rng), "c")
        y = program.name("y", write(h, c) + h * x)
        passes(program, y, y, y)
        programs.append(program)
    expect_programs(student, programs, look_at="leaves")


@check("Two outputs with a shared trunk", points=1.5, hidden=True)
def two_outputs(student: Student, rng: np.random.Generator) -> None:
    """One after the other, in turns, and with leaves that belong to one of them only."""
    programs: list[Program] = []
    for first, second in product(OUTPUTS, OUTPUTS):
        program = Program()
        _, w, h = trunk(program, rng)
        a, b = inputs(program, rng, "ab")
        y, z = program.name("y", first(h, a)), program.name("z", second(h, b) + w)
        passes(program, *((y, z, y), (y, y, z), (y, z))[len(programs) % 3])
        programs.append(program)
    expect_programs(student, programs, look_at="leaves")


@check("An output built from a node that already took part in a pass", points=1.5, hidden=True)
def built_on_a_used_node(student: Student, rng: np.random.Generator) -> None:
    """Also the other way round: the node itself after the output that was built on it."""
    programs = []
    for write, often in product(OUTPUTS, (1, 2)):
        program = Program()
        x, w, h = trunk(program, rng)
        passes(program, *[h] * often)
        c = program.input(number(rng), "c")
        y = program.name("y", write(h, c) + x)
        passes(program, y)
        z = program.name("z", y * h + w)
        passes(program, z, h, y)
        programs.append(program)
    expect_programs(student, programs, look_at="leaves")


@check("A leaf that is reset between passes", points=1.5, hidden=True)
def set_back(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for write, which in product(OUTPUTS, (0, 1, 2)):
        program = Program()
        x, w, h = trunk(program, rng)
        y = program.name("y", write(h, w))
        z = program.name("z", write(w, x))
        passes(program, y)
        for leaf in ((x,), (w,), (x, w))[which]:
            program.set_grad(leaf, 0.0)
        program.read()
        passes(program, y, z)
        program.set_grad(w, 0.0)
        passes(program, z, y)
        programs.append(program)
    expect_programs(student, programs, look_at="leaves")


@check("backward() on a leaf", points=1.5, hidden=True)
def leaf_as_root(student: Student, rng: np.random.Generator) -> None:
    """Before, between and after passes of outputs that use it."""
    programs = []
    for write in OUTPUTS:
        program = Program()
        x, w = inputs(program, rng, "xw")
        y = program.name("y", write(x, w) * x)
        passes(program, x, y, x, w, x, y, w)
        programs.append(program)
    expect_programs(student, programs, look_at="leaves")


@check("Many passes in any order", points=1, hidden=True)
def any_order(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for _ in range(5):
        program = Program()
        leaves = inputs(program, rng, "abc")
        slots = list(leaves)
        for _ in range(10):
            left, right = (slots[int(rng.integers(max(0, len(slots) - 5), len(slots)))] for _ in range(2))
            factor = leaves[int(rng.integers(3))] * 0.7
            slots.append(left * factor + right if rng.random() < 0.5 else (left + right) * factor)
            if rng.random() < 0.5:
                passes(program, slots[int(rng.integers(len(slots)))])
            if rng.random() < 0.2:
                program.set_grad(leaves[int(rng.integers(3))], 0.0)
        passes(program, slots[-1], slots[-2], slots[-1])
        programs.append(program)
    expect_programs(student, [*programs, *look_alikes(rng)], look_at="leaves")


@probe
def leaf_gradients(student, programs):
    """The gradients of the leaves after every pass, and all data, as plain numbers."""
    import operator

    symbols = {"+": operator.add, "*": operator.mul}
    answer = []
    for program in programs:
        slots, leaves, found = [], [], []
        for name, *operands in program:
            if name == "in":
                leaves.append(student.Value(*operands))
                slots.append(leaves[-1])
            elif name == "backward":
                slots[operands[0]].backward()
            elif name == "set grad":
                slots[operands[0]].grad = operands[1]
            elif name == "read":
                found.append([float(leaf.grad) for leaf in leaves])
            else:
                slots.append(symbols[name](*(item[0] if isinstance(item, list) else slots[item] for item in operands)))
        answer.append([found, [float(slot.data) for slot in slots]])
    return answer


@check("Thousands of values, at the cost of one backward pass", points=2, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    expect_cheap_pass(student, rng, look_at="leaves")


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    """Operations, passes and resets in any order, with zeros, whole numbers and one operand twice."""
    programs = []
    for _ in range(8):
        program = Program()
        draws = [int(rng.integers(-3, 4)), number(rng), number(rng), 0.0, 1]
        leaves = [program.input(draws[int(rng.integers(5))]) for _ in range(int(rng.integers(1, 4)))]
        slots = list(leaves)
        program.read()
        for _ in range(int(rng.integers(1, 14))):
            one, other = (slots[int(rng.integers(len(slots)))] for _ in range(2))
            what = rng.random()
            if what < 0.4:
                passes(program, one)
            elif what < 0.5:
                program.set_grad(leaves[int(rng.integers(len(leaves)))], 0.0)
            else:
                operands: list[Slot | int | float] = [one, other]
                if rng.random() < 0.3:
                    operands[int(rng.integers(2))] = draws[int(rng.integers(5))]
                slots.append(program.apply("+" if rng.random() < 0.6 or len(slots) > 9 else "*", *operands))
        passes(program, slots[-1], slots[-1])
        programs.append(program.instructions)
    student.run(leaf_gradients, programs)
