"""The truth is computed by scattering: number the entries of the small array, broadcast the numbers, add g up under them."""

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import VJP, Student, array, check, expect_close, to_numpy, variety
from autograder.judge.checks.backward_cost import MANY, SECONDS, Inputs, expect_cheap_vjp
from autograder.judge.checks.vjp import LAYOUTS, Case, ask_unchanged, expect_vjp
from autograder.judge.diagnosis import forward_of

Shape = tuple[int, ...]

PAIRS: list[tuple[Shape, Shape]] = [
    ((3, 4), (4,)),
    ((3, 4), (3, 1)),
    ((3, 4), (1,)),
    ((3, 4), ()),
    ((2, 1, 4), (3, 1)),
    ((2, 3, 4), (3, 1)),
    ((2, 3, 4), (2, 1, 1)),
    ((4, 4), (4, 1)),
    ((4, 4), (1, 4)),
    ((2, 3, 4), (2, 1, 4)),
]


def scattered(g: Numbers, shape: Shape) -> Numbers:
    numbers = np.broadcast_to(np.arange(int(np.prod(shape))).reshape(shape), g.shape)
    result = np.zeros(int(np.prod(shape)))
    np.add.at(result, numbers.reshape(-1), g.reshape(-1))
    return result.reshape(shape)


def add_truth(g: Numbers, x: Numbers, y: Numbers) -> tuple[Numbers, ...]:
    return scattered(g, x.shape), scattered(g, y.shape)


def mul_truth(g: Numbers, x: Numbers, y: Numbers) -> tuple[Numbers, ...]:
    return scattered(g * y, x.shape), scattered(g * x, y.shape)


def numbers(rng: np.random.Generator, shape: Shape) -> Numbers:
    """Where there is room for more, one of them is 0."""
    values = np.asarray(rng.normal(size=shape))
    if values.size > 2:
        values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])
    return values


def cases(rng: np.random.Generator, pairs: list[tuple[Shape, Shape]]) -> list[Case]:
    return [Case({"x": numbers(rng, one), "y": numbers(rng, two)}, np.broadcast_shapes(one, two)) for one, two in pairs]


def swapped(pairs: list[tuple[Shape, Shape]]) -> list[tuple[Shape, Shape]]:
    return [(two, one) for one, two in pairs]


def expect_unbroadcast(student: Student, rng: np.random.Generator, pairs: list[tuple[Shape, Shape]]) -> None:
    """`pairs` holds the shape of g and the shape to go back to."""
    for number, (big, small) in enumerate(pairs):
        for trial in range(3):
            g = numbers(rng, big)
            layout = LAYOUTS[(number + trial) % len(LAYOUTS)]
            given = student.call("unbroadcast", array(g, layout=layout), small)
            expect_close(given, scattered(g, small), f"unbroadcast of {big} to {small}", {"g": g, "shape": small}, VJP)
            again = student.call("unbroadcast", array(g, layout=layout), small)
            expect_close(again, to_numpy(given), "unbroadcast, called again", {"g": g, "shape": small}, VJP)


@check("unbroadcast: a repeated row or column", points=1)
def a_row_or_column(student: Student, rng: np.random.Generator) -> None:
    expect_unbroadcast(student, rng, [((3, 4), (4,)), ((3, 4), (3, 1)), ((3, 4), (3, 4))])


@check("add_vjp on a matrix and a row", points=1)
def add_a_row(student: Student, rng: np.random.Generator) -> None:
    expect_vjp(student, "add_vjp", add_truth, cases(rng, [((3, 4), (4,)), ((2, 3), (2, 3))]), rng)


@check("mul_vjp on a matrix and a row", points=1)
def mul_a_row(student: Student, rng: np.random.Generator) -> None:
    expect_vjp(student, "mul_vjp", mul_truth, cases(rng, [((3, 4), (4,)), ((2, 3), (2, 3))]), rng)


