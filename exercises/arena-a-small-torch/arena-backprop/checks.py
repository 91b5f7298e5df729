"""Programs run on the student's tensors, and torch computes what they should give. What programs cannot ask is asked by probes
that return arrays, flags and positions; their truth is a complex step, a loop, or the definition of an order."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, array, check, expect, expect_close, expect_equal, fail, probe, variety
from autograder.judge.checks.random_programs import drawn, random_program
from autograder.judge.checks.student import StudentRaised
from autograder.judge.checks.tensor_cost import ENTRIES, SECONDS
from autograder.judge.checks.tensors import ComparedTensors, Shape, Slot, TensorProgram, ask_programs, expect_tensor_programs

OPERATIONS = ("+", "-", "*", "/", "neg", "exp", "log", "relu", "sum", "reshape", "permute")
ARITHMETIC = ("+", "-", "*", "/")
CLASS = "ProgramTensor"
STEP = 1e-30
PAIRS: list[tuple[Shape, Shape]] = [
    ((3, 4), (4,)),
    ((3, 1), (3, 4)),
    ((3, 4), (1, 4)),
    ((2, 1, 4), (3, 1)),
    ((3,), ()),
    ((1, 1), (2,)),
    ((2, 3), (2, 3)),
    ((), ()),
]
Programs = list[TensorProgram]


def finished(rng: np.random.Generator, program: TensorProgram, y: Slot) -> TensorProgram:
    """The program with a backward pass from y. Where there is room for more, one entry of the gradient is 0."""
    gradient = drawn(rng, y.shape)
    if gradient.size > 2:
        gradient.flat[int(rng.integers(gradient.size))] = rng.choice([0.0, -0.0])
    program.backward(program.name("y", y), gradient if y.shape or rng.random() < 0.5 else None)
    return program


def with_zero(rng: np.random.Generator, shape: Shape) -> Numbers:
    """Where there is room for more, one of the numbers is 0."""
    values = drawn(rng, shape)
    if values.size > 2:
        values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])
    return values


def expect_programs(student: Student, programs: Programs) -> None:
    expect_tensor_programs(student, programs, class_name=CLASS)


def applied(rng: np.random.Generator, operation: str, pairs: Sequence[tuple[Shape, Shape]]) -> Programs:
    programs = []
    for left, right in pairs:
        program = TensorProgram()
        divisor = drawn(rng, right) if operation == "/" else with_zero(rng, right)
        a, b = program.input(with_zero(rng, left), "a"), program.input(divisor, "b")
        programs.append(finished(rng, program, program.apply(operation, a, b)))
    return programs


def on_one(rng: np.random.Generator, method: str, shapes: Sequence[Shape], **options: Any) -> Programs:
    """A method of a tensor, on leaves of these shapes."""
    programs = []
    for shape in shapes:
        program = TensorProgram()
        values = drawn(rng, shape) if method in ("log", "relu") else with_zero(rng, shape)
        x = program.input(np.abs(values) if method == "log" else values, "x")
        programs.append(finished(rng, program, x.call(method, **options)))
    return programs


def diamonds(rng: np.random.Generator) -> Programs:
    """Values with a short and a long path to the output, in both orders, and values that are used several times."""
    programs = []
    for long_first in (True, False):
        program = TensorProgram()
        a, b = program.input(drawn(rng, (3,)), "a"), program.input(drawn(rng, (3,)), "b")
        s = program.name("s", a * b)
        long = program.name("t", s * 0.5 + b) * a
        programs.append(finished(rng, program, long * s if long_first else s * long))
    program = TensorProgram()
    a = program.input(drawn(rng, (2, 2)), "a")
    s = program.name("s", a + a)
    programs.append(finished(rng, program, s * s + s - a))
    program = TensorProgram()
    x = program.input(drawn(rng, (2,)), "x")
    for _ in range(5):
        x = x * 0.5 + x
    programs.append(finished(rng, program, x))
    program = TensorProgram()
    a, b = program.input(drawn(rng, (2,)), "a"), program.input(drawn(rng, (2,)), "b")
    first = program.name("p", a * b)
    second = program.name("q", first * a)
    third = program.name("r", second * first)
    programs.append(finished(rng, program, (third + first) * (second - b) + third))
    return programs


def shared_arrays(rng: np.random.Generator) -> Programs:
    """Gradients that a careless engine stores in one array: of both operands of a sum, and of views."""
    programs = []
    for swapped in (True, False):
        program = TensorProgram()
        a, b = program.input(drawn(rng, (2, 3)), "a"), program.input(drawn(rng, (2, 3)), "b")
        s = program.name("s", a + b)
        y = s + a * b if swapped else a * b + s
        for _ in range(2):
            program.backward(y, drawn(rng, (2, 3)))
        programs.append(program)
    program = TensorProgram()
    a = program.input(drawn(rng, (2, 3)), "a")
    r = program.name("r", a.call("reshape", shape=(3, 2)))
    y = r * r + r + a.call("reshape", shape=(3, 2))
    for _ in range(2):
        program.backward(y, drawn(rng, (3, 2)))
    programs.append(program)
    program = TensorProgram()
    a = program.input(drawn(rng, (2, 3)), "a")
    for _ in range(2):
        program.backward(program.name("y", a.sum(axis=0)), drawn(rng, (3,)))
    programs.append(program)
    return programs


def passes(rng: np.random.Generator) -> Programs:
    """Several backward passes, through the same graph and through another one, with and without clearing."""
    program = TensorProgram()
    a, b = program.input(drawn(rng, (3,)), "a"), program.input(drawn(rng, (3,)), "b")
    y = program.name("y", a * b + a)
    program.backward(y, drawn(rng, (3,)))
    program.backward(y, drawn(rng, (3,)))
    program.clear(a)
    program.backward(program.name("z", a * a), drawn(rng, (3,)))
    leaf = TensorProgram()
    x = leaf.input(drawn(rng, (2,)), "x")
    leaf.backward(x, drawn(rng, (2,)))
    leaf.backward(x, drawn(rng, (2,)))
    ones = []
    for shape in ((), (1,), (1, 1)):
        one = TensorProgram()
        one.backward(one.name("y", one.input(drawn(rng, shape), "a") * 3.0))
        ones.append(one)
    return [program, leaf, *ones]


def constants(rng: np.random.Generator) -> Programs:
    """Parts of a program that no gradient goes through."""
    programs = []
    for first in (True, False):
        program = TensorProgram()
        x, c = program.input(drawn(rng, (3,)), "x"), program.input(drawn(rng, (3,)), "c", requires_grad=False)
        fixed = program.name("k", c * c)
        y = x * fixed - c / x if first else fixed * x - (c - x) * c
        programs.append(finished(rng, program, y))
    return programs


def with_blocks(rng: np.random.Generator) -> Programs:
    """Results that are computed in a NoGrad block are constants."""
    program = TensorProgram()
    x = program.input(drawn(rng, (3,)), "x")
    program.no_grad()
    fixed = program.name("k", x * x)
    program.grad_enabled()
    return [finished(rng, program, x * fixed + fixed)]


def with_numbers(rng: np.random.Generator) -> Programs:
    programs = []
    for operation in ARITHMETIC:
        for number_first in (True, False):
            program = TensorProgram()
            x, number = program.input(drawn(rng, (2, 3)), "x"), round(float(rng.uniform(1.5, 3.0)), 2)
            y = program.apply(operation, number, x) if number_first else program.apply(operation, x, number)
            programs.append(finished(rng, program, y * x))
    return programs


def look_alikes(rng: np.random.Generator) -> TensorProgram:
    """Leaves and results with equal data."""
    program = TensorProgram()
    values = drawn(rng, (3,))
    a, b = program.input(values, "a"), program.input(values, "b")
    return finished(rng, program, (a + b) * (b + a) + a / b)


def networks(rng: np.random.Generator) -> Programs:
    """Layers of a network: products of matrices, a bias that is broadcast, relu."""
    programs = []
    for n, k, h, m in ((2, 3, 4, 2), (1, 2, 3, 1), (3, 3, 3, 3)):
        program = TensorProgram()
        x = program.input(drawn(rng, (n, k)), "x", requires_grad=False)
        w1, b1 = program.input(drawn(rng, (k, h)), "w1"), program.input(drawn(rng, (h,)), "b1")
        w2, b2 = program.input(drawn(rng, (m, h)), "w2"), program.input(drawn(rng, (m,)), "b2")
        hidden = program.name("h", (x @ w1 + b1).call("relu"))
        programs.append(finished(rng, program, hidden @ w2.call("permute", axes=(1, 0)) + b2))
    return programs


def rows(rng: np.random.Generator, size: int, count: int) -> Any:
    """Indices of both signs. The first one occurs again, once in its other form."""
    index = np.asarray(rng.integers(-size, size, size=count), dtype=np.int64)
    index[1], index[-1] = index[0], index[0] % size - (size if index[0] >= 0 else 0)
    return index


def indexed(rng: np.random.Generator) -> Programs:
    programs = []
    asked: list[tuple[Shape, list[Any]]] = [
        ((4,), [1]),
        ((3, 4), [-1]),
        ((3, 4), [2, -3]),
        ((3, 2), [rows(rng, 3, 5)]),
        ((3, 4), [rows(rng, 3, 5), rows(rng, 4, 5)]),
    ]
    for shape, index in asked:
        program = TensorProgram()
        x = program.input(with_zero(rng, shape), "x")
        programs.append(finished(rng, program, x.at(*index) * 2.0))
    return programs


def reductions(rng: np.random.Generator) -> Programs:
    programs = []
    for axis, keepdims in ((None, False), (0, False), (1, False), (-1, True), (0, True), (None, True)):
        programs += on_one(rng, "sum", [(3, 3), (2, 3)], axis=axis, keepdims=keepdims)
    programs += on_one(rng, "sum", [(2, 3, 2)], axis=(0, 2), keepdims=False)
    programs += on_one(rng, "reshape", [(2, 3), (6,)], shape=(3, 2))
    programs += on_one(rng, "permute", [(2, 3, 4), (2, 2, 2)], axes=(1, 2, 0))
    return programs


# -- recipes and flags ---------------------------------------------------------------------------------------------------------


@probe
def recipes(student, x, y, number):
    """What the results of five operations remember."""
    import numpy as np

    a, b = student.Tensor(x, requires_grad=True), student.Tensor(y)
    log, total = student.wrap_forward_fn(np.log), student.sum
    made = [log(a), a * b, number * a, b - a, total(a, dim=0, keepdim=True)]
    functions = [np.log, np.multiply, np.multiply, np.subtract, None]
    found = []
    for out, function in zip(made, functions):
        recipe = out.recipe
        parents = {str(key): "a" if tensor is a else "b" if tensor is b else "?" for key, tensor in recipe.parents.items()}
        found.append(
            {
                "array": out.array,
                "args": list(recipe.args),
                "kwargs": dict(recipe.kwargs),
                "parents": parents,
                "func": function is None or recipe.func is function,
                "flags": [out.requires_grad, out.is_leaf],
            }
        )
    plain = [b * b, student.eq(a, b), student.eq(a, number), -b]
    return {"recorded": found, "plain": [[t.requires_grad, t.recipe is None, t.is_leaf, t.array] for t in plain]}


class Recorded(msgspec.Struct):
    array: Any
    args: list[Any]
    kwargs: dict[str, Any]
    parents: dict[str, str]
    func: bool
    flags: list[bool]


class Recipes(msgspec.Struct):
    recorded: list[Recorded]
    plain: list[tuple[bool, bool, bool, Any]]


def expect_recipes(student: Student, rng: np.random.Generator) -> None:
    x, y, number = np.abs(drawn(rng, (2, 3))), drawn(rng, (3,)), float(rng.uniform(1.5, 3.0))
    y[0] = x[1, 0]
    answer = student.run(recipes, array(x), array(y), number, returns=Recipes)
    truths: list[tuple[str, Numbers, list[Any], dict[str, Any], dict[str, str]]] = [
        ("wrap_forward_fn(np.log)(a)", np.log(x), [x], {}, {"0": "a"}),
        ("a * b", x * y, [x, y], {}, {"0": "a", "1": "b"}),
        ("number * a", number * x, [number, x], {}, {"1": "a"}),
        ("b - a", y - x, [y, x], {}, {"0": "b", "1": "a"}),
        ("sum(a, dim=0, keepdim=True)", x.sum(axis=0, keepdims=True), [x], {"dim": 0, "keepdim": True}, {"0": "a"}),
    ]
    shown = {"a": x, "b": y, "number": number}
    expect(len(answer.recorded) == len(truths) and len(answer.plain) == 4, "The recipes could not be read.")
    for given, (what, value, args, kwargs, parents) in zip(answer.recorded, truths, strict=True):
        expect_close(given.array, value, f"({what}).array", shown)
        expect_equal(given.flags, [True, False], f"[requires_grad, is_leaf] of {what}", shown)
        expect(given.func, f"({what}).recipe.func should be the function that was wrapped.", "recipe.func", shown)
        expect(len(given.args) == len(args), f"({what}).recipe.args should have {len(args)} entries.", "recipe.args", shown)
        for position, (mine, right) in enumerate(zip(given.args, args, strict=True)):
            label = f"({what}).recipe.args[{position}]"
            if isinstance(right, float):
                expect_equal(mine, right, label, shown)
            else:
                expect_close(mine, right, label, shown)
        expect_equal(given.kwargs, kwargs, f"({what}).recipe.kwargs", shown)
        expect_equal(given.parents, parents, f"({what}).recipe.parents", shown)
    equal, same = (x == y).astype(np.float64), np.zeros((2, 3))
    for (requires_grad, no_recipe, is_leaf, value), what, truth in zip(
        answer.plain,
        ("b * b", "a == b", "a == number", "-b"),
        (y * y, equal, same, -y),
        strict=True,
    ):
        flags = [requires_grad, no_recipe, is_leaf]
        expect_equal(flags, [False, True, True], f"[requires_grad, recipe is None, is_leaf] of {what}", shown)
        expect_close(value, truth if "==" not in what else truth.astype(bool), f"({what}).array", shown)


@probe
def grads_of_constants(student, x, y, g):
    a, b = student.Tensor(x, requires_grad=True), student.Tensor(y)
    c = b * 2.0
    (a * b + c * b - a * c).backward(g)
    found = [b.grad is None, c.grad is None]
    b.backward(g)
    lone = student.Tensor(y)
    (a + lone).backward(g)
    return {"none": [*found, b.grad is None, lone.grad is None], "grad": a.grad.array}


class Constants(msgspec.Struct):
    none: list[bool]
    grad: Any


def expect_constants(student: Student, rng: np.random.Generator) -> None:
    x, y, g = (drawn(rng, (3,)) for _ in range(3))
    shown = {"a": x, "b": y, "g": g}
    answer = student.run(grads_of_constants, array(x), array(y), array(g), returns=Constants)
    expect_close(answer.grad, g * (y - 2 * y) + g, "a.grad", shown)
    expect_equal(answer.none, [True] * 4, "[.grad is None] of tensors that do not require grad", shown)


@probe
def blocks(student, x):
    """Whether results require grad in and after blocks, some of which are nested or end with an exception."""
    a = student.Tensor(x, requires_grad=True)
    found = []

    def note():
        out = a * 2.0
        found.append([out.requires_grad, out.recipe is None])

    note()
    with student.NoGrad():
        note()
        with student.NoGrad():
            note()
        note()
    note()
    try:
        with student.NoGrad():
            raise KeyError("x")
    except KeyError:
        found.append([True, False])
    note()
    block = student.NoGrad()
    for _ in range(2):
        with block:
            note()
        note()
    return found


def expect_blocks(student: Student, rng: np.random.Generator) -> None:
    on, off = [True, False], [False, True]
    found = student.run(blocks, array(drawn(rng, (2,))), returns=list[list[bool]])
    what = "[requires_grad, recipe is None] of a * 2 before, in and after NoGrad blocks"
    expect_equal(found, [on, off, off, off, on, on, on, off, on, off, on], what)


@probe
def attributes(student, x):
    a = student.Tensor(x, requires_grad=True)
    one = student.Tensor([x[0, 0].item()])
    two = a * 1.0
    return {
        "shapes": [list(a.shape), list(a[0].shape), a.ndim, a.sum().ndim],
        "item": [one.item(), a.sum().item()],
        "leaf": [a.is_leaf, one.is_leaf, two.is_leaf],
        "truth": [bool(one), bool(one * 0.0), bool(one == one.item())],
        "none": [a.grad is None, a.recipe is None, two.grad is None],
        "array": one.array,
        "lookup": [{a: 1, two: 2, one: 3}[two], len({a, two, one, a})],
        "maximum": a.maximum(0.0).array,
        "eq": [(a == a).array.all().item(), (a == two).array.all().item(), (a == 1e9).array.any().item()],
    }


class Attributes(msgspec.Struct):
    shapes: list[Any]
    item: list[float]
    leaf: list[bool]
    truth: list[bool]
    none: list[bool]
    array: Any
    lookup: list[int]
    maximum: Any
    eq: list[bool]


def expect_attributes(student: Student, rng: np.random.Generator) -> None:
    x = drawn(rng, (2, 3))
    found = student.run(attributes, array(x), returns=Attributes)
    shown = {"a": x}
    expect_equal(found.shapes, [[2, 3], [3], 2, 0], "shape and ndim", shown)
    expect_close(array(found.item), np.array([x[0, 0], x.sum()]), "item()", shown)
    expect_equal(found.leaf, [True, True, False], "is_leaf", shown)
    expect_equal(found.truth, [True, False, True], "bool of a tensor with one entry", shown)
    expect_equal(found.none, [True, True, True], "grad and recipe of new tensors", shown)
    expect_close(found.array, x[0, :1], "Tensor([x]).array", shown)
    expect_equal(found.lookup, [2, 3], "tensors as keys of a dictionary and in a set", shown)
    expect_close(found.maximum, np.maximum(x, 0.0), "a.maximum(0.0).array", shown)
    expect_equal(found.eq, [True, True, False], "==", shown)


# -- the table and new operations ----------------------------------------------------------------------------------------------


@probe
def looked_up(student, x):
    """The functions that a new table returns, called with numbers."""

    def first(*args):
        return 0.0

    def second(*args):
        return 0.0

    table, other = student.BackwardFuncLookup(), student.BackwardFuncLookup()
    table.add_back_func(first, 0, lambda v: v + 1)
    table.add_back_func(first, 1, lambda v: v + 2)
    table.add_back_func(second, 0, lambda v: v + 4)
    table.add_back_func(second, 3, lambda v: v + 8)
    return [table.get_back_func(f, n)(x) for f, n in ((first, 0), (first, 1), (second, 0), (second, 3))]


def expect_table(student: Student, rng: np.random.Generator) -> None:
    x = int(rng.integers(100, 1000))
    found = student.run(looked_up, x, returns=list[int])
    expect_equal(
        found, [x + 1, x + 2, x + 4, x + 8], "the results of the backward functions that the table returns", {"x": x}
    )


@probe
def blended(student, x, weight, z, power, g):
    """A new operation with a tensor, a number, a tensor and an option, added to the student's table and used twice."""

    def blend(x, weight, z, power=1.0):
        return weight * x**power + z * x

    def blend_back0(grad_out, out, x, weight, z, power=1.0):
        return grad_out * (power * (out - z * x) / x + z)

    def blend_back2(grad_out, out, x, weight, z, power=1.0):
        return grad_out * x

    student.BACK_FUNCS.add_back_func(blend, 0, blend_back0)
    student.BACK_FUNCS.add_back_func(blend, 2, blend_back2)
    blend_tensors = student.wrap_forward_fn(blend)
    a, c = student.Tensor(x, requires_grad=True), student.Tensor(z, requires_grad=True)
    first = blend_tensors(a, weight, c, power=power)
    y = first * a + blend_tensors(a, weight, c)
    student.backprop(y, student.Tensor(g))
    return [y.array, a.grad.array, c.grad.array]


