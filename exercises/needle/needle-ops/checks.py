"""The truth is a complex step of numpy's own function: no derivative is written down here."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import VJP, Student, array, check, expect_close, variety
from autograder.judge.checks.backward_cost import MANY, SECONDS, Inputs, expect_slopes
from autograder.judge.checks.random_programs import drawn, random_program
from autograder.judge.checks.tensors import ComparedTensors, Shape, TensorProgram, ask_programs, expect_tensor_programs
from autograder.judge.checks.vjp import LAYOUTS, Case, ask_unchanged, expect_vjp

STEP = 1e-30

FORWARD: dict[str, Callable[..., Numbers]] = {
    "add": lambda a, b: a + b,
    "add_scalar": lambda a, scalar: a + scalar,
    "multiply": lambda a, b: a * b,
    "mul_scalar": lambda a, scalar: a * scalar,
    "power": lambda a, b: a**b,
    "power_scalar": lambda a, scalar: a**scalar,
    "divide": lambda a, b: a / b,
    "divide_scalar": lambda a, scalar: a / scalar,
    "negate": lambda a: -a,
    "log": np.log,
    "exp": np.exp,
    "relu": lambda a: np.where(a.real > 0, a, 0.0),
    "transpose": lambda a, axes=None: np.swapaxes(a, *((-2, -1) if axes is None else axes)),
    "reshape": lambda a, shape: a.reshape(shape),
    "broadcast_to": np.broadcast_to,
    "summation": lambda a, axes=None: np.sum(a, axis=axes),
    "matmul": np.matmul,
}

Asked = tuple[str, Case]


def truth_of(name: str) -> Callable[..., tuple[Numbers, ...]]:
    forward = FORWARD[name]

    def truth(g: Numbers, *inputs: Numbers, **options: Any) -> tuple[Numbers, ...]:
        gradients = []
        for place, values in enumerate(inputs):
            gradient = np.zeros(values.shape)
            for entry in np.ndindex(values.shape):
                moved = [np.array(value, dtype=complex) for value in inputs]
                moved[place][entry] += STEP * 1j
                gradient[entry] = (g * np.imag(forward(*moved, **options)) / STEP).sum()
            gradients.append(gradient)
        return tuple(gradients)

    return truth


TRUTH = {name: truth_of(name) for name in FORWARD}


def asked(name: str, *inputs: Numbers, **options: Any) -> Asked:
    shape = np.shape(FORWARD[name](*inputs, **options))
    return name, Case(dict(zip("ab", inputs, strict=False)), shape, options)


def expect_values(student: Student, questions: list[Asked]) -> None:
    for number, (name, case) in enumerate(questions):
        answer = ask_unchanged(student, f"{name}_forward", case.inputs, LAYOUTS[number % len(LAYOUTS)], case.options)
        right = np.asarray(FORWARD[name](*case.inputs.values(), **case.options))
        expect_close(answer, right, f"{described(name, case)}: the value", case.inputs, VJP)


def expect_gradients(student: Student, rng: np.random.Generator, questions: list[Asked], trials: int = 2) -> None:
    for name, case in questions:
        expect_vjp(student, f"{name}_vjp", TRUTH[name], [case], rng, trials=trials)


def described(name: str, case: Case) -> str:
    shapes = [f"{label}{value.shape}" for label, value in case.inputs.items()]
    return f"{name}({', '.join([*shapes, *(f'{key}={value}' for key, value in case.options.items())])})"


def positive(rng: np.random.Generator, shape: Shape) -> Numbers:
    return np.asarray(np.abs(drawn(rng, shape)))


def with_zeros(rng: np.random.Generator, shape: Shape) -> Numbers:
    """Zeros of either sign among ordinary numbers, wherever there is room for both."""
    values = drawn(rng, shape)
    places = rng.permutation(values.size)[: values.size // 2]
    values.flat[places] = rng.choice([0.0, -0.0], places.size)
    return values


def elementwise(rng: np.random.Generator, shape: Shape) -> list[Asked]:
    factor = float(drawn(rng, ()))
    return [
        asked("divide_scalar", drawn(rng, shape), scalar=factor),
        asked("negate", drawn(rng, shape)),
        asked("exp", drawn(rng, shape)),
        asked("log", positive(rng, shape)),
        asked("relu", drawn(rng, shape)),
        asked("divide", drawn(rng, shape), drawn(rng, shape)),
    ]


def powers(rng: np.random.Generator, shape: Shape) -> list[Asked]:
    exponents = [3, 2, int(rng.integers(4, 7))]
    return [
        *(asked("power_scalar", drawn(rng, shape), scalar=exponent) for exponent in exponents),
        asked("power", positive(rng, shape), drawn(rng, shape)),
    ]


@check("Values of the elementwise operators", points=0.5)
def elementwise_values(student: Student, rng: np.random.Generator) -> None:
    expect_values(student, [*elementwise(rng, (2, 3)), *powers(rng, (2, 3))])


@check("Gradients of negation, exp, log, ReLU and quotients", points=2)
def elementwise_gradients(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, rng, elementwise(rng, (2, 3)))


@check("Gradients of powers", points=1)
def power_gradients(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, rng, powers(rng, (2, 3)))


def arranged(rng: np.random.Generator, shapes: list[tuple[Shape, tuple[int, int] | None]]) -> list[Asked]:
    return [asked("transpose", with_zeros(rng, shape), axes=axes) for shape, axes in shapes]


def reshaped(rng: np.random.Generator, shapes: list[tuple[Shape, Shape]]) -> list[Asked]:
    return [asked("reshape", with_zeros(rng, before), shape=after) for before, after in shapes]


def broadcast(rng: np.random.Generator, shapes: list[tuple[Shape, Shape]]) -> list[Asked]:
    return [asked("broadcast_to", with_zeros(rng, before), shape=after) for before, after in shapes]


def sums(rng: np.random.Generator, shapes: list[tuple[Shape, Any]]) -> list[Asked]:
    return [asked("summation", with_zeros(rng, shape), axes=axes) for shape, axes in shapes]


def products(rng: np.random.Generator, shapes: list[tuple[Shape, Shape]]) -> list[Asked]:
    return [asked("matmul", with_zeros(rng, left), with_zeros(rng, right)) for left, right in shapes]


def expect_both(student: Student, rng: np.random.Generator, questions: list[Asked]) -> None:
    expect_values(student, questions)
    expect_gradients(student, rng, questions)


@check("transpose and reshape", points=1)
def transpose_and_reshape(student: Student, rng: np.random.Generator) -> None:
    moved = [((2, 3), None), ((2, 3, 4), None), ((2, 3, 4), (0, 1)), ((2, 3, 4), (0, 2))]
    expect_both(student, rng, [*arranged(rng, moved), *reshaped(rng, [((2, 3), (3, 2)), ((4, 3), (2, 6)), ((6,), (2, 3))])])


@check("broadcast_to", points=1)
def broadcasts(student: Student, rng: np.random.Generator) -> None:
    expect_both(student, rng, broadcast(rng, [((3,), (2, 3)), ((2, 1), (2, 4)), ((1, 3), (2, 3))]))


@check("summation", points=1)
def summations(student: Student, rng: np.random.Generator) -> None:
    expect_both(student, rng, sums(rng, [((2, 3), None), ((2, 3), 0), ((2, 3), 1), ((3, 3), 1), ((2, 3, 4), (0, 2))]))


@check("matmul of two matrices", points=1.5)
def matrices(student: Student, rng: np.random.Generator) -> None:
    expect_both(student, rng, products(rng, [((2, 3), (3, 4)), ((3, 3), (3, 3)), ((4, 2), (2, 1))]))


SHAPES: list[Shape] = [(), (1,), (4,), (3, 1, 2), (0, 3)]


@check("Elementwise operators on arrays of any shape, zeros included", points=1.5, hidden=True, seconds=1.5)
def elementwise_anywhere(student: Student, rng: np.random.Generator) -> None:
    questions = [question for shape in SHAPES for question in elementwise(rng, shape)]
    for shape in ((5,), (2, 4)):
        questions += [asked(name, with_zeros(rng, shape)) for name in ("negate", "exp", "relu")]
        questions += [asked("divide", with_zeros(rng, shape), drawn(rng, shape))]
        questions += [asked("divide_scalar", with_zeros(rng, shape), scalar=int(rng.integers(2, 5)))]
    near = np.array([1e-9, -1e-9, 0.0, -0.0, 1e-30, -1e-30, 0.5])[rng.permutation(7)]
    questions += [asked("relu", near), asked("exp", 20 * drawn(rng, (3,))), asked("log", 1e-3 * positive(rng, (3,)))]
    expect_both(student, rng, questions)


@check("Powers on arrays of any shape, other exponents", points=1.5, hidden=True, seconds=1)
def powers_anywhere(student: Student, rng: np.random.Generator) -> None:
    questions = [question for shape in SHAPES for question in powers(rng, shape)]
    questions += [asked("power_scalar", with_zeros(rng, (5,)), scalar=exponent) for exponent in (1, 2, 3, 4)]
    questions += [asked("power_scalar", drawn(rng, (2, 3)), scalar=exponent) for exponent in (-1, -2, -3)]
    questions += [asked("power_scalar", positive(rng, (4,)), scalar=exponent) for exponent in (0.5, -0.5, 2.5)]
    questions += [asked("power", positive(rng, (5,)), with_zeros(rng, (5,)))]
    ones = np.where(rng.random(6) < 0.5, 1.0, positive(rng, (6,)))
    questions += [asked("power", ones, np.array([1.0, 2.0, -1.0, 0.0, 0.5, 3.0]))]
    expect_both(student, rng, questions)


@check("transpose and reshape of arrays of any shape", points=1.5, hidden=True)
def any_arrangement(student: Student, rng: np.random.Generator) -> None:
    moved: list[tuple[Shape, tuple[int, int] | None]] = [
        *(((2, 3, 4), axes) for axes in ((1, 2), (2, 0), (1, 0), (-1, 0), (-3, -2))),
        *(((2, 3, 2, 4), axes) for axes in (None, (0, 3), (1, 3), (2, -3))),
        *[((3, 3, 3), None), ((3, 3, 3), (0, 1)), ((1, 4), None), ((0, 2), None), ((2, 2), (0, 1))],
    ]
    shapes: list[tuple[Shape, Shape]] = [
        *[((), (1, 1)), ((1,), ()), ((2, 3, 4), (4, 6)), ((12,), (2, 3, 2)), ((3, 1), (3,)), ((2, 0), (0, 5))],
        *[((3, 3), (3, 3)), ((4, 2), (2, 4))],
    ]
    expect_both(student, rng, [*arranged(rng, moved), *reshaped(rng, shapes)])


@check("broadcast_to from and to any shape", points=1.5, hidden=True)
def any_broadcast(student: Student, rng: np.random.Generator) -> None:
    shapes: list[tuple[Shape, Shape]] = [
        *[((), (3,)), ((), (2, 3)), ((1,), (4,)), ((3,), (3,)), ((2, 3), (2, 3)), ((3,), (3, 3)), ((3, 1), (3, 3))],
        *[((2, 1, 4), (2, 3, 4)), ((1, 3, 1), (2, 3, 4)), ((3, 1), (2, 3, 4)), ((1, 1), (2, 3)), ((1, 4), (2, 3, 4))],
        *[((1,), (1, 1)), ((1, 3), (1, 3)), ((1, 2), (0, 2)), ((2,), (0, 2)), ((), ()), ((2, 1, 1), (2, 2, 2))],
        *[((1, 2, 1, 1), (2, 2, 1, 3)), ((2, 1), (2, 1, 2, 2))],
    ]
    expect_both(student, rng, broadcast(rng, shapes))


@check("summation over any axes", points=1.5, hidden=True, seconds=1)
def any_sum(student: Student, rng: np.random.Generator) -> None:
    shapes: list[tuple[Shape, Any]] = [
        *(((2, 3, 4), axes) for axes in (0, 1, 2, -1, -2, (0, 1), (1, 2), (2, 0), (-1, 0), (1,), (0, 1, 2), None)),
        *(((3, 3, 3), axes) for axes in (0, 1, 2, (0, 2), (-2, -1))),
        *[((), None), ((1,), 0), ((1, 3), 0), ((4,), None), ((4,), (0,)), ((0, 3), 0), ((0, 3), 1), ((2, 1), None)],
        *[((3, 3), 0), ((3, 3), 1)],
    ]
    expect_both(student, rng, sums(rng, shapes))


@check("matmul where an operand has fewer batch axes", points=1.5, hidden=True)
def batches(student: Student, rng: np.random.Generator) -> None:
    shapes: list[tuple[Shape, Shape]] = [
        *[((2, 3, 4), (2, 4, 2)), ((2, 3, 4), (4, 2)), ((3, 4), (2, 4, 2))],
        *[((2, 2, 2), (2, 2)), ((3, 2), (2, 2, 2, 3)), ((2, 2, 1, 3), (3, 2)), ((3, 3, 3), (3, 3, 3)), ((3, 3), (3, 3, 3))],
        *[((0, 2), (2, 3)), ((2, 0), (0, 3)), ((1, 1), (1, 1)), ((0, 2, 3), (3, 2))],
    ]
    expect_both(student, rng, products(rng, shapes))


@check("matmul where a batch axis has size 1", points=1, hidden=True)
def batch_axes_of_one(student: Student, rng: np.random.Generator) -> None:
    shapes: list[tuple[Shape, Shape]] = [
        *[((1, 3, 4), (2, 4, 2)), ((2, 3, 4), (1, 4, 2)), ((2, 1, 2, 3), (1, 3, 3, 2)), ((3, 1, 2, 2), (2, 2, 2))],
        *[((1, 2, 3), (1, 3, 2)), ((1, 2, 3), (3, 2))],
    ]
    expect_both(student, rng, products(rng, shapes))


OPERATIONS = ("+", "-", "*", "/", "neg", "exp", "log", "relu", "sum", "reshape", "expand")


def network(rng: np.random.Generator) -> TensorProgram:
    program = TensorProgram()
    x, v = program.input(drawn(rng, (4, 3)), "x"), program.input(drawn(rng, (3, 2)), "v")
    w, b = program.input(drawn(rng, (2, 2)), "w"), program.input(drawn(rng, (2,)), "b")
    hidden = (x @ v + b.call("expand", shape=(4, 2))).call("relu")
    scores = hidden @ w @ w.call("permute", axes=(1, 0)) * 0.5
    weights = scores.call("exp")
    total = weights.sum(axis=1, keepdims=True).call("expand", shape=(4, 2))
    program.backward(program.name("y", (weights / total) ** 2 - 1.5), drawn(rng, (4, 2)))
    return program


def scalars(rng: np.random.Generator) -> TensorProgram:
    program = TensorProgram()
    a, b = program.input(drawn(rng, (2, 3)), "a"), program.input(drawn(rng, (2, 3)), "b")
    program.backward(program.name("y", (a * b + 0.75) * 1.5 + a / 3.0 - (2.0 - b) + a * a), drawn(rng, (2, 3)))
    return program


@check("Operators used together, with a backward pass", points=1, hidden=True)
def together(student: Student, rng: np.random.Generator) -> None:
    programs = [network(rng), scalars(rng)]
    programs += [random_program(rng, OPERATIONS, broadcasting=False) for _ in range(12)]
    expect_tensor_programs(student, programs, class_name="Node")


@check("Gradients of large arrays, at the cost of one backward pass", points=1, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    rows = MANY // 4
    table, column = {"a": drawn(rng, (rows, 2))}, {"a": drawn(rng, (rows, 1))}
    questions: list[tuple[str, Inputs, dict[str, Any]]] = [
        ("summation", table, {"axes": 1}),
        ("broadcast_to", column, {"shape": (rows, 2)}),
        ("transpose", table, {}),
        ("reshape", table, {"shape": (2, rows)}),
        ("matmul", {"a": drawn(rng, (50, 50)), "b": drawn(rng, (50, 50))}, {}),
    ]
    for name, inputs, options in questions:

        def forward(*arrays: Numbers, name: str = name, options: dict[str, Any] = options) -> Numbers:
            return FORWARD[name](*arrays, **options)

        def ask(g: Numbers, inputs: Inputs, name: str = name, options: dict[str, Any] = options) -> Any:
            return student.call(f"{name}_vjp", array(g), *map(array, inputs.values()), **options)

        expect_slopes(f"{name}_vjp", forward, inputs, rng, ask)


def any_question(rng: np.random.Generator) -> list[Asked]:
    shape = tuple(int(size) for size in rng.choice([0, 1, 2, 3], size=int(rng.integers(1, 5)), p=[0.05, 0.25, 0.4, 0.3]))
    stretched = tuple(int(rng.integers(1, 4)) if size == 1 else size for size in shape)
    front = tuple(int(size) for size in rng.integers(1, 3, size=int(rng.integers(3))))
    kept = stretched[int(rng.integers(len(shape))) :]
    axes = [int(axis) - (len(shape) if rng.random() < 0.3 else 0) for axis in rng.permutation(len(shape))]
    chosen = [None, axes[0], tuple(axes[: int(rng.integers(1, 3))])][int(rng.integers(3))]
    questions = [
        *elementwise(rng, shape),
        *powers(rng, shape),
        *(asked(name, with_zeros(rng, shape)) for name in ("negate", "exp", "relu")),
        asked("power_scalar", with_zeros(rng, shape), scalar=int(rng.integers(1, 5))),
        asked("power_scalar", drawn(rng, shape), scalar=int(rng.integers(-3, 0))),
        asked("power", positive(rng, shape), with_zeros(rng, shape)),
        asked("divide", with_zeros(rng, shape), drawn(rng, shape)),
        *broadcast(rng, [(shape, (*front, *stretched))]),
        *sums(rng, [(shape, chosen)]),
        *reshaped(rng, [(shape, shape[::-1]), (shape, (1, int(np.prod(shape))))]),
        *products(rng, [((*shape, 2, 3), (*kept, 3, 2)), ((*kept, 2, 2), (*shape, 2, 2))]),
    ]
    if len(shape) > 1:
        questions += arranged(rng, [(shape, None), (shape, (axes[0], axes[1]))])
    return questions


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for name, case in any_question(rng):
        sent = [array(value, layout=str(rng.choice(LAYOUTS))) for value in case.inputs.values()]
        g = np.asarray(rng.normal(size=case.output_shape) * (rng.random(case.output_shape) < 0.8))
        student.call_and_see(f"{name}_forward", *sent, **case.options)
        student.call_and_see(f"{name}_vjp", array(g), *sent, **case.options)
    programs = [network(rng), scalars(rng), random_program(rng, OPERATIONS, broadcasting=False)]
    ask_programs(student, [ComparedTensors(program, "Node") for program in programs])
