"""The truth runs the forward function on the numbers of the entries, which tells where each entry of the output came from."""

from collections.abc import Callable, Sequence
from types import EllipsisType
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import VJP, Student, array, check, expect_close, fail, probe, variety
from autograder.judge.checks.backward_cost import MANY, SECONDS, Inputs, expect_cheap_vjp
from autograder.judge.checks.recording import upstream
from autograder.judge.checks.vjp import LAYOUTS, Case, ask_unchanged, expect_tuple, same_answer
from autograder.judge.diagnosis import forward_of

Shape = tuple[int, ...]
Part = int | None | list[int | None]  # None is an Ellipsis, a list the three numbers of a slice
Forward = Callable[..., Numbers]


@probe
def sliced(student: Any, g: Any, x: Any, *, key: Any, bare: bool) -> Any:
    """Build the key, which cannot be sent as it is, and call slice_vjp."""
    parts = tuple(... if part is None else slice(*part) if isinstance(part, list) else part for part in key)
    return student.slice_vjp(g, x, key=parts[0] if bare else parts)


def sent_back(forward: Forward, g: Numbers, xs: Sequence[Numbers]) -> tuple[Numbers, ...]:
    """Numbers all entries of the inputs, asks the forward which of them are where, and adds up the upstream gradient."""
    starts = np.cumsum([0, *(x.size for x in xs)])
    numbered = [np.arange(x.size).reshape(x.shape) + start for x, start in zip(xs, starts, strict=False)]
    came_from = np.asarray(forward(*numbered), dtype=np.int64).reshape(-1)
    total = np.bincount(came_from, weights=g.reshape(-1), minlength=int(starts[-1]))
    return tuple(
        total[start : start + x.size].astype(np.float64).reshape(x.shape) for x, start in zip(xs, starts, strict=False)
    )


def embedding_truth(g: Numbers, weight: Numbers, ix: Numbers, *, padding_idx: int | None = None) -> tuple[Numbers, ...]:
    (dweight,) = sent_back(lambda w: w[ix], g, [weight])
    kept = np.arange(len(weight)) != padding_idx
    return (np.where(kept[:, None], dweight, 0.0),)


def gather_truth(g: Numbers, x: Numbers, index: Numbers, *, axis: int) -> tuple[Numbers, ...]:
    return sent_back(lambda t: np.take_along_axis(t, index, axis), g, [x])


def scatter_add_truth(g: Numbers, x: Numbers, index: Numbers, src: Numbers, *, axis: int) -> tuple[Numbers, ...]:
    dsrc = np.zeros(src.shape)
    for place in np.ndindex(*src.shape):
        target = list(place)
        target[axis] = index[place]
        dsrc[place] = g[tuple(target)]
    return g, dsrc


def key_of(key: Sequence[Part], bare: bool) -> Any:
    parts: list[int | slice | EllipsisType] = []
    for part in key:
        parts.append(... if part is None else slice(*part) if isinstance(part, list) else part)
    return parts[0] if bare else tuple(parts)


def slice_truth(g: Numbers, x: Numbers, *, key: Sequence[Part], bare: bool) -> tuple[Numbers, ...]:
    return sent_back(lambda t: t[key_of(key, bare)], g, [x])


def concat_truth(g: Numbers, *xs: Numbers, axis: int = 0) -> tuple[Numbers, ...]:
    return sent_back(lambda *ts: np.concatenate(ts, axis), g, xs)


def repeat_truth(g: Numbers, x: Numbers, *, n: int, axis: int) -> tuple[Numbers, ...]:
    return sent_back(lambda t: np.repeat(t, n, axis), g, [x])


def cumsum_truth(g: Numbers, x: Numbers, *, axis: int) -> tuple[Numbers, ...]:
    """The Jacobian is a triangle of ones."""
    size = x.shape[axis]
    triangle = np.tril(np.ones((size, size)))
    return (np.moveaxis(np.tensordot(triangle, g, (0, axis)), 0, axis),)


TRUTHS: dict[str, Callable[..., tuple[Numbers, ...]]] = {
    "embedding_vjp": embedding_truth,
    "gather_vjp": gather_truth,
    "scatter_add_vjp": scatter_add_truth,
    "slice_vjp": slice_truth,
    "concat_vjp": concat_truth,
    "repeat_vjp": repeat_truth,
    "cumsum_vjp": cumsum_truth,
}