def expect_new_operation(student: Student, rng: np.random.Generator) -> None:
    x, z, g = np.abs(drawn(rng, (3,))), drawn(rng, (3,)), drawn(rng, (3,))
    weight, power = float(rng.uniform(1.5, 3.0)), float(rng.integers(2, 5))

    def forward(x: Any, z: Any) -> Any:
        return (weight * x**power + z * x) * x + weight * x + z * x

    truths = [forward(x, z), *(g * (np.imag(forward(x + s, z + t)) / STEP) for s, t in ((1j * STEP, 0), (0, 1j * STEP)))]
    found = student.run(blended, array(x), weight, array(z), power, array(g), returns=list[Any])
    shown = {"x": x, "weight": weight, "z": z, "power": power, "g": g}
    expect(len(found) == 3, "The results could not be read.")
    for given, truth, what in zip(found, truths, ("y.array", "the gradient of x", "the gradient of z"), strict=True):
        expect_close(given, truth, f"A new operation with an option: {what}", shown)


# -- orders --------------------------------------------------------------------------------------------------------------------


@probe
def sorted_nodes(student, children, root):
    class Node:
        pass

    nodes = [Node() for _ in children]
    for node, numbers in zip(nodes, children):
        node.children = [nodes[n] for n in numbers]
    numbers = {id(node): n for n, node in enumerate(nodes)}
    return [numbers[id(node)] for node in student.topological_sort(nodes[root], lambda node: node.children)]


