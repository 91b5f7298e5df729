"""Inputs on both sides of the kink and on it, upstreams of both signs, and nodes that are used beside their activation."""

from collections.abc import Callable
from itertools import product

import numpy as np

from autograder.judge.checks import Student, check, probe, variety
from autograder.judge.checks.engine import Program, Slot, expect_programs, look_alikes
from autograder.judge.checks.engine_cost import SECONDS, expect_cheap_pass

METHODS = ("tanh", "relu")
SIGNS = (-1, 1)

# a node used through an activation and in another way, in either order
MIXTURES: tuple[Callable[[Slot, Slot], Slot], ...] = (
    lambda h, c: h.call("tanh") * c + h,
    lambda h, c: h + h.call("tanh") * c,
    lambda h, c: h.call("relu") * c + h,
    lambda h, c: h + h.call("relu") * c,
    lambda h, c: h * h.call("tanh"),
    lambda h, c: h.call("relu") * h,
    lambda h, c: h.call("tanh") * h.call("relu") + c,
    lambda h, c: h.call("relu") * c + h.call("tanh"),
    lambda h, c: h.call("tanh") + h.call("tanh") * c,
    lambda h, c: h.call("relu") + h.call("relu") * c,
    lambda h, c: (h.call("relu") * c + h).call("tanh"),
    lambda h, c: (h.call("tanh") * c + h).call("relu") + h,
    lambda h, c: h.call("tanh").call("tanh") * c,
    lambda h, c: h.call("relu").call("relu") * c,
)


def size(rng: np.random.Generator, low: float = 0.3, high: float = 1.6) -> float:
    return float(rng.uniform(low, high))


def either_sign(rng: np.random.Generator, low: float = 0.3, high: float = 1.6) -> float:
    return size(rng, low, high) * float(rng.choice(SIGNS))