def ask(student: Student, name: str, arguments: dict[str, Numbers], layout: str, options: dict[str, Any]) -> Any:
    """Calls the function twice. The arguments must be unchanged and the answers equal."""
    if name != "slice_vjp":
        return ask_unchanged(student, name, arguments, layout, options)
    sent = [array(value, layout=layout) for value in arguments.values()]
    answer, again = (student.run(sliced, *sent, **options) for _ in range(2))
    if not same_answer(answer, again):
        message = "slice_vjp returned different results for two calls with the same arguments."
        raise fail(message, "second call with the same arguments", arguments)
    return answer


def expect_gradients(student: Student, name: str, cases: Sequence[Case], rng: np.random.Generator, trials: int = 1) -> None:
    """A random upstream for each trial, of which one entry is 0 in the first. Index arrays have no gradient."""
    for number, case in enumerate(cases):
        for trial in range(trials):
            g = upstream(rng, case.output_shape)
            if not trial and g.size > 2:
                g.flat[int(rng.integers(g.size))] = 0.0
            arguments = {"g": g, **case.inputs}
            truths = TRUTHS[name](g, *case.inputs.values(), **case.options)
            answer = ask(student, name, arguments, LAYOUTS[(number + trial) % len(LAYOUTS)], case.options)
            expect_tuple(answer, len(truths), name, arguments)
            labels = [label for label, value in case.inputs.items() if value.dtype.kind == "f"]
            shapes = ", ".join(f"{label}{value.shape}" for label, value in arguments.items())
            shapes += "".join(f", {key}={value}" for key, value in readable(case.options).items())
            for label, given, truth in zip(labels, answer, truths, strict=True):
                what = f"{name}: the gradient with respect to {label} for {shapes}"
                expect_close(given, truth, what, arguments, VJP)


def readable(options: dict[str, Any]) -> dict[str, Any]:
    """The options with the key of a slice as Python prints it."""
    return {"key": key_of(**options)} if "key" in options else options


def numbers(rng: np.random.Generator, *shape: int) -> Numbers:
    return np.asarray(rng.normal(size=shape))


def indices(rng: np.random.Generator, rows: int, *shape: int) -> Numbers:
    """Non-negative and negative indices. Unless there is a single row, at least one of them occurs twice."""
    ix = np.asarray(rng.integers(-rows, rows, size=shape), dtype=np.int64)
    if ix.size > 2:
        first, second, third = rng.permutation(ix.size)[:3]
        ix.flat[second] = ix.flat[first] % rows
        ix.flat[third] = ix.flat[first] % rows - rows
    return ix


def lookup(rng: np.random.Generator, rows: int, width: int, ix: Numbers, padding: int | None = None) -> Case:
    options = {} if padding is None else {"padding_idx": padding}
    return Case({"weight": numbers(rng, rows, width), "ix": ix}, (*ix.shape, width), options)


def along(rng: np.random.Generator, shape: Shape, axis: int, length: int) -> tuple[Numbers, Numbers]:
    """An array, and indices along one of its axes."""
    sizes = list(shape)
    sizes[axis] = length
    if shape[axis] == 0:
        return numbers(rng, *shape), np.zeros(sizes, dtype=np.int64)
    index = np.moveaxis(np.empty(sizes, dtype=np.int64), axis, -1)
    for row in np.ndindex(*index.shape[:-1]):
        index[row] = indices(rng, shape[axis], length)
    return numbers(rng, *shape), np.ascontiguousarray(np.moveaxis(index, -1, axis))


def gathered(rng: np.random.Generator, shape: Shape, axis: int, length: int) -> Case:
    x, index = along(rng, shape, axis, length)
    return Case({"x": x, "index": index}, index.shape, {"axis": axis})


def scattered(rng: np.random.Generator, shape: Shape, axis: int, length: int) -> Case:
    x, index = along(rng, shape, axis, length)
    return Case({"x": x, "index": index, "src": numbers(rng, *index.shape)}, x.shape, {"axis": axis})


def cut(rng: np.random.Generator, shape: Shape, *key: Part, bare: bool = False) -> Case:
    x = numbers(rng, *shape)
    return Case({"x": x}, np.shape(x[key_of(key, bare)]), {"key": list(key), "bare": bare})