Graph = list[list[int]]
GRAPHS: list[Graph] = [
    [[1], [2], [3], []],
    [[1, 2], [3], [3], []],
    [[2, 1], [2], [3], []],
    [[1, 3], [2], [3], []],
    [[3, 1], [2], [3, 4], [4], []],
    [[1, 1], []],
    [[]],
    [[1, 2, 3], [4], [4, 1], [1, 4], [], [0]],
    [[1, 2], [3, 4], [4, 5], [6], [6], [4], []],
]
CYCLES: list[Graph] = [[[0]], [[1], [0]], [[1], [2], [3, 1], []], [[1, 2], [], [3], [4], [2]]]


def renumbered(rng: np.random.Generator, graph: Graph) -> tuple[Graph, int]:
    """The graph with other numbers, and the number of its root."""
    new = [int(n) for n in rng.permutation(len(graph))]
    found: Graph = [[] for _ in graph]
    for node, children in enumerate(graph):
        found[new[node]] = [new[child] for child in children]
    return found, new[0]


def reachable(graph: Graph, root: int) -> set[int]:
    found, waiting = {root}, [root]
    while waiting:
        for child in graph[waiting.pop()]:
            if child not in found:
                found.add(child)
                waiting.append(child)
    return found


def random_graph(rng: np.random.Generator) -> Graph:
    size = int(rng.integers(2, 9))
    return [
        [int(child) for child in rng.permutation(np.arange(node + 1, size)) if rng.random() < 0.5] for node in range(size)
    ]


