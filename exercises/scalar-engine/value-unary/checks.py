"""Each operation alone, under an upstream, with numbers beside it and on shared values; every value made is compared."""

from collections.abc import Callable

import numpy as np

from autograder.judge.checks import Student, check, probe, variety
from autograder.judge.checks.engine import Program, Slot, expect_programs, look_alikes
from autograder.judge.checks.engine_cost import SECONDS, expect_cheap_pass

BINARY = ("+", "-", "*", "/")
METHODS = ("neg", "exp", "log")
EXPONENTS = (0.5, -1.5, -2, 1, 2, 3)

Write = Callable[..., Slot]

SINGLE: tuple[Write, ...] = (
    lambda a: -a,
    lambda a: a.call("exp"),
    lambda a: a.call("log"),
    lambda a: a**3,
    lambda a: a**-2,
    lambda a: a**0.5,
)


def size_one(rng: np.random.Generator, *, negative: bool = False) -> float:
    """Away from 0 and from 1, where a missing factor or a wrong exponent would not show."""
    size = float(rng.uniform(1.2, 2.6) if rng.random() < 0.5 else rng.uniform(0.35, 0.8))
    return -size if negative and rng.random() < 0.5 else size


def inputs(program: Program, rng: np.random.Generator, names: str, *, negative: bool = False) -> list[Slot]:
    return [program.input(size_one(rng, negative=negative), name) for name in names]


