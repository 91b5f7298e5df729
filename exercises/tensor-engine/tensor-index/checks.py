"""Programs that torch executes too. NumPy says on the judge's side which entries an index selects."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.judge.checks import Student, check, variety
from autograder.judge.checks.random_programs import drawn, random_program
from autograder.judge.checks.shared_gradients import sums_of_leaves
from autograder.judge.checks.tensor_cost import ENTRIES, SECONDS
from autograder.judge.checks.tensors import ComparedTensors, Shape, Slot, TensorProgram, ask_programs, expect_tensor_programs
from autograder.judge.diagnosis import raises, symptom

Asked = tuple[Shape, list[Any]]  # in an index, a list of three stands for a slice
OPERATIONS = ("+", "-", "*", "/", "neg", "exp", "tanh", "getitem")
ALL: list[int | None] = [None, None, None]
REVERSED: list[int | None] = [None, None, -1]


def finished(rng: np.random.Generator, program: TensorProgram, y: Slot) -> TensorProgram:
    """The program with a backward pass from y. Where there is room for more, one entry of the gradient is 0."""
    gradient = drawn(rng, y.shape)
    if gradient.size > 2:
        gradient.flat[int(rng.integers(gradient.size))] = rng.choice([0.0, -0.0])
    program.backward(program.name("y", y), gradient if y.shape or rng.random() < 0.5 else None)
    return program


def indexed(rng: np.random.Generator, asked: list[Asked]) -> list[TensorProgram]:
    """A program for each index, applied to a leaf that has zeros among its entries."""
    programs = []
    for shape, index in asked:
        program = TensorProgram()
        x = program.input(drawn(rng, shape) * (rng.random(shape) < 0.9), "x")
        programs.append(finished(rng, program, x.at(*index)))
    return programs


def rows(rng: np.random.Generator, size: int, *shape: int) -> Any:
    """Indices of both signs. The first one occurs three times, once in its other form."""
    index = np.asarray(rng.integers(-size, size, size=shape), dtype=np.int64)
    flat = index.reshape(-1)
    if flat.size > 2:
        flat[1], flat[-1] = flat[0], flat[0] % size - (size if flat[0] >= 0 else 0)
    return index


def mask(rng: np.random.Generator, *shape: int) -> Any:
    """A mask in which both values occur."""
    chosen = rng.random(shape) < 0.5
    flat = chosen.reshape(-1)
    if flat.size > 1:
        first, second = rng.permutation(flat.size)[:2]
        flat[first], flat[second] = True, False
    return chosen


@check("Numbers and slices", points=1)
def numbers_and_slices(student: Student, rng: np.random.Generator) -> None:
    asked: list[Asked] = [((3, 4), [1]), ((3, 4), [-1, 2]), ((5,), [[1, 4, None]]), ((3, 4), [ALL, REVERSED])]
    expect_tensor_programs(student, indexed(rng, asked))


@check("An array of indices, some of them several times", points=1.5)
def repeated(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, indexed(rng, [((4,), [rows(rng, 4, 6)]), ((3, 2), [rows(rng, 3, 5)])]))


@check("A mask", points=1)
def masked(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, indexed(rng, [((5,), [mask(rng, 5)]), ((3, 4), [mask(rng, 3, 4)])]))


@check("Numbers, slices, None and an ellipsis in every combination", points=1, hidden=True)
def basic(student: Student, rng: np.random.Generator) -> None:
    n = int(rng.integers(-3, 3))
    asked: list[Asked] = [
        ((3, 4), [n]),
        ((3, 4), [n, -4]),
        ((3, 4), [ALL, n]),
        ((2, 3, 4), ["...", n]),
        ((3, 2, 4), [n, "...", 2]),
        ((2, 3, 4), [-2, ALL, [1, -1, None]]),
        ((4, 4), [[None, None, 2], [1, None, 2]]),
        ((4, 4), [REVERSED, REVERSED]),
        ((6,), [[4, 0, -2]]),
        ((7,), [[None, None, -3]]),
        ((6,), [[-100, 100, None]]),
        ((6,), [[-2, -100, -1]]),
        ((3, 4), [None]),
        ((3, 4), [ALL, None, n]),
        ((3, 4), [None, "...", None]),
        ((3, 4), ["..."]),
        ((3,), [ALL]),
        ((), ["..."]),
        ((), [None, None]),
        ((2, 1), [None]),
        ((3, 1), [ALL, None]),
        ((1, 3), [ALL, None, n]),
        ((1, 1), [None, "..."]),
        ((2, 3, 2, 2), [1, "...", REVERSED]),
        ((3, 3, 3), [REVERSED, None, n, [0, 2, None]]),
    ]
    expect_tensor_programs(student, indexed(rng, asked))


@check("Arrays of indices of every shape, with other parts", points=1, hidden=True)
def arrays_of_indices(student: Student, rng: np.random.Generator) -> None:
    asked: list[Asked] = [
        ((4,), [rows(rng, 4, 2, 3)]),
        ((3, 2), [rows(rng, 3, 2, 2)]),
        ((3, 4), [ALL, rows(rng, 4, 5)]),
        ((3, 4), [1, rows(rng, 4, 5)]),
        ((3, 4), [[None, None, -2], rows(rng, 4, 3)]),
        ((3, 4), [rows(rng, 3, 5), rows(rng, 4, 5)]),
        ((3, 4), [rows(rng, 3, 3, 1), rows(rng, 4, 4)]),
        ((3, 3), [np.array([0, -3, 0]), np.array([2, -1, -1])]),
        ((2, 3, 4), ["...", rows(rng, 4, 3)]),
        ((2, 3, 4), [ALL, rows(rng, 3, 4)]),
        ((2, 3, 4), [rows(rng, 2, 3), ALL, rows(rng, 4, 3)]),
        ((2, 3, 4), [-1, ALL, rows(rng, 4, 3)]),
        ((3, 2), [None, rows(rng, 3, 4)]),
        ((1, 3), [np.zeros(4, dtype=np.int64)]),
        ((4,), [rows(rng, 4, 1)]),
    ]
    expect_tensor_programs(student, indexed(rng, asked))


@check("Masks of the whole tensor or of some axes", points=1, hidden=True)
def masks(student: Student, rng: np.random.Generator) -> None:
    asked: list[Asked] = [
        ((2, 3, 4), [mask(rng, 2, 3, 4)]),
        ((4, 3), [mask(rng, 4)]),
        ((2, 3, 4), [mask(rng, 2, 3)]),
        ((3, 4), [ALL, mask(rng, 4)]),
        ((3, 4), [-1, mask(rng, 4)]),
        ((2, 3, 4), ["...", mask(rng, 4)]),
        ((4, 3), [mask(rng, 4), REVERSED]),
        ((3, 4), [np.ones((3, 4), dtype=bool)]),
        ((2, 2), [np.array([True, True])]),
        ((2,), [np.array([True, False])]),
    ]
    expect_tensor_programs(student, indexed(rng, asked))


@check("Indices that select nothing, and tensors without entries", points=1, hidden=True)
def nothing(student: Student, rng: np.random.Generator) -> None:
    none = np.zeros(0, dtype=np.int64)
    asked: list[Asked] = [
        ((4,), [[3, 1, None]]),
        ((3, 4), [ALL, [2, 2, None]]),
        ((3, 4), [none]),
        ((3, 4), [ALL, none]),
        ((3,), [np.zeros(3, dtype=bool)]),
        ((2, 3), [np.zeros((2, 3), dtype=bool)]),
        ((0, 3), [ALL, 1]),
        ((0, 3), [REVERSED]),
        ((2, 0), [0]),
        ((2, 0), [rows(rng, 2, 3)]),
    ]
    expect_tensor_programs(student, indexed(rng, asked))


def shared(rng: np.random.Generator, is_leaf: bool) -> TensorProgram:
    """Overlapping parts of one tensor, which is a leaf or a result."""
    program = TensorProgram()
    x, w = program.input(drawn(rng, (5,)), "x"), program.input(drawn(rng, (5,)), "w")
    s = x if is_leaf else program.name("s", x * w)
    return finished(rng, program, s.at([1, None, None]) * s.at([None, -1, None]) + s.at(0) - s.at(rows(rng, 5, 4)))


def nested(rng: np.random.Generator) -> TensorProgram:
    """An index of an index."""
    program = TensorProgram()
    x = program.input(drawn(rng, (4, 3)), "x")
    return finished(rng, program, (x * x).at(rows(rng, 4, 5)).at(ALL, [None, None, -2]).at(rows(rng, 5, 3)))


def second_pass(rng: np.random.Generator) -> TensorProgram:
    program = TensorProgram()
    x = program.input(drawn(rng, (4,)), "x")
    y = program.name("y", (x * x).at(rows(rng, 4, 3)))
    program.backward(y, drawn(rng, (3,)))
    program.backward(y, drawn(rng, (3,)))
    z = program.name("z", x.at(mask(rng, 4)))
    program.backward(z, drawn(rng, z.shape))
    program.backward(z, drawn(rng, z.shape))
    return program


def constants(rng: np.random.Generator) -> TensorProgram:
    """Parts that no gradient goes through: of a leaf that does not require grad, and in a no_grad block."""
    program = TensorProgram()
    x = program.input(drawn(rng, (3,)), "x")
    c = program.input(drawn(rng, (4,)), "c", requires_grad=False)
    program.no_grad()
    fixed = program.name("fixed", x.at(REVERSED))
    program.grad_enabled()
    return finished(rng, program, x * fixed + c.at([1, None, None]) * x)


def look_alikes(rng: np.random.Generator) -> TensorProgram:
    """Two leaves with equal data."""
    program = TensorProgram()
    values = drawn(rng, (3,))
    a, b = program.input(values, "a"), program.input(values, "b")
    return finished(rng, program, a.at(REVERSED) * b.at(REVERSED) - b)


def with_numbers(rng: np.random.Generator) -> TensorProgram:
    program = TensorProgram()
    a, b = program.input(drawn(rng, (2, 3)), "a"), program.input(drawn(rng, (2, 1)), "b")
    return finished(rng, program, (1.5 - a) * (2.0 / b) + (0.5 + a.at(REVERSED)) * (3.0 * b))


@check("Several uses of a tensor, several passes, constants", points=1, hidden=True)
def uses(student: Student, rng: np.random.Generator) -> None:
    programs = [shared(rng, is_leaf) for is_leaf in (True, False)]
    expect_tensor_programs(student, [*programs, *sums_of_leaves(rng), *(write(rng) for write in WRITERS)])


@check("Larger programs", points=0.5, hidden=True)
def larger(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, [random_program(rng, OPERATIONS) for _ in range(20)])


WRITERS: list[Callable[[np.random.Generator], TensorProgram]] = [
    nested,
    second_pass,
    constants,
    look_alikes,
    with_numbers,
]


@check("Thousands of entries, at the cost of one backward pass", points=1, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for _ in range(8):
        program = TensorProgram()
        x = program.input(drawn(rng, (ENTRIES,)), "x")
        parts = [
            x.at(rows(rng, ENTRIES, 20)),
            x.at([None, None, -ENTRIES // 20]),
            x.at([-20, None, None]),
            x.at([None, 20, None]),
        ]
        total = parts[0] * parts[1] - parts[2] * parts[3] + x.at(-1) * x.at(rows(rng, ENTRIES, 20))
        program.backward(program.name("y", total), drawn(rng, total.shape))
        programs.append(program)
    expect_tensor_programs(student, programs)


def any_index(rng: np.random.Generator, shape: Shape) -> list[Any]:
    parts: list[Any] = []
    for size in shape[: int(rng.integers(len(shape) + 1))]:
        kind = rng.random()
        if kind < 0.3 and size:
            parts.append(int(rng.integers(-size, size)))
        elif kind < 0.4 and size:
            parts.append(mask(rng, size))
        elif kind < 0.5 and size:
            parts.append(rows(rng, size, 3))
        else:
            bounds = [None if rng.random() < 0.5 else int(n) for n in rng.integers(-4, 5, size=2)]
            parts.append([*bounds, int(rng.choice([-2, -1, 1, 2]))])
    if sum(isinstance(part, np.ndarray) for part in parts) > 1:
        parts = [ALL if isinstance(part, np.ndarray) else part for part in parts[:-1]] + parts[-1:]
    if rng.random() < 0.3 or not parts:
        parts.insert(0, None)
    if rng.random() < 0.2:
        parts.append("...")
    return parts


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    shapes = [tuple(int(n) for n in rng.choice(4, size=int(rng.integers(4)), p=[0.1, 0.2, 0.3, 0.4])) for _ in range(8)]
    programs = indexed(rng, [(shape, any_index(rng, shape)) for shape in shapes])
    programs += [write(rng) for write in WRITERS]
    programs += [random_program(rng, OPERATIONS, steps=int(rng.integers(1, 7))) for _ in range(3)]
    ask_programs(student, [ComparedTensors(program) for program in programs])


for where in ("masked", "masks"):
    symptom(
        "gradient-multiplied-by-mask", raises("could not be broadcast", type_name="ValueError"), check=where, raised=True
    )