def expect_sorted(student: Student, graph: Graph, root: int) -> None:
    order = student.run(sorted_nodes, graph, root, returns=list[int])
    shown = {"children": str(graph), "node": root}
    wanted = reachable(graph, root)
    expect(
        sorted(order) == sorted(wanted),
        f"topological_sort should list each of the {len(wanted)} reachable nodes once.",
        "the sorted nodes",
        shown,
        given=order,
    )
    place = {node: n for n, node in enumerate(order)}
    wrong = [(node, child) for node in order for child in graph[node] if place[child] > place[node]]
    if wrong:
        message = "topological_sort should list every node after its children, but node {} comes before its child {}."
        raise fail(message.format(*wrong[0]), "the sorted nodes", shown, given=order)


def expect_cycles(student: Student, rng: np.random.Generator) -> None:
    for cycle in CYCLES:
        graph, root = renumbered(rng, cycle)
        try:
            order = student.run(sorted_nodes, graph, root)
        except StudentRaised:
            continue
        shown = {"children": str(graph), "node": root}
        raise fail(
            "topological_sort should raise an exception, because the graph has a cycle.", "a cycle", shown, given=order
        )


@probe
def sorted_tensors(student, x, y):
    a, b = student.Tensor(x, requires_grad=True), student.Tensor(y, requires_grad=True)
    c = a * b
    d = c + a
    e = d.exp()
    f = e * c - b
    known = [a, b, c, d, e, f.recipe.parents[0], f]
    orders = [student.sorted_computational_graph(end) for end in (f, d, a)]
    return [[next((n for n, k in enumerate(known) if k is tensor), -1) for tensor in order] for order in orders]


