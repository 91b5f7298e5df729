"""Indices, shapes and loops are asked for arrays, functions on tensors for programs. Storage is read by shape and strides."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, array, check, expect, expect_close, expect_equal, probe, variety
from autograder.judge.checks.recording import record_expected
from autograder.judge.checks.tensors import Shape, Slot, TensorProgram, expect_tensor_programs

SHAPES: tuple[Shape, ...] = ((4,), (1,), (2, 3), (3, 1), (1, 1), (2, 3, 2), (1, 4, 2), (2, 1, 3, 2))
UNARY = ("neg", "exp", "log", "relu")


def drawn(rng: np.random.Generator, shape: Shape, positive: bool = False) -> Numbers:
    """Numbers that are neither near 0 nor near 1."""
    size = np.where(rng.random(shape) < 0.5, rng.uniform(0.4, 0.8, shape), rng.uniform(1.3, 2.2, shape))
    return np.asarray(size if positive else size * rng.choice([-1.0, 1.0], shape))


def random_shape(rng: np.random.Generator, axes: int = 3) -> Shape:
    return tuple(int(n) for n in rng.integers(1, 4, size=int(rng.integers(1, axes + 1))))


def partner(rng: np.random.Generator, shape: Shape) -> Shape:
    """A shape that broadcasts with this one to the same axes, and may be shorter."""
    kept = shape[int(rng.integers(len(shape))) :]
    return tuple(1 if rng.random() < 0.4 else n for n in kept)


# -- indices and shapes -------------------------------------------------------------------------------------------


@probe
def positions(student, indices, strides):
    return [int(student.index_to_position(index, stride)) for index, stride in zip(indices, strides)]


def expect_positions(student: Student, rng: np.random.Generator, axes: list[int]) -> None:
    indices = [rng.integers(0, 5, size=n) for n in axes]
    strides = [rng.integers(0, 40, size=n) for n in axes]
    answer = student.run(positions, [array(i) for i in indices], [array(s) for s in strides], returns=list[int])
    expect(len(answer) == len(axes), "The results could not be read.")
    for index, stride, given in zip(indices, strides, answer, strict=True):
        expect_equal(given, int(index @ stride), "index_to_position(index, strides)", {"index": index, "strides": stride})


@check("Positions", points=1)
def small_positions(student: Student, rng: np.random.Generator) -> None:
    expect_positions(student, rng, [1, 2, 3])


@probe
def indices_of(student, shapes):
    """What to_index writes for every ordinal."""
    import numpy as np

    answer = []
    for shape in shapes:
        out = np.zeros((int(np.prod(shape)), len(shape)), dtype=np.int64)
        for ordinal in range(len(out)):
            student.to_index(ordinal, np.array(shape), out[ordinal])
        answer.append(out.tolist())
    return answer


def expect_indices(student: Student, shapes: list[Shape]) -> None:
    answer = student.run(indices_of, [list(shape) for shape in shapes], returns=list[list[list[int]]])
    expect(len(answer) == len(shapes), "The results could not be read.")
    for shape, given in zip(shapes, answer, strict=True):
        truth = [list(index) for index in np.ndindex(*shape)]
        record_expected(truth)
        what = f"to_index for the ordinals 0 to {math.prod(shape) - 1}"
        message = f"{what} and the shape {shape} should give every index once, but gives {given[:8]}."
        expect(sorted(given) == truth, message, what, {"shape": list(shape)}, expected=str(truth[:8]), given=str(given[:8]))


@check("Every index once", points=1)
def small_indices(student: Student, rng: np.random.Generator) -> None:
    a, b = (int(n) for n in rng.integers(2, 5, size=2))
    expect_indices(student, [(a,), (a, b), (1, b), (b, 1, a)])


@probe
def broadcast_shapes(student, pairs):
    answer = []
    for left, right in pairs:
        try:
            answer.append([int(n) for n in student.shape_broadcast(tuple(left), tuple(right))])
        except Exception as error:
            answer.append(type(error).__name__[:64])
    return answer


def expect_shapes(student: Student, pairs: list[tuple[Shape, Shape]]) -> None:
    answer = student.run(broadcast_shapes, [[list(a), list(b)] for a, b in pairs], returns=list[Any])
    expect(len(answer) == len(pairs), "The results could not be read.")
    for (left, right), given in zip(pairs, answer, strict=True):
        try:
            truth: Any = list(np.broadcast_shapes(left, right))
        except ValueError:
            truth = "IndexingError"
        expect_equal(given, truth, f"shape_broadcast({left}, {right})")


@check("Shapes that are broadcast", points=1)
def small_shapes(student: Student, rng: np.random.Generator) -> None:
    shape = (int(rng.integers(2, 5)), int(rng.integers(5, 8)))
    expect_shapes(student, [(shape, shape), (shape, shape[1:]), ((1, shape[1]), (shape[0], 1)), (shape[1:], shape)])


@probe
def broadcast_indices(student, cases):
    import numpy as np

    answer = []
    for index, big, small in cases:
        out, given = np.full(len(small), -7), np.array(index)
        student.broadcast_index(given, np.array(big), np.array(small), out)
        answer.append([out.tolist(), given.tolist()])
    return answer


def expect_broadcast_indices(student: Student, rng: np.random.Generator, pairs: list[tuple[Shape, Shape]]) -> None:
    cases = [([int(rng.integers(n)) if n else 0 for n in big], list(big), list(small)) for big, small in pairs]
    cases += [([n - 1 for n in big], list(big), list(small)) for big, small in pairs]
    answer = student.run(broadcast_indices, cases, returns=list[list[list[int]]])
    expect(len(answer) == len(cases), "The results could not be read.")
    for (index, big, small), row in zip(cases, answer, strict=True):
        kept = index[len(big) - len(small) :]
        truth = [0 if size == 1 else at for at, size in zip(kept, small, strict=True)]
        what, inputs = "broadcast_index: out_index", {"big_index": index, "big_shape": big, "shape": small}
        expect(len(row) == 2, "The results could not be read.")
        expect_equal(row[0], truth, what, inputs)
        expect_equal(row[1], index, "broadcast_index: big_index after the call", inputs)


@check("Indices that are broadcast", points=1)
def small_broadcast_indices(student: Student, rng: np.random.Generator) -> None:
    a, b = (int(n) for n in rng.integers(2, 5, size=2))
    expect_broadcast_indices(student, rng, [((a, b), (b,)), ((a, b), (a, 1)), ((a, b), (1, b)), ((a, b), (a, b))])


# -- map, zip and reduce ------------------------------------------------------------------------------------------


@probe
def loops(student, cases):
    """Each case: the name, the out buffer with shape and strides, the inputs likewise, and the axis of a reduction."""
    import numpy as np

    functions = {
        "tensor_map": lambda x: 3 * x * x + 1,
        "tensor_zip": lambda x, y: x * x - 2 * y,
        "tensor_reduce": lambda x, y: x * y,
    }
    answer = []
    for name, tensors, axis in cases:
        loop = getattr(student, name)(functions[name])
        parts = [np.array(part) if n % 3 else part.copy() for tensor in tensors for n, part in enumerate(tensor)]
        loop(*parts, *axis)
        answer.append(parts[0])
        answer += [part for part in parts[3::3]]
    return answer


TensorParts = tuple[Numbers, list[int], list[int]]


def laid_out(rng: np.random.Generator, shape: Shape, how: str) -> TensorParts:
    """A tensor of random numbers. `strided` permutes the axes in storage."""
    order = list(range(len(shape))) if how == "contiguous" else [int(n) for n in rng.permutation(len(shape))]
    strides, step = [0] * len(shape), 1
    for axis in reversed(order):
        strides[axis], step = step, step * shape[axis]
    return drawn(rng, (step,)), list(shape), strides


def places(tensor: TensorParts) -> Numbers:
    _, shape, strides = tensor
    found = np.zeros((), dtype=np.int64)
    for size, stride in zip(shape, strides, strict=True):
        found = found[..., np.newaxis] + np.arange(size) * stride
    return found


def filled(case: tuple[str, list[TensorParts], list[int]]) -> Numbers:
    """The storage of out after the loop."""
    name, (out, *inputs), axis = case
    values = [tensor[0][places(tensor)] for tensor in inputs]
    storage, place = out[0].copy(), places(out)
    if name == "tensor_map":
        storage[place] = np.broadcast_to(3 * values[0] ** 2 + 1, place.shape)
    elif name == "tensor_zip":
        storage[place] = np.broadcast_to(values[0] ** 2 - 2 * values[1], place.shape)
    else:
        storage[place] = values[0].prod(axis=axis[0], keepdims=True)
    return storage


def loop_cases(
    rng: np.random.Generator, shapes: list[Shape], how: str
) -> Iterator[tuple[str, list[TensorParts], list[int]]]:
    for shape in shapes:
        yield "tensor_map", [laid_out(rng, shape, how) for _ in range(2)], []
        yield "tensor_zip", [laid_out(rng, shape, how) for _ in range(3)], []
        for axis in range(len(shape)):
            reduced = tuple(1 if n == axis else size for n, size in enumerate(shape))
            out, a = (laid_out(rng, s, how) for s in (reduced, shape))
            out[0][places(out)] = 1.0  # the start of a product
            yield "tensor_reduce", [out, a], [axis]


def expect_loops(student: Student, cases: list[tuple[str, list[TensorParts], list[int]]]) -> None:
    sent = [[name, [[array(s), shape, strides] for s, shape, strides in tensors], axis] for name, tensors, axis in cases]
    answer = student.run(loops, sent, returns=list[Any])
    expect(len(answer) == sum(len(tensors) for _, tensors, _ in cases), "The results could not be read.")
    rest = iter(answer)
    for case in cases:
        name, tensors, axis = case
        labels = ["out", "in"] if len(tensors) == 2 and name == "tensor_map" else ["out", "a", "b"]
        inputs: dict[str, Any] = {}
        for label, (storage, shape, strides) in zip(labels, tensors, strict=False):
            inputs |= {f"{label}_storage": storage, f"{label}_shape": shape, f"{label}_strides": strides}
        if axis:
            inputs["reduce_dim"] = axis[0]
        expect_close(next(rest), filled(case), f"the storage of out after {name}", inputs)
        for label, (storage, _, _) in zip(labels[1:], tensors[1:], strict=False):
            expect_close(next(rest), storage, f"{label}_storage after {name}", inputs)


@check("Map, zip and reduce on contiguous tensors", points=2)
def contiguous_loops(student: Student, rng: np.random.Generator) -> None:
    expect_loops(student, list(loop_cases(rng, [(3,), (2, 3)], "contiguous")))


# -- functions on tensors -----------------------------------------------------------------------------------------


def applied(program: TensorProgram, operation: str, rng: np.random.Generator, shape: Shape, other: Shape) -> Slot:
    a = program.input(drawn(rng, shape, operation == "log"), "a")
    if operation in UNARY:
        return a.call(operation)
    if operation in ("sum", "mean"):
        return a.call(operation, axis=int(rng.integers(len(shape))), keepdims=True)
    if operation == "permute":
        return a.call("permute", axes=tuple(int(n) for n in rng.permutation(len(shape))))
    if operation == "reshape":
        return a.call("reshape", shape=(math.prod(shape),) if len(shape) > 1 else (1, *shape))
    return program.apply(operation, a, program.input(drawn(rng, other), "b"))


OPERATIONS = ("+", "*", "-", "/", *UNARY, "sum", "mean", "permute", "reshape")


def backward(program: TensorProgram, slot: Slot, rng: np.random.Generator) -> TensorProgram:
    program.backward(program.name("y", slot), drawn(rng, slot.shape))
    return program


@check("One function at a time", points=2, seconds=2)
def one_function(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation in OPERATIONS:
        program = TensorProgram()
        shape = (2, 3)
        programs.append(backward(program, applied(program, operation, rng, shape, shape), rng))
    expect_tensor_programs(student, programs)


@check("Operands of two shapes", points=1)
def two_shapes(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for operation, other in (("*", (3,)), ("+", (2, 1)), ("-", (1, 3)), ("/", (1,))):
        program = TensorProgram()
        programs.append(backward(program, applied(program, operation, rng, (2, 3), other), rng))
    expect_tensor_programs(student, programs)


@probe
def smooth(student, x, g):
    """The sigmoid, and its derivative."""
    t = student.Tensor(x, requires_grad=True)
    y = t.sigmoid()
    y.backward(g)
    return [y.data, t.grad]


def expect_sigmoid(student: Student, x: Numbers, g: Numbers) -> None:
    answer = student.run(smooth, array(x), array(g), returns=list[Any])
    expect(len(answer) == 2, "The results could not be read.")
    s = 1 / (1 + np.exp(-x))
    expect_close(answer[0], s, "x.sigmoid()", {"x": x})
    expect_close(answer[1], g * s / (1 + np.exp(x)), "x.grad after x.sigmoid().backward(g)", {"x": x, "g": g})


@check("The sigmoid", points=1)
def sigmoid(student: Student, rng: np.random.Generator) -> None:
    expect_sigmoid(student, drawn(rng, (2, 2)), drawn(rng, (2, 2)))


# -- the hidden checks --------------------------------------------------------------------------------------------


@check("Indices and shapes of every kind", points=2, hidden=True)
def all_shapes(student: Student, rng: np.random.Generator) -> None:
    expect_positions(student, rng, [1, 2, 3, 4, 5])
    expect_indices(student, [*SHAPES, random_shape(rng, 4)])
    pairs: list[tuple[Shape, Shape]] = []
    for shape in (*SHAPES, *(random_shape(rng, 4) for _ in range(6))):
        others = [partner(rng, shape) for _ in range(2)]
        pairs += [(shape, other) for other in others]
    expect_broadcast_indices(student, rng, pairs)
    pairs += [(small, big) for big, small in pairs]
    pairs += [((2, 3), (3, 2)), ((2, 3), (2,)), ((4,), (3,)), ((2, 1, 3), (2, 3, 2)), ((2, 1), (3, 4)), ((3, 1), (2, 2, 2))]
    pairs += [((2, 3), (4, 3)), ((6,), (3,)), ((1, 3), (2, 1)), ((2, 1, 3), (4, 1)), ((1,), (2, 2))]
    expect_shapes(student, pairs)


@probe
def views(student, storage, cases):
    """Shapes and strides of permuted data, and numbers that are read and written through them."""
    import numpy as np

    answer = []
    for shape, order in cases:
        own = np.array(storage[: int(np.prod(shape))])
        data = student.TensorData(own, tuple(shape))
        turned = data.permute(*order)
        again = turned.permute(*order)
        last = tuple(n - 1 for n in turned.shape)
        read = [float(turned.get(last)), float(again.get(tuple(0 for _ in shape)))]
        turned.set(last, -1.5)
        numbers = [turned.shape, turned.strides, again.shape, again.strides, data.shape, data.strides]
        texts = [[int(n) for n in row] for row in numbers]
        sizes = [
            int(turned.size),
            int(turned.dims),
            [int(n) for n in turned.tuple()[1]],
            [int(n) for n in turned.tuple()[2]],
        ]
        answer.append([texts, sizes, read, own, bool(turned.is_contiguous()), bool(data.is_contiguous())])
    return answer


@check("Permuted data", points=2, hidden=True)
def permuted(student: Student, rng: np.random.Generator) -> None:
    storage = drawn(rng, (24,))
    cases = [([int(n) for n in rng.permutation([2, 3, 4])], order) for order in ([2, 0, 1], [1, 2, 0], [0, 2, 1])]
    cases += [([3, 2], [1, 0]), ([4], [0]), ([2, 2, 3, 2], [int(n) for n in rng.permutation(4)])]
    answer = student.run(views, array(storage), cases, returns=list[Any])
    expect(len(answer) == len(cases), "The results could not be read.")
    for (shape, order), row in zip(cases, answer, strict=True):
        valid = isinstance(row, list) and len(row) == 6
        expect(valid, "The results could not be read.")
        numbers = np.arange(math.prod(shape), dtype=np.int64).reshape(shape)
        turned, again = numbers.transpose(order), numbers.transpose(order).transpose(order)
        truth = [list(part) for n in (turned, again, numbers) for part in (n.shape, [s // 8 for s in n.strides])]
        inputs = {"shape": shape, "order": order}
        what = "shape and strides of d.permute(*order), of d.permute(*order).permute(*order), and of d"
        expect_equal(row[0], truth, what, inputs)
        right = [turned.size, turned.ndim, truth[0], truth[1]]
        expect_equal(row[1], right, "size, dims, and the arrays of shape and strides of d.permute(*order)", inputs)
        last = int(turned[tuple(n - 1 for n in turned.shape)])
        expect_equal(row[2], [float(storage[last]), float(storage[0])], "numbers that get() reads", inputs)
        changed = storage[: numbers.size].copy()
        changed[last] = -1.5
        expect_close(row[3], changed, "the storage of d after d.permute(*order).set(...)", inputs)
        ordered = truth[1] == sorted(truth[1], reverse=True)
        expect_equal(row[4:], [ordered, True], "is_contiguous() of d.permute(*order) and of d", inputs)


@check("Map, zip and reduce with any strides", points=2, hidden=True, seconds=2)
def strided_loops(student: Student, rng: np.random.Generator) -> None:
    cases = list(loop_cases(rng, [*SHAPES, random_shape(rng)], "strided"))
    for shape in ((2, 3), (3, 2, 2), (1, 3), random_shape(rng)):
        for how in ("contiguous", "strided"):
            cases.append(("tensor_map", [laid_out(rng, s, how) for s in (shape, partner(rng, shape))], []))
            one, two = partner(rng, shape), partner(rng, shape)
            full = tuple(np.broadcast_shapes(shape, one, two))
            cases.append(("tensor_zip", [laid_out(rng, s, how) for s in (full, one, two)], []))
            cases.append(("tensor_zip", [laid_out(rng, s, how) for s in (full, two, full)], []))
    expect_loops(student, cases)


@check("Broadcasting", points=2, hidden=True, seconds=2)
def broadcasting(student: Student, rng: np.random.Generator) -> None:
    programs = []
    pairs: list[tuple[Shape, Shape]] = [
        ((2, 3), (3,)),
        ((2, 1), (1, 3)),
        ((3,), (2, 3)),
        ((2, 1, 2), (3, 1)),
        ((1,), (2, 2)),
    ]
    for operation in ("+", "*", "-", "/"):
        for shape, other in (pairs[int(rng.integers(5))], (random_shape(rng), (1,)), pairs[int(rng.integers(5))]):
            program = TensorProgram()
            programs.append(backward(program, applied(program, operation, rng, shape, other), rng))
    expect_tensor_programs(student, programs, class_name="ReversedTensor")


@check("Sums and means over every axis", points=2, hidden=True, seconds=2)
def reductions(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for shape in ((3,), (2, 3), (2, 3, 2), (3, 1), (1, 2)):
        for axis in range(len(shape)):
            program = TensorProgram()
            a, b = program.input(drawn(rng, shape), "a"), program.input(drawn(rng, shape), "b")
            operation = "sum" if rng.random() < 0.6 else "mean"
            reduced = (a * b).call(operation, axis=axis, keepdims=True)
            programs.append(backward(program, reduced * a if rng.random() < 0.5 else reduced, rng))
    program = TensorProgram()
    a = program.input(drawn(rng, (2, 3)), "a")
    programs.append(
        backward(program, a.call("sum", axis=None, keepdims=True) * a.call("mean", axis=None, keepdims=True), rng)
    )
    expect_tensor_programs(student, programs)


@check("Permutations and views", points=2, hidden=True, seconds=2)
def permutations(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for axes in ((2, 0, 1), (1, 2, 0), (0, 2, 1), tuple(int(n) for n in rng.permutation(3))):
        program = TensorProgram()
        a, b = program.input(drawn(rng, (2, 3, 2)), "a"), program.input(drawn(rng, (2, 3, 2)), "b")
        turned = (a * b).call("permute", axes=axes)
        back = turned.call("permute", axes=axes)
        flat = (turned * turned).call("reshape", shape=(4, 3))
        other = program.input(drawn(rng, back.shape), "c")
        total = (back * other).sum(axis=0, keepdims=True).sum(axis=1, keepdims=True).sum(axis=2, keepdims=True)
        programs.append(backward(program, flat * total.call("reshape", shape=(1,)), rng))
    for axes in ((1, 0), (0, 1)):
        program = TensorProgram()
        a, b = program.input(drawn(rng, (2, 3)), "a"), program.input(drawn(rng, (3,)), "b")
        turned = (a + b).call("reshape", shape=(3, 2)).call("permute", axes=axes)
        programs.append(backward(program, turned * turned.call("exp"), rng))
    expect_tensor_programs(student, programs)
    expect_tensor_programs(student, programs[:2], class_name="ReversedTensor")


@check("Zeros and kinks", points=1, hidden=True, seconds=2)
def zeros_and_kinks(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for write in (
        lambda a, b: a * b,
        lambda a, b: (a + b) * a,
        lambda a, b: a / b,
        lambda a, b: a.call("relu") * b,
        lambda a, b: a.call("exp") - a,
        lambda a, b: (-a * b).call("relu"),
        lambda a, b: a.sum(axis=0, keepdims=True) * b,
    ):
        program = TensorProgram()
        values = np.where(rng.random(4) < 0.5, drawn(rng, (4,)), 0.0)
        values[:2] = [0.0, -0.0]
        a, b = program.input(values, "a"), program.input(drawn(rng, (4,)), "b")
        g = drawn(rng, (4,)) * [1, 1, 1, 0]
        program.backward(program.name("y", write(a, b)), g if write(a, b).shape == (4,) else drawn(rng, write(a, b).shape))
        programs.append(program)
    expect_tensor_programs(student, programs)
    expect_sigmoid(student, np.array([0.0, -0.0, *(6 * drawn(rng, (2,)))]), drawn(rng, (4,)))


@probe
def comparisons(student, x, y, g):
    """Comparisons of x and y, all() of them, and what reaches two leaves through comparisons."""
    a, b = student.Tensor(x, requires_grad=True), student.Tensor(y, requires_grad=True)
    p, q = a.mini, b.mini
    found = [p < q, p > q, p == q, p < 0.5, p > 0.5, p == 0.5, p.is_close(q)]
    answer = [student.array_of(mini) for mini in found]
    answer += [student.array_of(part) for mini in found for part in (mini.all(0), mini.all(1), mini.all())]
    total = p
    for n, mini in enumerate(found[:6]):
        total = total + mini * (n + 2) + mini
    student.Tensor.result(total).backward(g)
    grads = [student.Tensor.result(t).grad for t in (p, q)]
    return [*answer, *grads]


@check("Comparisons", points=2, hidden=True)
def compared(student: Student, rng: np.random.Generator) -> None:
    x, g = drawn(rng, (2, 3)), drawn(rng, (2, 3))
    y = x + rng.choice([0.0, 0.004, -0.004, 0.02, -0.02, 1.0], (2, 3))
    y[0, 0], y[1, 1], y[0, 1] = x[0, 0], x[1, 1] + 0.3, x[0, 1] - 0.005
    x[1, 0] = 0.5
    if rng.random() < 0.5:
        y[:, 2] = x[:, 2]
    answer = student.run(comparisons, array(x), array(y), array(g), returns=list[Any])
    truths = [x < y, x > y, x == y, x < 0.5, x > 0.5, x == 0.5, np.abs(x - y) < 0.01]
    names = ["a < b", "a > b", "a == b", "a < 0.5", "a > 0.5", "a == 0.5", "a.is_close(b)"]
    expect(len(answer) == 7 + 21 + 2, "The results could not be read.")
    inputs = {"a": x, "b": y}
    for given, truth, name in zip(answer, truths, names, strict=False):
        expect_close(given, truth.astype(np.float64), name, inputs)
    rest = iter(answer[7:])
    for truth, name in zip(truths, names, strict=True):
        expect_close(next(rest), truth.all(0, keepdims=True).astype(np.float64), f"({name}).all(0)", inputs)
        expect_close(next(rest), truth.all(1, keepdims=True).astype(np.float64), f"({name}).all(1)", inputs)
        expect_close(next(rest), np.array([float(truth.all())]), f"({name}).all()", inputs)
    what = "where y is a plus multiples of comparisons of a and b,"
    expect_close(next(rest), g, f"a.grad, {what}", {**inputs, "g": g})
    expect_close(next(rest), np.zeros((2, 3)), f"b.grad, {what}", {**inputs, "g": g})


@probe
def calls(student, x, y, g):
    """The upstream gradient and the arguments after backward, and what backward returned."""
    answer = []
    for name in ("Mul", "Sigmoid", "ReLU", "Log", "Exp", "Sum", "Permute"):
        function = getattr(student, name)
        a, b, up = student.mini_tensor(x), student.mini_tensor(y), student.mini_tensor(g)
        extra = {"Mul": [b], "Sum": [student.mini_tensor([1.0])], "Permute": [student.mini_tensor([1.0, 0.0])]}
        if name == "Sum":
            up = student.mini_tensor(g[:, :1])
        if name == "Permute":
            up = student.mini_tensor(g.T)
        before = student.array_of(up).copy()
        ctx = student.minitorch.Context()
        out = function.forward(ctx, a, *extra.get(name, []))
        result = student.array_of(out)
        found = function._backward(ctx, up)
        shaped = a.expand(found[0])
        answer += [student.array_of(up) - before, student.array_of(a), student.array_of(b), result, student.array_of(shaped)]
        again = function._backward(ctx, up)
        answer += [student.array_of(a.expand(again[0])), student.array_of(out)]
    return answer


@check("Gradients and arguments are left alone", points=1, hidden=True)
def arguments(student: Student, rng: np.random.Generator) -> None:
    x, y, g = drawn(rng, (2, 3), True), drawn(rng, (2, 3)), drawn(rng, (2, 3))
    answer = student.run(calls, array(x), array(y), array(g), returns=list[Any])
    s = 1 / (1 + np.exp(-x))
    truths = {
        "Mul": (x * y, g * y),
        "Sigmoid": (s, g * s * (1 - s)),
        "ReLU": (x, g),
        "Log": (np.log(x), g / x),
        "Exp": (np.exp(x), g * np.exp(x)),
        "Sum": (x.sum(1, keepdims=True), np.broadcast_to(g[:, :1], (2, 3)).copy()),
        "Permute": (x.T, g),
    }
    expect(len(answer) == 7 * len(truths), "The results could not be read.")
    rest, inputs = iter(answer), {"a": x, "b": y, "g": g}
    for name, (result, gradient) in truths.items():
        zero = np.zeros_like(g[:, :1] if name == "Sum" else g.T if name == "Permute" else g)
        expect_close(next(rest), zero, f"the change that {name}.backward makes to grad_output", inputs)
        expect_close(next(rest), x, f"the first argument after {name}", inputs)
        expect_close(next(rest), y, f"the second argument after {name}", inputs)
        expect_close(next(rest), result, f"{name}.forward", inputs)
        expect_close(next(rest), gradient, f"the first gradient of {name}.backward", inputs)
        expect_close(next(rest), gradient, f"the first gradient of a second call of {name}.backward", inputs)
        expect_close(next(rest), result, f"the result of {name}.forward after backward", inputs)


def larger_program(rng: np.random.Generator, steps: int) -> TensorProgram:
    program = TensorProgram()
    shape = random_shape(rng)
    slots = [program.input(drawn(rng, shape), "a"), program.input(drawn(rng, shape), "b")]
    names = list("cdefgh")
    while len(slots) < 2 + steps:
        slot = slots[-1] if rng.random() < 0.7 else slots[int(rng.integers(len(slots)))]
        operation, value = str(rng.choice(OPERATIONS)), slot.value
        if operation in ("+", "*", "-", "/"):
            fits = [s for s in slots if broadcasts(s.shape, slot.shape) and (np.abs(s.value) > 0.2).all()]
            new = rng.random() < 0.4 or not fits
            if new and not names:
                continue
            other = (
                program.input(drawn(rng, partner(rng, slot.shape)), names.pop(0))
                if new
                else fits[int(rng.integers(len(fits)))]
            )
            made = program.apply(operation, slot, other)
        elif operation in ("sum", "mean"):
            made = slot.call(operation, axis=int(rng.integers(value.ndim)), keepdims=True)
        elif operation == "permute":
            made = slot.call("permute", axes=tuple(int(n) for n in rng.permutation(value.ndim)))
        elif operation == "reshape":
            made = slot.call("reshape", shape=(value.size,) if value.ndim > 1 else (1, value.size))
        else:
            unfit = {"log": (value < 0.2).any(), "exp": (value > 2).any(), "relu": (np.abs(value) < 1e-3).any()}
            if unfit.get(operation):
                continue
            made = slot.call(operation)
        slots.append(made)
    return backward(program, slots[-1], rng)


def broadcasts(left: Shape, right: Shape) -> bool:
    try:
        return math.prod(np.broadcast_shapes(left, right)) <= 36
    except ValueError:
        return False


@check("Larger programs", points=2, hidden=True, seconds=2)
def larger(student: Student, rng: np.random.Generator) -> None:
    programs = []
    for write in (lambda a, b: a + -b, lambda a, b: -b + a, lambda a, b: (a + b) + -(a * b), lambda a, b: a * a + b * a - b):
        program = TensorProgram()
        a, b = program.input(drawn(rng, (2, 2)), "a"), program.input(drawn(rng, (2, 2)), "b")
        programs.append(backward(program, write(a, b), rng))
    for n in range(2):
        program = TensorProgram()
        a, b = program.input(drawn(rng, (3,)), "a", requires_grad=bool(n)), program.input(drawn(rng, (2, 3)), "b")
        y = 2 * a * b + 0.5 - a / b
        z = 3 / (y * y + 1)
        program.backward(program.name("y", y), drawn(rng, y.shape))
        programs.append(backward(program, z, rng))
    expect_tensor_programs(student, [*programs, *(larger_program(rng, 6) for _ in range(6))])
    expect_tensor_programs(student, [larger_program(rng, 5) for _ in range(6)], class_name="ReversedTensor")


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    from autograder.judge.checks.tensors import ComparedTensors, ask_programs

    for name in ("Tensor", "ReversedTensor"):
        ask_programs(student, [ComparedTensors(larger_program(rng, 4), name) for _ in range(3)])
    pairs: list[tuple[Shape, Shape]] = []
    for _ in range(6):
        shape = random_shape(rng, 4)
        pairs += [(shape, partner(rng, shape)), (partner(rng, shape), shape), (shape, random_shape(rng, 4))]
    student.run(broadcast_shapes, [[list(a), list(b)] for a, b in pairs])
    small = [(list(a), list(b)) for a, b in pairs[::3]]
    student.run(broadcast_indices, [([int(rng.integers(n)) for n in a], a, b) for a, b in small])
    axes = [int(rng.integers(1, 5)) for _ in range(3)]
    strides = [array(rng.integers(0, 30, size=n)) for n in axes]
    student.run(positions, [array(rng.integers(0, 4, size=n)) for n in axes], strides)
    cases = list(loop_cases(rng, [random_shape(rng)], "strided" if rng.random() < 0.5 else "contiguous"))
    student.run(loops, [[name, [[array(s), a, b] for s, a, b in tensors], axis] for name, tensors, axis in cases])
    shape = random_shape(rng)
    order = [int(n) for n in rng.permutation(len(shape))]
    student.run(views, array(drawn(rng, (27,))), [[list(shape), order]])
    x, y = (rng.choice([0.0, 0.5, 1.0, 0.505], (2, 3)) for _ in range(2))
    student.run(comparisons, array(x), array(y), array(drawn(rng, (2, 3))))
    student.run(calls, array(drawn(rng, (2, 3), True)), array(drawn(rng, (2, 3))), array(drawn(rng, (2, 3))))
    student.run(smooth, array(rng.choice([0.0, -0.0, 1.0, -3.0], (3,))), array(drawn(rng, (3,))))
