"""The truth of every backward function is the derivative of its forward function, by the complex step, entry by entry. For the
maximum, which is not analytic, it is the definition, in loops."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import VJP, Student, array, check, expect_close, variety
from autograder.judge.checks.backward_cost import MANY, SECONDS, Inputs, expect_slopes
from autograder.judge.checks.vjp import LAYOUTS, Case, Reference, ask_unchanged, expect_tuple, expect_vjp
from autograder.judge.diagnosis import forward_of

Shape = tuple[int, ...]
STEP = 1e-30


def by_complex_step(forward: Callable[..., Any]) -> Reference:
    def truth(g: Numbers, *inputs: Numbers, **options: Any) -> tuple[Numbers, ...]:
        gradients = []
        for place, value in enumerate(inputs):
            gradient = np.zeros(value.shape)
            for entry in np.ndindex(*value.shape):
                moved = np.array(value, dtype=np.complex128)
                moved[entry] += 1j * STEP
                out = forward(*inputs[:place], moved, *inputs[place + 1 :], **options)
                gradient[entry] = np.sum(g * (np.imag(out) / STEP))
            gradients.append(gradient)
        return tuple(gradients)

    return truth


def maximum_truth(g: Numbers, x: Numbers, y: Numbers) -> tuple[Numbers, ...]:
    places = [np.broadcast_to(np.arange(value.size).reshape(value.shape), g.shape) for value in (x, y)]
    gradients = [np.zeros(x.size), np.zeros(y.size)]
    for entry in np.ndindex(*g.shape):
        left, right = int(places[0][entry]), int(places[1][entry])
        a, b = x.flat[left], y.flat[right]
        gradients[0][left] += g[entry] * (1.0 if a > b else 0.5 if a == b else 0.0)
        gradients[1][right] += g[entry] * (1.0 if b > a else 0.5 if a == b else 0.0)
    return gradients[0].reshape(x.shape), gradients[1].reshape(y.shape)


def summed(x: Numbers, dim: Any = None, keepdim: bool = False) -> Numbers:
    return np.asarray(np.sum(x, axis=tuple(dim) if isinstance(dim, list) else dim, keepdims=keepdim))


TRUTHS: dict[str, Reference] = {
    "log_vjp": by_complex_step(np.log),
    "negative_vjp": by_complex_step(np.negative),
    "exp_vjp": by_complex_step(np.exp),
    "multiply_vjp": by_complex_step(np.multiply),
    "maximum_vjp": maximum_truth,
    "matmul2d_vjp": by_complex_step(np.matmul),
    "reshape_vjp": by_complex_step(lambda x, new_shape: x.reshape(new_shape)),
    "permute_vjp": by_complex_step(lambda x, axes: x.transpose(axes)),
    "sum_vjp": by_complex_step(summed),
    "getitem_vjp": by_complex_step(lambda x, index: x[index]),
}
PAIRS: list[tuple[Shape, Shape]] = [
    ((3, 4), (4,)),
    ((3, 1), (3, 4)),
    ((3, 4), ()),
    ((1,), (2, 3)),
    ((2, 1, 4), (3, 1)),
    ((2, 3, 4), (2, 1, 1)),
    ((4, 4), (1, 4)),
    ((4, 1), (4, 4)),
    ((1, 3), (1, 1)),
    ((1, 1), (1,)),
    ((2, 3), (2, 3)),
    ((), ()),
    ((), (2,)),
]
SHAPES: list[Shape] = [(), (1,), (4,), (2, 3), (2, 1, 3)]


def numbers(rng: np.random.Generator, shape: Shape) -> Numbers:
    """Numbers of magnitude one and of both signs. Where there is room for more, one of them is 0."""
    values = np.asarray(rng.uniform(0.4, 1.8, size=shape) * rng.choice([-1.0, 1.0], size=shape))
    if values.size > 2:
        values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])
    return values


def positive(rng: np.random.Generator, shape: Shape) -> Numbers:
    return np.asarray(rng.uniform(0.4, 2.5, size=shape))


def tied(rng: np.random.Generator, shape: Shape) -> Numbers:
    """Numbers of which many are equal."""
    return np.asarray(rng.choice([-1.5, 0.0, 0.5], size=shape))


def expect_back(student: Student, rng: np.random.Generator, name: str, cases: list[Case]) -> None:
    expect_vjp(student, name, TRUTHS[name], cases, rng)


def unary(rng: np.random.Generator, name: str, shapes: list[Shape]) -> list[Case]:
    draw = positive if name == "log_vjp" else numbers
    return [Case({"x": draw(rng, shape)}, shape) for shape in shapes]


def binary(rng: np.random.Generator, pairs: list[tuple[Shape, Shape]], draw: Any = numbers) -> list[Case]:
    return [Case({"x": draw(rng, one), "y": draw(rng, two)}, np.broadcast_shapes(one, two)) for one, two in pairs]


def matrices(rng: np.random.Generator, sizes: list[tuple[int, int, int]]) -> list[Case]:
    return [Case({"x": numbers(rng, (n, k)), "y": numbers(rng, (k, m))}, (n, m)) for n, k, m in sizes]


def reshaped(rng: np.random.Generator, pairs: list[tuple[Shape, Shape]]) -> list[Case]:
    return [Case({"x": numbers(rng, shape)}, new, {"new_shape": new}) for shape, new in pairs]


def permuted(rng: np.random.Generator, asked: list[tuple[Shape, Shape]]) -> list[Case]:
    return [Case({"x": numbers(rng, shape)}, tuple(shape[axis] for axis in axes), {"axes": axes}) for shape, axes in asked]


def reduced(rng: np.random.Generator, asked: list[tuple[Shape, Any, bool]]) -> list[Case]:
    cases = []
    for shape, dim, keepdim in asked:
        out = np.sum(np.zeros(shape), axis=dim, keepdims=keepdim).shape
        options = {**({} if dim is None else {"dim": dim}), **({"keepdim": True} if keepdim else {})}
        cases.append(Case({"x": numbers(rng, shape)}, out, options))
    return cases


def indexed(rng: np.random.Generator, asked: list[tuple[Shape, Any]]) -> list[Case]:
    return [Case({"x": numbers(rng, shape)}, np.zeros(shape)[index].shape, {"index": index}) for shape, index in asked]


def rows(rng: np.random.Generator, size: int, *shape: int) -> Any:
    """Indices of both signs. The first one occurs again, once in its other form."""
    index = np.asarray(rng.integers(-size, size, size=shape), dtype=np.int64)
    flat = index.reshape(-1)
    if flat.size > 2:
        flat[1], flat[-1] = flat[0], flat[0] % size - (size if flat[0] >= 0 else 0)
    return index


def expect_unbroadcast(
    student: Student, rng: np.random.Generator, asked: list[tuple[Shape, Shape]], trials: int = 1
) -> None:
    for number, (big, small) in enumerate(asked):
        for trial in range(trials):
            arguments = {"broadcasted": numbers(rng, big), "original": numbers(rng, small)}
            answer = ask_unchanged(student, "unbroadcast", arguments, LAYOUTS[(number + trial) % len(LAYOUTS)])
            (truth,) = by_complex_step(lambda x, big=big: np.broadcast_to(x, big))(*arguments.values())
            expect_close(answer, truth, f"unbroadcast of {big} to {small}", arguments, VJP)


def expect_chain(student: Student, rng: np.random.Generator, asked: list[tuple[Shape, Shape, Shape]]) -> None:
    """Positive numbers, then c < 1 and so log(c) < 0 together with a negative product."""
    for number, shapes in enumerate(asked):
        for sign in (1.0, -1.0):
            a, b, c = (positive(rng, shape) for shape in shapes)
            arguments = {"a": sign * a, "b": b, "c": c + 1.2 if sign > 0 else 0.3 * c}
            ones = np.ones(np.broadcast_shapes(*shapes))
            found = ask_unchanged(student, "forward_and_back", arguments, LAYOUTS[number % len(LAYOUTS)])
            expect_tuple(found, 3, "forward_and_back", arguments)
            truths = chain_truth(ones, *arguments.values())
            for label, given, truth in zip(arguments, found, truths, strict=True):
                expect_close(given, truth, f"forward_and_back: the gradient with respect to {label}", arguments, VJP)


def chain_truth(g: Numbers, a: Numbers, b: Numbers, c: Numbers) -> tuple[Numbers, ...]:
    """log(a b log c) is a sum of logarithms of absolute values, which differ by constants only."""
    signs = [np.sign(a), np.sign(b), np.sign(np.log(c))]
    return by_complex_step(lambda a, b, c: np.log(a * signs[0]) + np.log(b * signs[1]) + np.log(np.log(c) * signs[2]))(
        g, a, b, c
    )


def expect_number_operands(student: Student, rng: np.random.Generator) -> None:
    for kind, forward in (("multiply", np.multiply), ("maximum", np.maximum)):
        for shape in ((), (4,), (2, 3)):
            number, x, g = float(rng.uniform(0.3, 0.7)), numbers(rng, shape), numbers(rng, shape)
            out = np.asarray(forward(x, number))
            truth = g * number if kind == "multiply" else g * (x > number)
            for place, arguments in enumerate(((x, number), (number, x))):
                sent = [value if isinstance(value, float) else array(value) for value in arguments]
                name = f"{kind}_back{place}"
                given = student.call(name, array(g), array(out), *sent)
                shown = {"grad_out": g, "x": arguments[0], "y": arguments[1]}
                expect_close(given, truth, f"{name} with a plain number", shown, VJP)


@check("log, negative and exp", points=1)
def elementwise(student: Student, rng: np.random.Generator) -> None:
    for name in ("log_vjp", "negative_vjp", "exp_vjp"):
        expect_back(student, rng, name, unary(rng, name, [(4,), (2, 3)]))


@check("unbroadcast: a repeated row, a repeated column", points=0.5)
def a_row_or_column(student: Student, rng: np.random.Generator) -> None:
    expect_unbroadcast(student, rng, [((3, 4), (4,)), ((3, 4), (3, 1))], trials=3)


@check("multiply: equal shapes, and a matrix with a row", points=0.5)
def multiply_a_row(student: Student, rng: np.random.Generator) -> None:
    expect_back(student, rng, "multiply_vjp", binary(rng, [((2, 3), (2, 3)), ((3, 4), (4,))]))


@check("forward_and_back on vectors", points=0.5)
def chain(student: Student, rng: np.random.Generator) -> None:
    expect_chain(student, rng, [((3,), (3,), (3,))])


@check("sum, reshape and permute of a matrix", points=1)
def views_of_a_matrix(student: Student, rng: np.random.Generator) -> None:
    expect_back(student, rng, "sum_vjp", reduced(rng, [((2, 3), 0, False), ((2, 3), None, False)]))
    expect_back(student, rng, "reshape_vjp", reshaped(rng, [((2, 3), (6,))]))
    expect_back(student, rng, "permute_vjp", permuted(rng, [((2, 3, 4), (1, 2, 0))]))


@check("matmul2d, maximum and getitem", points=1)
def first_cases(student: Student, rng: np.random.Generator) -> None:
    expect_back(student, rng, "matmul2d_vjp", matrices(rng, [(2, 3, 4)]))
    expect_back(student, rng, "maximum_vjp", binary(rng, [((2, 3), (3,))]))
    expect_back(student, rng, "getitem_vjp", indexed(rng, [((4,), (rows(rng, 4, 6),)), ((3, 4), 1)]))


@check("Functions of one argument in every shape", points=0.5, hidden=True)
def unary_shapes(student: Student, rng: np.random.Generator) -> None:
    for name in ("log_vjp", "negative_vjp", "exp_vjp"):
        expect_back(student, rng, name, unary(rng, name, SHAPES))


@check("unbroadcast: every kind of broadcast", points=0.75, hidden=True)
def every_broadcast(student: Student, rng: np.random.Generator) -> None:
    asked = [(np.broadcast_shapes(one, two), shape) for one, two in PAIRS for shape in (one, two)]
    expect_unbroadcast(student, rng, [*asked, ((3, 5, 2), (5, 1)), ((2, 3, 1), (1, 1)), ((2, 2), (2,))])


@check("multiply: every pair of shapes, and plain numbers", points=0.75, hidden=True)
def multiply_shapes(student: Student, rng: np.random.Generator) -> None:
    expect_back(student, rng, "multiply_vjp", binary(rng, PAIRS))
    expect_number_operands(student, rng)


@check("maximum: ties and every pair of shapes", points=0.75, hidden=True, seconds=1)
def maximum_shapes(student: Student, rng: np.random.Generator) -> None:
    expect_back(student, rng, "maximum_vjp", binary(rng, PAIRS[::2]))
    expect_back(student, rng, "maximum_vjp", binary(rng, PAIRS[:9], tied))


@check("forward_and_back with broadcasting", points=1, hidden=True)
def chain_shapes(student: Student, rng: np.random.Generator) -> None:
    expect_chain(student, rng, [((2, 3), (3,), (2, 1)), ((1,), (2,), (2,)), ((), (), ()), ((2,), (), (3, 1))])


@check("sum: every axis, several axes, keepdim", points=0.75, hidden=True)
def sums(student: Student, rng: np.random.Generator) -> None:
    asked: list[tuple[Shape, Any, bool]] = [
        ((3, 3), 0, False),
        ((3, 3), 1, False),
        ((3, 3), -2, False),
        ((3, 3), 0, True),
        ((3, 3), -1, True),
        ((2, 3, 4), (0, 2), False),
        ((2, 3, 4), (-1, 0), True),
        ((2, 2, 2), (-1, -2), False),
        ((2, 3), None, True),
        ((2, 3), (0, 1), False),
        ((), None, False),
        ((1, 3), 0, False),
        ((2, 1), 1, True),
    ]
    expect_back(student, rng, "sum_vjp", reduced(rng, asked))


@check("reshape and permute in every shape", points=0.5, hidden=True)
def views(student: Student, rng: np.random.Generator) -> None:
    pairs: list[tuple[Shape, Shape]] = [((2, 3), (3, 2)), ((4,), (2, 1, 2)), ((1,), ()), ((), (1, 1)), ((2, 3), (2, 3))]
    expect_back(student, rng, "reshape_vjp", reshaped(rng, pairs))
    asked: list[tuple[Shape, Shape]] = [
        ((2, 3), (1, 0)),
        ((3, 3), (1, 0)),
        ((2, 2, 2), (2, 0, 1)),
        ((2, 3, 4), (1, 2, 0)),
        ((2, 1, 3, 2), (3, 0, 1, 2)),
        ((3,), (0,)),
        ((), ()),
    ]
    expect_back(student, rng, "permute_vjp", permuted(rng, asked))


@check("matmul2d in every size", points=0.5, hidden=True, seconds=1)
def products(student: Student, rng: np.random.Generator) -> None:
    expect_back(student, rng, "matmul2d_vjp", matrices(rng, [(3, 3, 3), (1, 4, 2), (3, 1, 2), (2, 3, 1), (1, 1, 1)]))


@check("getitem: numbers, and arrays with repeated indices", points=1, hidden=True)
def selections(student: Student, rng: np.random.Generator) -> None:
    asked: list[tuple[Shape, Any]] = [
        ((4,), int(rng.integers(4))),
        ((3, 4), -1),
        ((3, 4), (2, -3)),
        ((2, 3, 4), (1, 0)),
        ((3, 2), (rows(rng, 3, 5),)),
        ((3, 4), (rows(rng, 3, 5), rows(rng, 4, 5))),
        ((3, 3), (np.array([0, -3, 0]), np.array([2, -1, -1]))),
        ((3, 4), (rows(rng, 3, 3, 1), rows(rng, 4, 4))),
        ((4,), (rows(rng, 4, 2, 3),)),
        ((1,), (np.zeros(4, dtype=np.int64),)),
    ]
    expect_back(student, rng, "getitem_vjp", indexed(rng, asked))


def any_shape(rng: np.random.Generator) -> Shape:
    return tuple(int(size) for size in rng.integers(1, 4, size=int(rng.integers(0, 4))))


def smaller(rng: np.random.Generator, shape: Shape) -> Shape:
    """A shape that broadcasts to this one."""
    kept = shape[int(rng.integers(len(shape) + 1)) if rng.random() < 0.5 else 0 :]
    return tuple(1 if rng.random() < 0.4 else size for size in kept)


@check("Gradients of large arrays, at the cost of one backward pass", points=1, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    rows = MANY // 4
    table, square, other = (numbers(rng, shape) for shape in ((rows, 2), (50, 50), (50, 50)))
    questions: list[tuple[str, Callable[..., Numbers], Inputs, dict[str, Any]]] = [
        *(("sum_vjp", summed, {"x": table}, {"dim": dim}) for dim in (0, 1, -1, -2, None)),
        ("matmul2d_vjp", np.matmul, {"x": square, "y": other}, {}),
    ]
    for name, function, inputs, options in questions:

        def forward(
            *arrays: Numbers, function: Callable[..., Numbers] = function, options: dict[str, Any] = options
        ) -> Numbers:
            return function(*arrays, *options.values())

        def ask(g: Numbers, inputs: Inputs, name: str = name, options: dict[str, Any] = options) -> Any:
            return student.call(name, array(g), *map(array, inputs.values()), **options)

        expect_slopes(name, forward, inputs, rng, ask)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    big = any_shape(rng)
    one, two = (big, smaller(rng, big)) if rng.random() < 0.5 else (smaller(rng, big), big)
    student.call_and_see("unbroadcast", array(numbers(rng, big)), array(numbers(rng, smaller(rng, big))))
    dims = [None, *range(-len(big), len(big)), tuple(range(len(big)))]
    asked = {
        "multiply_vjp": binary(rng, [(one, two)]),
        "maximum_vjp": binary(rng, [(one, two)], tied if rng.random() < 0.5 else numbers),
        "matmul2d_vjp": matrices(rng, [tuple(int(n) for n in rng.integers(1, 4, size=3))]),  # type: ignore[list-item]
        "sum_vjp": reduced(rng, [(big, dims[int(rng.integers(len(dims)))], bool(rng.random() < 0.5))]),
        "permute_vjp": permuted(rng, [(big, tuple(int(axis) for axis in rng.permutation(len(big))))]),
        "reshape_vjp": reshaped(rng, [(big, (*big, 1))]),
        "getitem_vjp": indexed(rng, [((3, 2), -1), ((3, 2), (rows(rng, 3, 4), rows(rng, 2, 4)))]),
        **{name: unary(rng, name, [big]) for name in ("log_vjp", "negative_vjp", "exp_vjp")},
    }
    for name, cases in asked.items():
        for case in cases:
            g = np.asarray(rng.choice([0.0, 1.0, 100.0]) * numbers(rng, case.output_shape))
            sent = [array(value, layout=str(rng.choice(LAYOUTS))) for value in (g, *case.inputs.values())]
            student.call_and_see(name, *sent, **case.options)
    student.call_and_see("forward_and_back", *(array(positive(rng, shape) + 1.1) for shape in (one, two, big)))
    x, g = numbers(rng, big), numbers(rng, big)
    student.call("multiply_back0", array(g), array(x * 1.5), array(x), 1.5)
    student.call("multiply_back1", array(g), array(x * 1.5), 1.5, array(x))
    student.call("maximum_back0", array(g), array(np.maximum(x, 0.0)), array(x), 0.0)
    student.call("maximum_back1", array(g), array(np.maximum(x, 0.0)), 0.0, array(x))


forward_of("log_vjp", lambda x: x.log())
forward_of("negative_vjp", lambda x: -x)
forward_of("exp_vjp", lambda x: x.exp())
forward_of("multiply_vjp", lambda x, y: x * y)
forward_of("matmul2d_vjp", lambda x, y: x @ y)