CONSUMED: Graph = [[], [], [0, 1], [2, 0], [3], [4, 2], [5, 1]]  # the parents of the tensors of the probe
ENDS = (6, 3, 0)


def expect_sorted_tensors(student: Student, rng: np.random.Generator) -> None:
    found = student.run(sorted_tensors, array(drawn(rng, (2,))), array(drawn(rng, (2,))), returns=list[list[int]])
    names = "abcdetf"
    expect(len(found) == len(ENDS), "The orders could not be read.")
    for order, end in zip(found, ENDS, strict=True):
        shown = {"graph": "c = a * b, d = c + a, e = exp(d), t = e * c, f = t - b", "of": names[end]}
        letters = ", ".join(names[n] if 0 <= n < len(names) else "?" for n in order)
        message = f"sorted_computational_graph should list each tensor of the graph once, but lists {letters}."
        expect(sorted(order) == sorted(reachable(CONSUMED, end)), message, "the sorted tensors", shown)
        place = {node: n for n, node in enumerate(order)}
        late = [(node, parent) for node in order for parent in CONSUMED[node] if place[parent] < place[node]]
        if late:
            node, parent = late[0]
            message = (
                f"should list every tensor before its parents, but lists {letters}: {names[parent]} before {names[node]}."
            )
            raise fail(f"sorted_computational_graph {message}", "the sorted tensors", shown)