@check("One tanh and one relu", points=0.5)
def one_operation(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for method, sign in product(METHODS, SIGNS):
        program = Program()
        a = program.input(sign * size(rng), "a")
        f = program.name("f", a.call(method))
        program.read()
        program.backward(f)
        programs.append(program)
    expect_programs(student, programs)


@check("The example: y = relu(x * w) * -3 + tanh(x * w)", points=1, fixed="it is the example of the statement")
def example(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for first, second in ((2.0, 0.5), (2.0, -0.5), (-0.8, -1.5)):
        program = Program()
        x, w = program.input(first, "x"), program.input(second, "w")
        h = program.name("h", x * w)
        t, r = program.name("t", h.call("tanh")), program.name("r", h.call("relu"))
        program.backward(program.name("y", r * -3 + t))
        programs.append(program)
    expect_programs(student, programs)


@check("relu of an input that is exactly 0", points=1, fixed="the value and the slope at 0 are the convention itself")
def relu_of_zero(student: Student, rng: np.random.Generator) -> None:
    program = Program()
    a, c = program.input(0.0, "a"), program.input(2.0, "c")
    program.backward(program.name("f", a.call("relu") * c + a))
    expect_programs(student, [program])


@check("relu with a positive and with a negative upstream gradient", points=1, hidden=True)
def relu_upstream(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for of_input, of_upstream in product(SIGNS, SIGNS):
        for factor in (size(rng), either_sign(rng, 2.0, 3.0)):
            program = Program()
            a, b = program.input(either_sign(rng), "a"), program.input(size(rng), "b")
            c, d = program.input(of_upstream * size(rng), "c"), program.input(either_sign(rng), "d")
            h = program.name("h", a * b + (of_input * 4.0))
            program.backward(program.name("f", c * h.call("relu") * abs(factor) + d * h))
            programs.append(program)
    expect_programs(student, programs)


@check("tanh with an upstream gradient other than 1", points=1, hidden=True)
def tanh_upstream(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for of_input, of_upstream in product(SIGNS, SIGNS):
        program = Program()
        a, c = program.input(of_input * size(rng), "a"), program.input(of_upstream * size(rng), "c")
        program.backward(program.name("f", 1.7 * (c * (a * 0.9 + 0.05).call("tanh"))))
        programs.append(program)
    program = Program()
    a, c = program.input(0.0, "a"), program.input(either_sign(rng), "c")
    program.backward(program.name("f", a.call("tanh") * c))
    expect_programs(student, [*programs, program])


@check("The kink of relu: an input of exactly 0, given or computed", points=1, hidden=True)
def kink(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for way, of_upstream in product(range(4), SIGNS):
        program = Program()
        start = either_sign(rng)
        a = program.input(0.0 if way == 0 else start, "a")
        c, d = program.input(of_upstream * size(rng), "c"), program.input(either_sign(rng), "d")
        h = (a, a + -start, a * 0.0, a + a * -1)[way]
        zero = h if way == 0 else program.name("h", h)
        program.backward(program.name("f", zero.call("relu") * c + zero * d))
        programs.append(program)
    program = Program()
    a, c = program.input(-size(rng), "a"), program.input(either_sign(rng), "c")
    program.backward(program.name("f", (a.call("relu") + a).call("relu") * c + a.call("relu").call("relu") * c + a * c))
    expect_programs(student, [*programs, program])


@check("A node used through an activation and directly", points=1, hidden=True)
def shared(student: Student, rng: np.random.Generator) -> None:
    """An input and an intermediate result as the shared node, on either side of 0."""
    programs = []
    for mixture, sign, interior in product(MIXTURES, SIGNS, (False, True)):
        program = Program()
        x, c = program.input(sign * size(rng), "x"), program.input(either_sign(rng), "c")
        h = program.name("h", x * program.input(size(rng), "w")) if interior else x
        program.backward(program.name("f", mixture(h, c) * 1.3))
        programs.append(program)
    expect_programs(student, programs)


STEPS: tuple[Callable[[Slot, Slot, float], Slot], ...] = (
    lambda p, q, n: p + q * n,
    lambda p, q, n: n + p * q,
    lambda p, q, n: p.call("tanh") + q,
    lambda p, q, n: p.call("relu") * q + p,
    lambda p, q, n: n * (p + q).call("tanh"),
)


def random_program(rng: np.random.Generator) -> tuple[Program, Slot]:
    program = Program()
    slots = [program.input(either_sign(rng), name) for name in "abc"]
    for step in range(10):
        left, right = (slots[int(rng.integers(max(0, len(slots) - 4), len(slots)))] for _ in range(2))
        slots.append(STEPS[(step + int(rng.integers(2))) % 5](left, right, either_sign(rng)))
    return program, program.name("f", slots[-1] + slots[-2] * slots[-3])


@check("Larger programs with numbers as left and right operands", points=1, hidden=True)
def larger(student: Student, rng: np.random.Generator) -> None:
    programs: list[Program] = []
    while len(programs) < 6:
        program, f = random_program(rng)
        if max(abs(value) for value in program.evaluate()[0]) < 20:  # tanh is promised no input beyond 50
            program.backward(f)
            programs.append(program)
    expect_programs(student, [*programs, *look_alikes(rng)])


@check("tanh in its saturated range, up to |x| = 50", points=1, hidden=True)
def saturated(student: Student, rng: np.random.Generator) -> None:
    """Up to 8 the slope is small but not 0, and the upstream makes it visible; beyond it must only not go wrong."""
    programs = []
    for sign in SIGNS:
        for x in (*rng.uniform(3.0, 8.0, 3), 30.0, float(rng.uniform(31.0, 49.0)), 50.0):
            program = Program()
            a, c = program.input(sign * float(x), "a"), program.input(either_sign(rng, 1e3, 2e3), "c")
            program.backward(program.name("f", a.call("tanh") * c + a * c))
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


@check("Thousands of values, at the cost of one backward pass", points=1.5, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    expect_cheap_pass(student, rng)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    """Both activations of any input up to 50, zeros of either sign and whole numbers among them, mixed with + and *."""
    programs = []
    while len(programs) < 12:
        program = Program()
        draws = [
            *(either_sign(rng) for _ in range(6)),
            int(rng.integers(-3, 4)),
            0.0,
            -0.0,
            0,
            1e-9,
            float(rng.uniform(-50.0, 50.0)),
        ]
        slots = [program.input(draws[int(rng.integers(12))]) for _ in range(int(rng.integers(1, 4)))]
        for _ in range(int(rng.integers(0, 11))):
            one, other = (slots[int(rng.integers(len(slots)))] for _ in range(2))
            one = slots[-1] if rng.random() < 0.5 else one
            operands: list[Slot | int | float] = [one, other]
            if rng.random() < 0.4:
                operands[int(rng.integers(2))] = draws[int(rng.integers(12))]
            operation = ("+", "*", *METHODS)[int(rng.integers(4))]
            slots.append(one.call(operation) if operation in METHODS else program.apply(operation, *operands))
        if max(abs(value) for value in program.evaluate()[0]) <= 50:
            program.backward(slots[-1] if rng.random() < 0.7 else slots[int(rng.integers(len(slots)))])
            programs.append(program)
    student.run(outcomes, [program.instructions for program in programs])