def joined(rng: np.random.Generator, shape: Shape, sizes: Sequence[int], axis: int | None = None) -> Case:
    """Arrays of this shape, except that they have these sizes along the axis."""
    place = axis or 0
    shapes = [(*shape[: place % len(shape)], size, *shape[place % len(shape) + 1 :]) for size in sizes]
    xs = {f"x{n}": numbers(rng, *one) for n, one in enumerate(shapes)}
    options = {} if axis is None else {"axis": axis}
    return Case(xs, np.concatenate(list(xs.values()), axis or 0).shape, options)


def repeated(rng: np.random.Generator, shape: Shape, n: int, axis: int) -> Case:
    x = numbers(rng, *shape)
    return Case({"x": x}, np.repeat(x, n, axis).shape, {"n": n, "axis": axis})


def summed(rng: np.random.Generator, shape: Shape, axis: int) -> Case:
    return Case({"x": numbers(rng, *shape)}, shape, {"axis": axis})


@check("A lookup of rows, some of them several times, some from the end", points=1.5)
def embedding(student: Student, rng: np.random.Generator) -> None:
    cases = [lookup(rng, 4, 3, indices(rng, 4, 6)), lookup(rng, 5, 2, np.array([3, 1, 4, 3]), padding=4)]
    expect_gradients(student, "embedding_vjp", cases, rng, trials=2)


@check("Gather and scatter_add along either axis of a matrix", points=1.5)
def gather_and_scatter(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, "gather_vjp", [gathered(rng, (3, 4), axis, 5) for axis in (0, 1)], rng, trials=2)
    expect_gradients(student, "scatter_add_vjp", [scattered(rng, (3, 4), axis, 5) for axis in (0, 1)], rng, trials=2)


@check("A slice, a concatenation, a repetition and a cumulative sum", points=1.5)
def the_other_four(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, "slice_vjp", [cut(rng, (5, 4), [1, 4, 2], -1)], rng, trials=2)
    expect_gradients(student, "concat_vjp", [joined(rng, (1, 3), (2, 1, 4))], rng, trials=2)
    expect_gradients(student, "repeat_vjp", [repeated(rng, (3, 2), 2, 0)], rng, trials=2)
    expect_gradients(student, "cumsum_vjp", [summed(rng, (5,), 0)], rng, trials=2)


@check("Embedding: an index array of any shape", points=1.5, hidden=True)
def index_shapes(student: Student, rng: np.random.Generator) -> None:
    shapes: list[Shape] = [(), (1,), (3, 4), (2, 1, 3), (0,), (2, 0)]
    cases = [lookup(rng, 4, 3, indices(rng, 4, *shape)) for shape in shapes]
    cases += [
        lookup(rng, 1, 2, indices(rng, 1, 4)),
        lookup(rng, 3, 1, indices(rng, 3, 5)),
        lookup(rng, 3, 0, indices(rng, 3, 2)),
    ]
    expect_gradients(student, "embedding_vjp", [*cases, lookup(rng, 3, 2, np.array(-2))], rng)


@check("Embedding: the padding row, addressed from the front and from the end", points=1.5, hidden=True)
def padding(student: Student, rng: np.random.Generator) -> None:
    cases = []
    for row in (0, 2, 3):
        ix = rng.permutation(np.array([row, row - 4, (row + 1) % 4, (row + 1) % 4 - 4, (row + 2) % 4, row]))
        cases += [lookup(rng, 4, 3, ix, row), lookup(rng, 4, 2, ix.reshape(2, 3), row)]
        cases += [lookup(rng, 4, 2, np.array(row - 4), row), lookup(rng, 4, 2, np.array(row), (row + 3) % 4)]
    cases += [lookup(rng, 4, 2, indices(rng, 4, 0), 1), lookup(rng, 1, 3, indices(rng, 1, 3), 0)]
    expect_gradients(student, "embedding_vjp", cases, rng)


AXES: list[tuple[Shape, int, int]] = [
    *[((4,), 0, 6), ((4, 4), 0, 4), ((4, 4), -1, 4), ((3, 5), 0, 2), ((3, 5), -2, 4), ((2, 3, 4), 1, 5), ((2, 3, 4), -1, 3)],
    *[((2, 3, 4), 0, 3), ((3, 3, 3), 1, 3), ((1, 3), 0, 4), ((3, 1), 1, 1), ((2, 1, 3), -3, 1), ((1,), 0, 3)],
    *[((3, 2), 0, 0), ((0, 3), 1, 2), ((2, 0), -1, 0)],
]