# -- maximum and cross entropy -------------------------------------------------------------------------------------------------


@probe
def larger(student, x, y, g):
    a, b = student.Tensor(x, requires_grad=True), student.Tensor(y, requires_grad=True)
    out = student.maximum(a, b)
    out.backward(g)
    c = student.Tensor(x, requires_grad=True)
    c.maximum(student.Tensor(y)).backward(g)
    return [out.array, a.grad.array, b.grad.array, c.grad.array]


def expect_maximum(student: Student, rng: np.random.Generator) -> None:
    x, y, g = (np.asarray(rng.choice([-1.5, 0.5, 1.25], size=shape)) for shape in ((2, 4), (4,), (2, 4)))
    y[0] = x[0, 0]
    g = g * rng.uniform(0.5, 1.5, size=g.shape)
    share = np.where(x > y, 1.0, np.where(x == y, 0.5, 0.0))
    found = student.run(larger, array(x), array(y), array(g), returns=list[Any])
    expect(len(found) == 4, "The results could not be read.")
    truths = (np.maximum(x, y), g * share, (g * (1 - share)).sum(axis=0), g * share)
    for given, truth, what in zip(found, truths, ("the maximum", "a.grad", "b.grad", "a.grad, b constant"), strict=True):
        expect_close(given, truth, f"maximum(a, b): {what}", {"a": x, "b": y, "g": g})