@check("Each operation once", points=0.5)
def each_operation_once(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation in BINARY:
        program = Program()
        a, b = inputs(program, rng, "ab", negative=True)
        program.backward(program.name("f", program.apply(operation, a, b)))
        programs.append(program)
    for write in SINGLE:
        program = Program()
        (a,) = inputs(program, rng, "a")
        program.backward(program.name("f", write(a)))
        programs.append(program)
    expect_programs(student, programs)


@check("The example: y = a / b - b ** 3", points=1, fixed="it is the example of the statement")
def example(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for x, w in ((6.0, 2.0), (-1.5, 2.5), (2.0, -0.5)):
        program = Program()
        a, b = program.input(x, "a"), program.input(w, "b")
        q, p = program.name("q", a / b), program.name("p", b**3)
        y = program.name("y", q - p)
        program.read()
        program.backward(y)
        programs.append(program)
    expect_programs(student, programs)


@check("A number as the right operand", points=0.5)
def number_on_the_right(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation in BINARY:
        for number in (2, 2.5):
            program = Program()
            (a,) = inputs(program, rng, "a", negative=True)
            program.backward(program.name("f", program.apply(operation, a, number)))
            programs.append(program)
    expect_programs(student, programs)


@check("A number as either operand, with an upstream gradient", points=1, hidden=True)
def number_on_either_side(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation in BINARY:
        for number in (1, 2, 3, float(rng.uniform(-3.0, -1.5))):
            program = Program()
            a, c = inputs(program, rng, "ac", negative=True)
            left = program.name("l", program.apply(operation, number, a))
            right = program.name("r", program.apply(operation, a, number))
            program.backward(program.name("f", left * c + c * right))
            programs.append(program)
    expect_programs(student, programs)


@check("Every operation propagates the upstream gradient", points=1.5, hidden=True)
def upstream(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation in BINARY:
        for side in (0, 1):
            program = Program()
            a, b, c = inputs(program, rng, "abc", negative=True)
            inner = program.apply(operation, a, b)
            program.backward(program.name("f", (inner * c if side else c / inner - a) * -1.7))
            programs.append(program)
    for write in SINGLE:
        for sign in (-1, 1):
            program = Program()
            a, b, c = inputs(program, rng, "abc")
            program.backward(program.name("f", sign * (write(a * b) * c)))
            programs.append(program)
    expect_programs(student, programs)


@check("The same value as both operands", points=1, hidden=True)
def same_operand(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation in BINARY:
        for interior in (False, True):
            program = Program()
            x, w, c = inputs(program, rng, "xwc", negative=True)
            shared = program.name("s", x - w * 3.5) if interior else x
            program.backward(program.name("f", program.apply(operation, shared, shared) * c + shared / w))
            programs.append(program)
    expect_programs(student, programs)


@check("A value with two consumers receives both contributions", points=1, hidden=True)
def two_consumers(student: Student, rng: np.random.Generator) -> None:
    """Every pair of operations, with an input and an intermediate result in turn as the shared value."""
    forms: list[Write] = [lambda s, a, o=o: a.program.apply(o, s, a) for o in BINARY]
    forms += [lambda s, a, o=o: a.program.apply(o, a, s) for o in BINARY]
    forms += [lambda s, a, m=m: s.call(m) for m in METHODS]
    forms += [lambda s, a: s**3]
    programs: list[Program] = []
    for position, first in enumerate(forms):
        for second in forms:
            program = Program()
            x, w, a, b = inputs(program, rng, "xwab")
            shared = program.name("s", x * w) if (position + len(programs)) % 2 else x
            one, two = first(shared, a), second(shared, b)
            program.backward(program.name("f", program.apply(BINARY[len(programs) % 3], one, two)))
            programs.append(program)
    expect_programs(student, programs)


def with_zeros(rng: np.random.Generator) -> list[Program]:
    """Operations on 0, as far as they are promised, and under an upstream of 0."""
    on_zero: list[Write] = [lambda a, b: -a, lambda a, b: a.call("exp"), lambda a, b: a / b, lambda a, b: a - b]
    under_zero: list[Write] = [lambda a, b, o=o: a.program.apply(o, a, b) for o in BINARY]
    under_zero += [lambda a, b, w=w: w(a) for w in SINGLE]
    programs = []
    for write, zero in ((write, writes is on_zero) for writes in (on_zero, under_zero) for write in writes):
        program = Program()
        a, b, z = *inputs(program, rng, "ab"), program.input(0.0, "z")
        program.backward(program.name("f", write(z, b) * a + z if zero else write(a, b) * z + a))
        programs.append(program)
    return programs


@check("Powers: integer, fractional and negative exponents, a negative base, and base 0", points=1, hidden=True)
def powers(student: Student, rng: np.random.Generator) -> None:
    points = [(size_one(rng), n) for n in (*EXPONENTS, 0, 2.0)]
    points += [(-size_one(rng), n) for n in EXPONENTS if n == int(n)]
    points += [(zero, n) for zero in (0.0, -0.0) for n in (1, 2, 3)]
    programs = []
    for base, n in points:
        program = Program()
        a, c = program.input(base, "a"), program.input(size_one(rng, negative=True), "c")
        program.backward(program.name("f", (a**n) * c + a * c))
        programs.append(program)
    expect_programs(student, programs)


@check("Larger expressions such as log(exp(a) + exp(b))", points=1, hidden=True)
def larger(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for _ in range(3):
        program = Program()
        a, b, c = inputs(program, rng, "abc", negative=True)
        smooth = program.name("m", (a.call("exp") + b.call("exp")).call("log"))
        square = program.name("q", (smooth - c) ** 2 + 1)
        program.backward(program.name("f", (-smooth).call("exp") / square - 2 / square**0.5 + c.call("exp")))
        programs.append(program)
    program = Program()
    (a,) = inputs(program, rng, "a")
    program.backward(a)
    expect_programs(student, [*programs, program, *with_zeros(rng), *look_alikes(rng)])


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


def any_program(rng: np.random.Generator) -> Program:
    program = Program()
    draws = [int(rng.integers(-3, 4)), float(rng.normal()), 0.0, 1, float(rng.uniform(0.1, 3.0))]
    exponents = (*EXPONENTS, -1, 0, 0.0, 1.0, 4, float(rng.normal()))
    slots = [program.input(draws[int(rng.integers(5))]) for _ in range(int(rng.integers(1, 4)))]
    for _ in range(int(rng.integers(0, 8))):
        one, other = (slots[int(rng.integers(len(slots)))] for _ in range(2))
        one = slots[-1] if rng.random() < 0.5 else one
        operation = (*BINARY, *BINARY, *METHODS, "**")[int(rng.integers(12))]
        if operation in BINARY:
            operands: list[Slot | int | float] = [one, other]
            if rng.random() < 0.4:
                operands[int(rng.integers(2))] = draws[int(rng.integers(5))]
            slots.append(program.apply(operation, *operands))
        else:
            slots.append(one ** exponents[int(rng.integers(len(exponents)))] if operation == "**" else one.call(operation))
    program.backward(slots[-1] if rng.random() < 0.7 else slots[int(rng.integers(len(slots)))])
    return program


@check("Thousands of values, at the cost of one backward pass", points=1.5, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    expect_cheap_pass(student, rng)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    """Every operation on whole numbers, 0, and results of any sign, as far as the rules allow it."""
    programs = [program for program in (any_program(rng) for _ in range(40)) if moderate(program) and allowed(program)]
    student.run(outcomes, [program.instructions for program in programs])


def allowed(program: Program) -> bool:
    """The base 0 is promised for whole exponents from 1 on."""
    data, _, _ = program.evaluate()
    powers = [instruction for instruction in program.instructions if instruction[0] == "**"]
    return all(data[base] != 0 or (n >= 1 and n == int(n)) for _, base, (n,) in powers)