@check("Gather along every axis, with repeated and negative indices", points=1.5, hidden=True)
def gather_axes(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, "gather_vjp", [gathered(rng, *axis) for axis in AXES], rng)


@check("scatter_add along every axis, with repeated and negative indices", points=1.5, hidden=True)
def scatter_axes(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, "scatter_add_vjp", [scattered(rng, *axis) for axis in AXES], rng)


@check("Slices with any step, ints and Ellipsis", points=1.5, hidden=True)
def slices(student: Student, rng: np.random.Generator) -> None:
    everything: Part = [None, None, None]
    short: list[Part] = [2, -1, [None, None, -1], [4, 0, -2], [3, 3, None], None]
    square: list[Part] = [0, -5, [1, -1, None], [None, None, 3], [9, None, -2], [4, 1, None]]
    cases = [
        *(cut(rng, (6,), key, bare=True) for key in short),
        *(cut(rng, (5, 5), key, bare=True) for key in square),
        cut(rng, (4,), -3),
        cut(rng, (3, 4), 1, -2),
        cut(rng, (3, 4), everything, [None, None, -1]),
        cut(rng, (3, 4), None, 0),
        cut(rng, (2, 3, 4), None, [0, 4, 3]),
        cut(rng, (2, 3, 4), -1, None, [-1, None, None]),
        cut(rng, (2, 3, 4), 1, [2, None, -1]),
        cut(rng, (2, 3, 4), [None, None, -1], 0, [3, 0, -2]),
        cut(rng, (2, 3, 4), 1, 2, 3, None),
        cut(rng, (3, 1, 2), everything, -1),
        cut(rng, (3, 0), [1, None, None], None),
    ]
    expect_gradients(student, "slice_vjp", cases, rng)


@check("Concatenation of parts that differ in size, or are empty", points=1.5, hidden=True)
def concatenations(student: Student, rng: np.random.Generator) -> None:
    cases = [
        *(joined(rng, (1,), sizes) for sizes in ((3,), (2, 2), (1, 4), (0, 3, 2), (0,))),
        *(joined(rng, (3, 1), sizes, axis) for sizes, axis in (((2, 5), 1), ((1, 3, 2), -1), ((4, 0, 1), 1))),
        *(joined(rng, (2, 3, 4), sizes, axis) for sizes, axis in (((1, 2), 0), ((3, 1, 1, 2), -2), ((2, 4), 2))),
        *(joined(rng, (3, 3), sizes, axis) for sizes, axis in (((3, 3), 0), ((3, 3), 1), ((3, 6), None))),
        joined(rng, (0, 1), (2, 3), 1),
    ]
    expect_gradients(student, "concat_vjp", cases, rng)


@check("Repetition one to four times along every axis", points=1.5, hidden=True)
def repetitions(student: Student, rng: np.random.Generator) -> None:
    cases = [repeated(rng, (4,), n, axis) for n, axis in ((1, 0), (2, -1), (3, 0))]
    cases += [repeated(rng, (2, 3, 4), n, axis) for n, axis in ((2, 0), (3, 1), (4, 2), (2, -2), (3, -1), (1, -3))]
    cases += [repeated(rng, (3, 3), 3, axis) for axis in (0, 1)]
    cases += [repeated(rng, shape, 2, axis) for shape, axis in (((1, 3), 0), ((3, 1), 1), ((2, 1, 2), -2), ((0, 2), 1))]
    expect_gradients(student, "repeat_vjp", [*cases, repeated(rng, (2, 0), 3, 1)], rng)


@check("Cumulative sum along every axis", points=1, hidden=True)
def cumulative_sums(student: Student, rng: np.random.Generator) -> None:
    shapes: list[tuple[Shape, int]] = [((1,), 0), ((6,), -1), ((3, 4), 0), ((3, 4), 1), ((4, 4), 0), ((4, 4), -1)]
    shapes += [((2, 3, 4), 0), ((2, 3, 4), 1), ((2, 3, 4), -1), ((1, 3), 0), ((3, 1, 2), -2), ((0, 3), 0), ((0, 3), 1)]
    expect_gradients(student, "cumsum_vjp", [summed(rng, *shape) for shape in shapes], rng)