@probe
def losses(student, logits, labels, g):
    x = student.Tensor(logits, requires_grad=True)
    loss = student.cross_entropy(x, student.Tensor(labels))
    loss.backward(g)
    return [loss.array, x.grad.array]


def entropy(logits: Any, labels: Any) -> Any:
    return np.array([np.log(np.exp(row).sum()) - row[label] for row, label in zip(logits, labels, strict=True)])


def expect_losses(student: Student, rng: np.random.Generator) -> None:
    for n, classes in ((3, 4), (4, 3), (1, 2), (3, 3), (2, 1)):
        logits, g = drawn(rng, (n, classes)), drawn(rng, (n,))
        labels = rng.integers(classes, size=n)
        gradient = np.zeros(logits.shape)
        for entry in np.ndindex(*logits.shape):
            moved = logits.astype(np.complex128)
            moved[entry] += 1j * STEP
            gradient[entry] = np.sum(g * np.imag(entropy(moved, labels)) / STEP)
        found = student.run(losses, array(logits), array(labels), array(g), returns=list[Any])
        expect(len(found) == 2, "The results could not be read.")
        shown = {"logits": logits, "true_labels": labels, "g": g}
        expect_close(found[0], entropy(logits, labels), "the cross entropy", shown)
        expect_close(found[1], gradient, "cross_entropy: the gradient of the logits", shown)


# -- the checks ----------------------------------------------------------------------------------------------------------------


@check("wrap_forward_fn: results, flags and recipes", points=1.5)
def what_is_recorded(student: Student, rng: np.random.Generator) -> None:
    expect_recipes(student, rng)


@check("topological_sort: children first", points=1)
def small_graphs(student: Student, rng: np.random.Generator) -> None:
    for graph in GRAPHS[:5]:
        expect_sorted(student, *renumbered(rng, graph))


@check("Products and sums, with values that are used twice", points=1.5)
def first_programs(student: Student, rng: np.random.Generator) -> None:
    expect_programs(student, [*applied(rng, "*", PAIRS[:2]), *applied(rng, "+", PAIRS[:2]), *diamonds(rng)[:3]])


@check("A layer of a network", points=1)
def a_layer(student: Student, rng: np.random.Generator) -> None:
    expect_programs(student, networks(rng)[:1])


@check("add, subtract, multiply and divide with every pair of shapes, and with numbers", points=1, hidden=True)
def arithmetic(student: Student, rng: np.random.Generator) -> None:
    programs = [program for operation in ARITHMETIC for program in applied(rng, operation, PAIRS)]
    expect_programs(student, [*programs, *with_numbers(rng)])


@check("Functions of one tensor, sums, views and indices", points=1, hidden=True)
def one_tensor(student: Student, rng: np.random.Generator) -> None:
    programs = [program for name in ("exp", "log", "relu") for program in on_one(rng, name, [(), (3,), (2, 1, 2)])]
    program = TensorProgram()
    programs.append(finished(rng, program, -program.input(drawn(rng, (3,)), "x")))
    expect_programs(student, [*programs, *reductions(rng), *indexed(rng)])


