"""The truth is a complex step, Im f(x + ih) / h: exact to the last digits, and no derivative is written down here."""

from collections.abc import Callable

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, Tolerance, array, check, expect_close, variety
from autograder.judge.checks.vjp import LAYOUTS, Case, ask_unchanged, expect_tuple, expect_vjp
from autograder.judge.diagnosis import forward_of

Shape = tuple[int, ...]

STEP = 1e-30
EXACT = Tolerance(0.0, 0.0)
SHAPES: list[Shape] = [(), (1,), (2, 1, 5), (0, 3), (3, 4)]


def slope(f: Callable[[Numbers], Numbers], at: Numbers) -> Numbers:
    """The derivative of an elementwise function of real numbers."""
    return np.asarray(np.imag(f(at + STEP * 1j)) / STEP)


def mul_truth(g: Numbers, x: Numbers, y: Numbers) -> tuple[Numbers, ...]:
    return g * slope(lambda t: t * y, x), g * slope(lambda t: x * t, y)


def div_truth(g: Numbers, x: Numbers, y: Numbers) -> tuple[Numbers, ...]:
    return g * slope(lambda t: t / y, x), g * slope(lambda t: x / t, y)


def pow_truth(g: Numbers, x: Numbers, *, n: float) -> tuple[Numbers, ...]:
    return (g * slope(lambda t: t**n, x),)


def sigmoid_truth(g: Numbers, x: Numbers) -> tuple[Numbers, ...]:
    return (g * slope(lambda t: (1 + np.tanh(t / 2)) / 2, x),)


def tanh_truth(g: Numbers, x: Numbers) -> tuple[Numbers, ...]:
    return (g * slope(np.tanh, x),)


def sindot_truth(g: Numbers, x: Numbers, y: Numbers) -> tuple[Numbers, ...]:
    steps = STEP * 1j * np.eye(x.size)
    by_x, by_y = np.sin((x + steps) @ y), np.sin((y + steps) @ x)
    return g * np.imag(by_x) / STEP, g * np.imag(by_y) / STEP


def either_sign(rng: np.random.Generator, shape: Shape) -> Numbers:
    """Away from 0, and 1 is as good as never hit: no power of these numbers equals another one."""
    return np.asarray(rng.choice([-1.0, 1.0], shape) * rng.uniform(0.4, 1.9, shape))


