"""Programs that torch executes too: gradients of one operation, their own gradients, networks, and larger programs."""

from collections.abc import Callable

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, array, check, expect, probe, variety
from autograder.judge.checks.memory import expect_error
from autograder.judge.checks.random_programs import drawn
from autograder.judge.checks.tensors import ComparedTensors, Shape, Slot, TensorProgram, ask_programs, expect_tensor_programs

UNARY: dict[str, Callable[[Slot], Slot]] = {
    "neg": lambda a: -a,
    "exp": lambda a: a.call("exp"),
    "tanh": lambda a: a.call("tanh"),
    "sum": lambda a: a.call("sum"),
    "with numbers": lambda a: (1.5 - a) / 1.25 + 2.0 / (a * 0.5 - 3.0) - 0.25,
    "number on the left": lambda a: 3.0 * (0.75 + a),
}
BINARY: dict[str, Callable[[Slot, Slot], Slot]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}
SHAPES: tuple[Shape, ...] = ((), (3,), (2, 3))


def numbers(rng: np.random.Generator, shape: Shape) -> Numbers:
    """Numbers of both signs. Where there is room for more, one of them is 0."""
    values = drawn(rng, shape)
    if values.size > 2:
        values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])
    return values


def weighted(rng: np.random.Generator, slots: list[Slot]) -> Slot:
    """A single number that depends on every entry of the tensors, with weights that differ."""
    total = None
    for slot in slots:
        weights = slot.program.input(drawn(rng, slot.shape), requires_grad=False)
        term = (slot * weights).call("sum")
        total = term if total is None else total + term
    assert total is not None
    return total


def derivatives(rng: np.random.Generator, y: Slot, inputs: list[Slot], order: int) -> TensorProgram:
    """The gradients of y, of a weighted sum of these gradients, and so on; the last without create_graph."""
    program = y.program
    g = program.input(numbers(rng, y.shape), "g")
    found = program.grads(program.name("y", y), inputs, g, create_graph=order > 1)
    for level in range(2, order + 1):
        scalar = program.name("s" if level == 2 else "t", weighted(rng, found))
        found = program.grads(scalar, [*inputs, g], create_graph=level < order)
    return program


def one_operation(rng: np.random.Generator, order: int) -> list[TensorProgram]:
    """Every operation alone, in several shapes."""
    programs = []
    for shape in SHAPES:
        for unary in UNARY.values():
            a = TensorProgram().input(numbers(rng, shape), "a")
            programs.append(derivatives(rng, unary(a), [a], order))
        for name, binary in BINARY.items():
            program = TensorProgram()
            a, b = program.input(numbers(rng, shape), "a"), program.input(drawn(rng, shape), "b")
            programs.append(derivatives(rng, binary(a, b), [a, b], order))
            if name in "*/":
                same = TensorProgram().input(drawn(rng, shape), "a")
                programs.append(derivatives(rng, binary(same, same), [same], order))
    return [*programs, *(write(rng, order) for write in (expanded, permuted, product, square))]


def expanded(rng: np.random.Generator, order: int) -> TensorProgram:
    a = TensorProgram().input(drawn(rng, ()), "a")
    return derivatives(rng, (a * a).call("expand", shape=(2, 3)), [a], order)


def permuted(rng: np.random.Generator, order: int) -> TensorProgram:
    """A cycle of three axes, which is not its own inverse."""
    a = TensorProgram().input(numbers(rng, (2, 3, 4)), "a")
    return derivatives(rng, (a * a).call("permute", axes=(1, 2, 0)), [a], order)


def product(rng: np.random.Generator, order: int) -> TensorProgram:
    program = TensorProgram()
    a, b = program.input(numbers(rng, (2, 3)), "a"), program.input(numbers(rng, (3, 4)), "b")
    return derivatives(rng, a @ b, [a, b], order)


def square(rng: np.random.Generator, order: int) -> TensorProgram:
    a = TensorProgram().input(numbers(rng, (3, 3)), "a")
    return derivatives(rng, a @ a, [a], order)


def cube(rng: np.random.Generator, shape: Shape, order: int) -> TensorProgram:
    """Derivatives of a sum of cubes, each taken of the sum of the one before."""
    program = TensorProgram()
    x = program.input(drawn(rng, shape), "x")
    scalar = program.name("y", (x * x * x).call("sum"))
    for level in range(1, order + 1):
        (found,) = program.grads(scalar, [x], create_graph=level < order)
        if level < order:
            scalar = found.call("sum")
    return program


@check("Gradients of a program and of an intermediate result", points=1.5)
def first_order(student: Student, rng: np.random.Generator) -> None:
    program = TensorProgram()
    a, b = program.input(drawn(rng, (3,)), "a"), program.input(drawn(rng, (3,)), "b")
    c = program.name("c", a * b)
    y = program.name("y", (c * c + c.call("tanh") / b).call("sum"))
    unused = program.input(drawn(rng, (2,)), "unused")
    program.grads(y, [a, b, c, unused], create_graph=False)
    expect_tensor_programs(student, [cube(rng, (2, 2), 1), program])