@check("unbroadcast: every kind of broadcast", points=1.5, hidden=True)
def every_shape(student: Student, rng: np.random.Generator) -> None:
    pairs = [(np.broadcast_shapes(one, two), shape) for one, two in PAIRS for shape in (one, two)]
    expect_unbroadcast(student, rng, [*pairs, ((3, 5, 2), (5, 1)), ((2, 3, 1), (1, 1)), ((1, 1), (1, 1)), ((), ())])


@check("add_vjp: either operand may be the smaller one", points=1, hidden=True)
def add_every_shape(student: Student, rng: np.random.Generator) -> None:
    expect_vjp(student, "add_vjp", add_truth, cases(rng, PAIRS + swapped(PAIRS)), rng, trials=3)


@check("mul_vjp: either operand may be the smaller one", points=1, hidden=True)
def mul_every_shape(student: Student, rng: np.random.Generator) -> None:
    expect_vjp(student, "mul_vjp", mul_truth, cases(rng, PAIRS + swapped(PAIRS)), rng, trials=3)


@check("Axes of size 1 in both operands, and arrays with one entry", points=0.5, hidden=True)
def size_one(student: Student, rng: np.random.Generator) -> None:
    pairs: list[tuple[Shape, Shape]] = [((1, 3), (1, 1)), ((1, 1), (1,)), ((2, 1), (1, 1)), ((1,), ()), ((), ())]
    for name, truth in (("add_vjp", add_truth), ("mul_vjp", mul_truth)):
        expect_vjp(student, name, truth, cases(rng, pairs + swapped(pairs)), rng)


@check("Empty arrays give zeros of the correct shape", points=1, hidden=True, fixed="a sum over nothing is 0")
def empty(student: Student, rng: np.random.Generator) -> None:
    expect_unbroadcast(student, rng, [((0, 4), (1, 4)), ((0, 4), (4,)), ((0, 4), (0, 4))])
    for name, truth in (("add_vjp", add_truth), ("mul_vjp", mul_truth)):
        expect_vjp(student, name, truth, cases(rng, [((0, 4), (1, 4)), ((1, 4), (0, 4))]), rng)
    g, x, y = (np.asarray(rng.normal(size=shape)) for shape in ((3, 4), (3, 1), (4,)))
    ask_unchanged(student, "mul_vjp", {"g": g, "x": x, "y": y}, "strided")


@check("The gradients of large operands, at the cost of a few forward passes", points=2, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    many = {"x": numbers(rng, (2 * MANY // 50, 50)), "y": numbers(rng, (50,))}
    expect_cheap_vjp(student, "mul_vjp", np.multiply, many, rng)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    def smaller(shape: Shape) -> Shape:
        """A shape that broadcasts to this one."""
        kept = shape[int(rng.integers(len(shape) + 1)) if rng.random() < 0.5 else 0 :]
        return tuple(1 if rng.random() < 0.4 else size for size in kept)

    for _ in range(2):
        big = tuple(
            int(size) for size in rng.choice([0, 1, 2, 3, 4], size=int(rng.integers(5)), p=[0.1, 0.2, 0.3, 0.2, 0.2])
        )
        layout = str(rng.choice(LAYOUTS))
        student.call_and_see("unbroadcast", array(numbers(rng, big), layout=layout), smaller(big))
        student.call("unbroadcast", array(rng.normal(size=big), layout=layout), big)
        for case in cases(rng, [(smaller(big), smaller(big)), (big, smaller(big)), (smaller(big), big)]):
            g = np.asarray(rng.choice([0.0, 1.0, 1e3]) * numbers(rng, case.output_shape))
            sent = [array(values, layout=layout) for values in (g, *case.inputs.values())]
            for name in ("add_vjp", "mul_vjp"):
                student.call_and_see(name, *sent)


forward_of("add_vjp", lambda x, y: x + y)
forward_of("mul_vjp", lambda x, y: x * y)
forward_of("unbroadcast", lambda x, g: x.expand(g.shape), split=lambda g, shape: (g, (g.new_zeros(shape), g)))