def any_case(rng: np.random.Generator, name: str) -> Case:
    if name == "embedding_vjp":
        rows = int(rng.integers(1, 5))
        ix = indices(rng, rows, *(int(n) for n in rng.integers(0, 4, size=int(rng.integers(0, 3)))))
        row = int(rng.integers(rows)) if rng.random() < 0.5 else None
        return lookup(rng, rows, int(rng.integers(0, 4)), ix, row)
    shape = tuple(int(n) for n in rng.choice(5, size=int(rng.integers(1, 4)), p=[0.1, 0.2, 0.3, 0.2, 0.2]))
    axis = int(rng.integers(-len(shape), len(shape)))
    if name in ("gather_vjp", "scatter_add_vjp"):
        length = int(rng.integers(0, 5)) if shape[axis] else 0
        return (gathered if name == "gather_vjp" else scattered)(rng, shape, axis, length)
    if name == "concat_vjp":
        return joined(rng, shape, [int(n) for n in rng.integers(0, 4, size=int(rng.integers(1, 4)))], axis)
    if name == "repeat_vjp":
        return repeated(rng, shape, int(rng.integers(1, 4)), axis)
    if name == "cumsum_vjp":
        return summed(rng, shape, axis)
    key: list[Part] = []
    for size in shape:
        bounds = [None if rng.random() < 0.4 else int(n) for n in rng.integers(-5, 6, size=2)]
        part: Part = [*bounds, int(rng.choice([-3, -2, -1, 1, 2, 3]))]
        key.append(int(rng.integers(-size, size)) if size and rng.random() < 0.4 else part)
    first, last = sorted(int(n) for n in rng.integers(len(key) + 1, size=2))
    key[first:last] = [None] if rng.random() < 0.7 or last == len(key) else key[first:last]  # axes left to an Ellipsis
    return cut(rng, shape, *key, bare=len(key) == 1 and bool(rng.random() < 0.5))


@check("The gradients of large arrays, at the cost of a few forward passes", points=4, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    x = rng.normal(size=(2 * MANY // 50, 50))
    index = rng.integers(50, size=x.shape)

    def gather(g: Numbers, inputs: Inputs) -> Any:
        return student.call("gather_vjp", array(g), array(inputs["x"]), array(index), axis=1)

    def cumsum(g: Numbers, inputs: Inputs) -> Any:
        return student.call("cumsum_vjp", array(g), array(inputs["x"]), axis=0)

    expect_cheap_vjp(student, "gather_vjp", lambda x: np.take_along_axis(x, index, 1), {"x": x}, rng, ask=gather)
    expect_cheap_vjp(student, "cumsum_vjp", lambda x: np.cumsum(x, axis=0), {"x": x}, rng, ask=cumsum)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for name in TRUTHS:
        case = any_case(rng, name)
        g = np.asarray(rng.choice([0.0, 1.0, 1e3]) * rng.normal(size=case.output_shape))
        layout = str(rng.choice(LAYOUTS))
        sent = [array(value, layout=layout) for value in (g, *case.inputs.values())]
        if name == "slice_vjp":
            student.run(sliced, *sent, **case.options)
        else:
            student.call_and_see(name, *sent, **case.options)


def picked(x: Any, came_from: Numbers) -> Any:
    """The entries with these numbers, in torch, which has no slices with a negative step."""
    import torch

    return x.reshape(-1)[torch.from_numpy(np.ascontiguousarray(came_from))]


def numbered(x: Any) -> Numbers:
    return np.arange(x.numel()).reshape(tuple(x.shape))


def embedded(weight: Any, ix: Any, padding_idx: int | None = None) -> Any:
    import torch

    padded = torch.arange(weight.shape[0])[:, None] == (-1 if padding_idx is None else padding_idx)
    return picked(torch.where(padded, weight.detach(), weight), numbered(weight)[ix.numpy()])


def concatenated(*xs: Any, axis: int = 0) -> Any:
    import torch

    return torch.cat(xs, axis)


forward_of("embedding_vjp", embedded)
forward_of("gather_vjp", lambda x, index, axis: picked(x, np.take_along_axis(numbered(x), index.numpy(), axis)))
forward_of("scatter_add_vjp", lambda x, index, src, axis: x.scatter_add(axis, index % max(x.shape[axis], 1), src))
forward_of("sliced", lambda x, key, bare: picked(x, numbered(x)[key_of(key, bare)]))
forward_of("concat_vjp", concatenated)
forward_of("repeat_vjp", lambda x, n, axis: x.repeat_interleave(n, axis))
forward_of("cumsum_vjp", lambda x, axis: x.cumsum(axis))