@check("The second derivatives of a cube and a product", points=2)
def second_order(student: Student, rng: np.random.Generator) -> None:
    program = TensorProgram()
    a, b = program.input(drawn(rng, (2,)), "a"), program.input(drawn(rng, (2,)), "b")
    y = program.name("y", ((a * b * b).call("exp") + a.call("tanh")).call("sum"))
    found = program.grads(y, [a, b])
    program.grads(program.name("s", weighted(rng, found)), [a, b], create_graph=False)
    expect_tensor_programs(student, [cube(rng, (3,), 2), program])


@check("The second derivatives of every operation", points=3, hidden=True)
def every_operation(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, one_operation(rng, 2))


@check("Third and fourth derivatives", points=2, hidden=True)
def higher_orders(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, [cube(rng, (2,), 3), cube(rng, (), 4), *one_operation(rng, 3)[::2]])


def network(rng: np.random.Generator) -> tuple[Slot, list[Slot], Slot]:
    """A number, the weights and the input of a network with two layers."""
    program = TensorProgram()
    x = program.input(drawn(rng, (2, 3)), "x")
    w1, w2 = program.input(drawn(rng, (3, 4)) * 0.5, "w1"), program.input(drawn(rng, (4, 2)), "w2")
    y = ((x @ w1).call("tanh") @ w2).call("sum")
    return program.name("y", y), [w1, w2], x


def penalty(rng: np.random.Generator, passes: int) -> TensorProgram:
    """The squared gradient with respect to the input, differentiated by grad or by backward."""
    y, weights, x = network(rng)
    program = y.program
    (gx,) = program.grads(y, [x])
    loss = program.name("penalty", (gx * gx).call("sum") * 0.5 + y * y)
    if not passes:
        program.grads(loss, [*weights, x], create_graph=False)
    for _ in range(passes):
        program.backward(loss)
    return program


def hessian_product(rng: np.random.Generator) -> TensorProgram:
    y, weights, _ = network(rng)
    program = y.program
    found = program.grads(y * y, weights)
    program.grads(program.name("s", weighted(rng, found)), weights, create_graph=False)
    return program


@check("Gradient penalty and Hessian-vector product", points=2, hidden=True)
def networks(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, [penalty(rng, 0), hessian_product(rng)])


def ordinary(rng: np.random.Generator) -> TensorProgram:
    """backward() without any call of grad, from outputs with one and with several entries."""
    program = TensorProgram()
    a, b = program.input(drawn(rng, (3,)), "a"), program.input(drawn(rng, (3,)), "b")
    c = program.input(drawn(rng, (3,)), "c", requires_grad=False)
    y = program.name("y", a * b / c - (a + b).call("exp"))
    program.backward(y, drawn(rng, (3,)))
    program.backward(y, drawn(rng, (3,)))
    program.backward(y.call("sum"))
    program.backward(a, drawn(rng, (3,)))
    return program


@check("backward, also through gradients", points=1, hidden=True)
def backward_passes(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, [ordinary(rng), penalty(rng, 1), penalty(rng, 2)])


def unreached(rng: np.random.Generator) -> TensorProgram:
    """Inputs on which the output does not depend, and an output that is a constant."""
    program = TensorProgram()
    a, b = program.input(drawn(rng, (2,)), "a"), program.input(drawn(rng, (2, 3)), "b")
    c = program.input(drawn(rng, ()), "c", requires_grad=False)
    y = program.name("y", (a * 3.0).call("sum"))
    ga, gb = program.grads(y, [a, b])
    program.grads(weighted(rng, [ga, gb]), [a, b], create_graph=False)
    program.grads(c * c, [b, a], create_graph=False)
    return program


def intermediate(rng: np.random.Generator) -> TensorProgram:
    """A result, the output itself and a leaf as inputs, one of them twice."""
    program = TensorProgram()
    a = program.input(drawn(rng, (3,)), "a")
    h = program.name("h", a * a)
    y = program.name("y", h * a)
    g = program.input(drawn(rng, (3,)), "g")
    found = program.grads(y, [h, a, y, h], g)
    program.grads(program.name("s", weighted(rng, found)), [a, h, g], create_graph=False)
    return program


def again(rng: np.random.Generator) -> TensorProgram:
    """The same gradients three times, with and without create_graph."""
    program = TensorProgram()
    a = program.input(drawn(rng, (2,)), "a")
    y = program.name("y", (a * a * a).call("sum"))
    program.grads(y, [a], create_graph=False)
    (first,) = program.grads(y, [a])
    program.grads(y, [a], create_graph=False)
    s = (first * first).call("sum")
    program.grads(s, [a], create_graph=False)
    program.grads(s, [a], create_graph=False)
    return program


def equal_leaves(rng: np.random.Generator) -> TensorProgram:
    program = TensorProgram()
    values = drawn(rng, (2,))
    a, b = program.input(values, "a"), program.input(values, "b")
    found = program.grads(program.name("y", (a * a * b).call("sum")), [a, b])
    program.grads(program.name("s", weighted(rng, found)), [a, b], create_graph=False)
    return program