def with_zeros(rng: np.random.Generator, shape: Shape) -> Numbers:
    """Zeros of either sign among ordinary numbers, wherever there is room for both."""
    values = either_sign(rng, shape)
    places = rng.permutation(values.size)[: values.size // 2]
    values.flat[places] = rng.choice([0.0, -0.0], places.size)
    return values


def pairs(rng: np.random.Generator, shapes: list[Shape]) -> list[Case]:
    return [Case({"x": either_sign(rng, shape), "y": either_sign(rng, shape)}, shape) for shape in shapes]


def singles(rng: np.random.Generator, shapes: list[Shape]) -> list[Case]:
    return [Case({"x": either_sign(rng, shape)}, shape) for shape in shapes]


def powers(points: list[Numbers], exponents: list[float]) -> list[Case]:
    return [Case({"x": x}, x.shape, {"n": n}) for n in exponents for x in points]


@check("A product and a quotient", points=1)
def product_and_quotient(student: Student, rng: np.random.Generator) -> None:
    expect_vjp(student, "mul_vjp", mul_truth, pairs(rng, [(3,)]), rng)
    expect_vjp(student, "div_vjp", div_truth, pairs(rng, [(3,)]), rng)


@check("The square and the cube", points=1)
def square_and_cube(student: Student, rng: np.random.Generator) -> None:
    expect_vjp(student, "pow_vjp", pow_truth, powers([rng.uniform(0.4, 1.9, 4)], [2, 3]), rng, trials=2)


@check("sigmoid and tanh at moderate inputs", points=1)
def squashing(student: Student, rng: np.random.Generator) -> None:
    expect_vjp(student, "sigmoid_vjp", sigmoid_truth, singles(rng, [(4,)]), rng)
    expect_vjp(student, "tanh_vjp", tanh_truth, singles(rng, [(4,)]), rng)


@check("Product and quotient for every shape", points=0.5, hidden=True)
def product_and_quotient_shapes(student: Student, rng: np.random.Generator) -> None:
    *shapes, last = SHAPES
    zeros = {"x": with_zeros(rng, last), "y": with_zeros(rng, last)}
    expect_vjp(student, "mul_vjp", mul_truth, [*pairs(rng, shapes), Case(zeros, last)], rng)
    expect_vjp(student, "div_vjp", div_truth, [*pairs(rng, shapes), Case(zeros | {"y": either_sign(rng, last)}, last)], rng)
    for size in (1e-100, 1e100):  # one size at a time: beside a huge number no other would count
        case = Case({"x": size * either_sign(rng, (2,)), "y": 1e100 * either_sign(rng, (2,))}, (2,))
        expect_vjp(student, "mul_vjp", mul_truth, [case], rng, trials=1)
        expect_vjp(student, "div_vjp", div_truth, [case], rng, trials=1)


@check("Powers of positive numbers with any exponent", points=1, hidden=True)
def powers_of_positive(student: Student, rng: np.random.Generator) -> None:
    points = [np.asarray(rng.uniform(0.4, 1.9, shape)) for shape in ((), (2, 1, 5), (3, 4))]
    expect_vjp(student, "pow_vjp", pow_truth, powers(points, [-2.5, -1, 0.5]), rng, trials=1)
    expect_vjp(student, "pow_vjp", pow_truth, powers([np.zeros((0, 3))], [-2.5, 3]), rng, trials=1)


@check("Integer exponents of 2 or more: x of any sign, and 0", points=1, hidden=True)
def whole_powers(student: Student, rng: np.random.Generator) -> None:
    points = [either_sign(rng, shape) for shape in ((), (3, 4), (2, 1, 5))]
    zeros = rng.permutation(np.append(either_sign(rng, (5,)), [0.0, -0.0]))
    expect_vjp(student, "pow_vjp", pow_truth, powers([*points, zeros], [3, 5]), rng, trials=1)
    expect_vjp(student, "pow_vjp", pow_truth, powers(points, [2]), rng, trials=1)
    expect_vjp(student, "pow_vjp", pow_truth, powers([zeros], [2]), rng, trials=2)


@check("The exponents 0 and 1: exactly 0 and exactly g, for every x", points=1, hidden=True)
def exponents_0_and_1(student: Student, rng: np.random.Generator) -> None:
    matrices = [with_zeros(rng, shape) for shape in ((3, 4), (2, 1, 6))]
    points = [either_sign(rng, ()), np.zeros(()), np.zeros((1,)), *matrices, np.zeros((0, 3))]
    for x, layout in zip(points, LAYOUTS * 2, strict=True):
        g = np.asarray(rng.normal(size=x.shape))
        for n, truth in ((0, np.zeros(x.shape)), (1, g)):
            shown = {"g": g, "x": x}
            answer = ask_unchanged(student, "pow_vjp", shown, layout, {"n": n})
            expect_tuple(answer, 1, "pow_vjp", shown)
            expect_close(answer[0], truth, f"pow_vjp: the gradient of x for n = {n}", shown, EXACT)


@check("sigmoid and tanh for every shape", points=0.5, hidden=True)
def squashing_shapes(student: Student, rng: np.random.Generator) -> None:
    expect_vjp(student, "sigmoid_vjp", sigmoid_truth, singles(rng, SHAPES), rng)
    expect_vjp(student, "tanh_vjp", tanh_truth, singles(rng, SHAPES), rng)


@check("sigmoid and tanh for large |x|", points=2, hidden=True)
def saturated(student: Student, rng: np.random.Generator) -> None:
    """Ordinary points beside saturated ones: the right gradients are not all 0."""
    far = np.concatenate([rng.uniform(5, 25, 2), rng.uniform(300, 990, 2), [1e3]])
    cases = []
    for sign in (-1.0, 1.0):
        x = np.concatenate([sign * far, either_sign(rng, (2,)), [0.0, -0.0, 1e-300]])
        cases += [Case({"x": rng.permutation(x).reshape(2, 5)}, (2, 5)), Case({"x": sign * far[-2:]}, (2,))]
    expect_vjp(student, "sigmoid_vjp", sigmoid_truth, cases, rng, trials=1)
    expect_vjp(student, "tanh_vjp", tanh_truth, cases, rng, trials=1)


@check("The sine of a dot product", points=1, hidden=True)
def sine_of_a_dot_product(student: Student, rng: np.random.Generator) -> None:
    cases = [Case({"x": either_sign(rng, (size,)), "y": either_sign(rng, (size,))}, ()) for size in (1, 2, 3, 6)]
    some, none = with_zeros(rng, (6,)), np.zeros(3)
    expect_vjp(student, "sindot_vjp", sindot_truth, cases, rng)
    cases = [Case({"x": x, "y": y}, ()) for x, y in ((some, with_zeros(rng, (6,))), (none, none + 1.3), (none + 1.3, none))]
    expect_vjp(student, "sindot_vjp", sindot_truth, cases, rng, trials=1)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    def ask(name: str, *values: Numbers, **options: float) -> None:
        layout = str(rng.choice(LAYOUTS))
        student.call_and_see(name, *(array(value, layout=layout) for value in values), **options)

    for _ in range(2):
        shape = tuple(int(size) for size in rng.integers(0, 4, size=int(rng.integers(0, 4))))
        x, y = either_sign(rng, shape), either_sign(rng, shape)
        g = np.asarray(rng.normal(size=shape) * (rng.random(shape) < 0.8))
        holed = np.where(rng.random(shape) < 0.4, 0.0, x)  # where 0 is allowed
        ask("mul_vjp", g, holed, y)
        ask("mul_vjp", g, y, holed)
        ask("div_vjp", g, holed, 10.0 ** float(rng.integers(-3, 4)) * y)
        ask("pow_vjp", g, np.abs(x), n=float(rng.uniform(-3, 3)))
        ask("pow_vjp", g, np.abs(x), n=-int(rng.integers(1, 4)))
        ask("pow_vjp", g, holed, n=int(rng.integers(5)))
        for name in ("sigmoid_vjp", "tanh_vjp"):
            ask(name, g, np.asarray(rng.choice([1.0, 20.0, 500.0]) * holed))
        size = int(rng.integers(1, 9))
        ask("sindot_vjp", np.asarray(rng.choice([0.0, 1.3])), either_sign(rng, (size,)), with_zeros(rng, (size,)))
        ask("sindot_vjp", np.asarray(rng.normal()), np.zeros(size), either_sign(rng, (size,)))


forward_of("mul_vjp", lambda x, y: x * y)
forward_of("div_vjp", lambda x, y: x / y)
forward_of("pow_vjp", lambda x, n: x**n)
forward_of("sigmoid_vjp", lambda x: x.sigmoid())
forward_of("tanh_vjp", lambda x: x.tanh())
forward_of("sindot_vjp", lambda x, y: (x * y).sum().sin())