@check("Short and long paths, constants, equal data", points=1, hidden=True)
def paths(student: Student, rng: np.random.Generator) -> None:
    expect_programs(student, [*diamonds(rng), *constants(rng), look_alikes(rng)])
    expect_constants(student, rng)


@check("Several backward passes", points=0.5, hidden=True)
def several_passes(student: Student, rng: np.random.Generator) -> None:
    expect_programs(student, passes(rng))


@check("Gradients that do not share memory", points=0.5, hidden=True)
def memory(student: Student, rng: np.random.Generator) -> None:
    expect_programs(student, shared_arrays(rng))


@check("topological_sort: larger graphs and cycles", points=1, hidden=True)
def larger_graphs(student: Student, rng: np.random.Generator) -> None:
    for graph in [*GRAPHS, *(random_graph(rng) for _ in range(8))]:
        expect_sorted(student, *renumbered(rng, graph))
    expect_cycles(student, rng)


@check("sorted_computational_graph: consumers first", points=0.5, hidden=True)
def order_of_tensors(student: Student, rng: np.random.Generator) -> None:
    expect_sorted_tensors(student, rng)


@check("The table, and a new operation", points=1, hidden=True)
def new_operation(student: Student, rng: np.random.Generator) -> None:
    expect_table(student, rng)
    for _ in range(2):
        expect_new_operation(student, rng)


@check("Recipes and the attributes of tensors", points=0.5, hidden=True)
def recipes_and_attributes(student: Student, rng: np.random.Generator) -> None:
    expect_recipes(student, rng)
    expect_attributes(student, rng)


@check("NoGrad", points=1, hidden=True)
def no_grad(student: Student, rng: np.random.Generator) -> None:
    expect_programs(student, with_blocks(rng))
    expect_blocks(student, rng)


@check("matmul, maximum and relu", points=0.5, hidden=True)
def layers(student: Student, rng: np.random.Generator) -> None:
    expect_programs(student, [*networks(rng), *applied(rng, "@", [((2, 3), (3, 4)), ((1, 2), (2, 1)), ((3, 3), (3, 3))])])
    for _ in range(3):
        expect_maximum(student, rng)


@check("cross_entropy", points=1, hidden=True)
def loss(student: Student, rng: np.random.Generator) -> None:
    expect_losses(student, rng)


@check("Larger programs", points=0.5, hidden=True)
def larger_programs(student: Student, rng: np.random.Generator) -> None:
    expect_programs(student, [random_program(rng, OPERATIONS, steps=8) for _ in range(20)])


@check("Thousands of entries, at the cost of one backward pass", points=1, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    rows = ENTRIES // 2
    program = TensorProgram()
    x, column = program.input(drawn(rng, (rows, 2)), "x"), program.input(drawn(rng, (rows, 1)), "column")
    expect_programs(student, [finished(rng, program, (x - column) / column + x * column - x)])


WRITERS: list[Callable[[np.random.Generator], Programs]] = [
    diamonds,
    passes,
    constants,
    with_blocks,
    shared_arrays,
    networks,
    indexed,
    with_numbers,
    reductions,
]


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    programs = [program for write in WRITERS for program in write(rng)]
    programs += [program for operation in ARITHMETIC for program in applied(rng, operation, PAIRS)]
    programs += [random_program(rng, OPERATIONS, steps=int(rng.integers(1, 9))) for _ in range(3)]
    ask_programs(student, [ComparedTensors(program, CLASS) for program in programs])
    graph, root = renumbered(rng, random_graph(rng))
    expect_sorted(student, graph, root)
    x, y, g = (drawn(rng, (3,)) for _ in range(3))
    student.run(recipes, array(np.abs(drawn(rng, (2, 3)))), array(y), 2.5)
    student.run(grads_of_constants, array(x), array(y), array(g))
    student.run(blocks, array(x))
    student.run(attributes, array(drawn(rng, (2, 3))))
    student.run(looked_up, 7)
    student.run(blended, array(np.abs(x)), 1.5, array(y), 2.0, array(g))
    student.run(sorted_tensors, array(x), array(y))
    student.run(larger, array(drawn(rng, (2, 3))), array(x), array(drawn(rng, (2, 3))))
    student.run(losses, array(drawn(rng, (3, 3))), array(rng.integers(3, size=3)), array(g))