def one_entry(rng: np.random.Generator, shape: Shape) -> TensorProgram:
    """An output with axes and one entry, without a gradient."""
    program = TensorProgram()
    a = program.input(drawn(rng, shape), "a")
    (found,) = program.grads(program.name("y", a * a * a), [a])
    program.grads(found, [a], create_graph=False)
    return program


def empty(rng: np.random.Generator) -> TensorProgram:
    program = TensorProgram()
    a = program.input(drawn(rng, (0, 2)), "a")
    (found,) = program.grads(program.name("y", (a * a).call("sum")), [a])
    program.grads((found * found).call("sum"), [a], create_graph=False)
    return program


def blocked(rng: np.random.Generator) -> TensorProgram:
    """A constant from a no_grad block, and recording after it."""
    program = TensorProgram()
    a = program.input(drawn(rng, (2,)), "a")
    program.no_grad()
    fixed = program.name("fixed", a * a)
    program.grad_enabled()
    (found,) = program.grads(program.name("y", (fixed * a * a).call("sum")), [a])
    program.grads((found * found).call("sum"), [a], create_graph=False)
    return program


@check("Other inputs and outputs", points=1.5, hidden=True)
def other_inputs(student: Student, rng: np.random.Generator) -> None:
    writers = (unreached, intermediate, again, equal_leaves, empty, blocked)
    programs = [write(rng) for write in writers]
    expect_tensor_programs(student, [*programs, one_entry(rng, (1,)), one_entry(rng, (1, 1))])


@probe
def flags(student, x, g):
    """What requires grad: gradients without and with create_graph, and products recorded after and between the calls."""
    a = student.Tensor(x, requires_grad=True)
    upstream = student.Tensor(g, requires_grad=True)
    y = (a * a * a).sum()
    seen = [
        *student.grad(y, [a]),
        *student.grad(y, [a], create_graph=True),
        *student.grad(a * a, [a], upstream),
        *student.grad(a, [a], upstream),
        a * 2.0,
    ]
    with student.no_grad():
        student.grad(y, [a])
        seen.append(a * 2.0)
    return [bool(tensor.requires_grad) for tensor in seen] + [a.grad is None, upstream.grad is None]


@probe
def refused(student, x):
    a = student.Tensor(x, requires_grad=True)
    student.grad(a * 2.0, [a])
    return 0


FLAGS = (
    ("the gradient without create_graph requires grad", False),
    ("the gradient with create_graph requires grad", True),
    ("the gradient for a gradient that requires grad, without create_graph, requires grad", False),
    ("grad(a, [a], gradient) without create_graph requires grad", False),
    ("after the calls, a result requires grad", True),
    ("in a no_grad block, after a call, a result requires grad", False),
    ("a.grad is None", True),
    ("gradient.grad is None", True),
)


@check("What requires grad, and what is refused", points=1, hidden=True, fixed="the flags are the same for all numbers")
def requires_grad(student: Student, rng: np.random.Generator) -> None:
    answer = student.run(flags, array(drawn(rng, (3,))), array(drawn(rng, (3,))), returns=list[bool])
    expect(len(answer) == len(FLAGS), "The flags could not be read.")
    for given, (text, truth) in zip(answer, FLAGS, strict=True):
        expect(given is truth, f"It should be {truth} that {text}.", "requires_grad")
    for size in (2, 0):
        x = array(drawn(rng, (size,)))
        expect_error(lambda x=x: student.run(refused, x), ("RuntimeError",), f"grad of an output with {size} entries")  # type: ignore[misc]


def any_program(rng: np.random.Generator, steps: int = 5) -> TensorProgram:
    """Random steps on square matrices, a weighted sum, and two or three levels of gradients."""
    program = TensorProgram()
    inputs = [program.input(drawn(rng, (2, 2)), name) for name in "ab"]
    slots = list(inputs)
    for _ in range(steps):
        left, right = slots[-1], slots[int(rng.integers(len(slots)))]
        choices: list[Callable[[Slot, Slot], Slot]] = [
            lambda a, b: a + b,
            lambda a, b: a - b,
            lambda a, b: a * b * 0.5,
            lambda a, b: a / (b.call("tanh") + 2.0),
            lambda a, b: a @ b * 0.5,
            lambda a, b: a.call("permute", axes=(1, 0)),
            lambda a, b: a.call("tanh").call("exp"),
            lambda a, b: b * a.call("tanh").call("sum").call("expand", shape=(2, 2)) * 0.5,
        ]
        slots.append(choices[int(rng.integers(len(choices)))](left, right).call("tanh"))
    return derivatives(rng, slots[-1], inputs, 2)


@check("Larger programs", points=1, hidden=True)
def larger(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, [any_program(rng) for _ in range(10)])


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    programs = [*one_operation(rng, int(rng.integers(1, 4)))[::3], any_program(rng), penalty(rng, int(rng.integers(3)))]
    for write in (unreached, intermediate, again, equal_leaves, empty, blocked, ordinary):
        programs.append(write(rng))
    programs.append(one_entry(rng, (1, 1)))
    ask_programs(student, [ComparedTensors(program) for program in programs])
    student.run(flags, array(drawn(rng, (3,))), array(drawn(rng, (3,))))
