"""Orders are compared by their property; gradients with torch, or with what a change of one node does to the result."""

from typing import Any

import numpy as np

from autograder.judge.arrays import array
from autograder.judge.checks import VJP, Student, check, expect, expect_close, fail, probe, variety
from autograder.judge.checks.random_programs import drawn, random_program
from autograder.judge.checks.tensors import ComparedTensors, Slot, TensorProgram, ask_programs, expect_tensor_programs
from autograder.judge.checks.vjp import upstream

# for every node the numbers of its inputs: none for a leaf, and None instead of a list for a constant
Graph = list[list[int] | None]
OPERATIONS = ("+", "-", "*", "neg", "tanh", "sum", "expand")


# -- graphs and orders ----------------------------------------------------------------------------------------------------


def described(graph: Graph) -> str:
    """The graph in one line, shortened if it is large."""
    leaves = ", ".join(f"n{number}" for number, inputs in enumerate(graph) if not inputs)
    results = [f"n{n} = f({', '.join(f'n{i}' for i in inputs)})" for n, inputs in enumerate(graph) if inputs]
    shown = results if len(results) <= 12 else [*results[:6], "...", *results[-5:]]
    return "; ".join([f"leaves {leaves}", *shown])


def behind(graph: Graph, roots: list[int]) -> set[int]:
    """The numbers of these nodes and of all that they were computed from."""
    found, waiting = set(roots), list(roots)
    while waiting:
        fresh = set(graph[waiting.pop()] or ()) - found
        found |= fresh
        waiting += fresh
    return found


def expect_order(student: Student, graph: Graph, roots: list[int], equal: bool = False) -> None:
    what = f"find_topo_sort([{', '.join(f'n{root}' for root in roots)}])"
    shown = {"graph": described(graph)}
    order = student.call("order", graph, roots, equal)
    expect(isinstance(order, list) and all(type(n) is int for n in order), f"{what} should return a list.", what)
    wanted = behind(graph, roots)
    alien = [n for n in order if not 0 <= n < len(graph)]
    if alien:
        raise fail(f"{what} returns {len(alien)} entries that are not nodes of the graph.", what, shown)
    given = [f"n{n}" for n in order[:40]]
    repeated = next((n for n in order if order.count(n) > 1), None)
    if repeated is not None:
        raise fail(f"In the result of {what}, n{repeated} is listed more than once.", what, shown, given=given)
    missing = sorted(wanted - set(order))
    if missing:
        raise fail(f"In the result of {what}, n{missing[0]} is missing.", what, shown, given=given)
    other = sorted(set(order) - wanted)
    if other:
        raise fail(f"{what} lists n{other[0]}, from which nothing in node_list was computed.", what, shown, given=given)
    place = {number: position for position, number in enumerate(order)}
    for number in order:
        for used in graph[number] or ():
            if place[used] > place[number]:
                late = f"n{number} is at position {place[number]}, before its input n{used} at position {place[used]}"
                raise fail(f"In the result of {what}, {late}.", what, shown, given=given)


# -- gradients of graphs --------------------------------------------------------------------------------------------------


def value_of(graph: Graph, root: int, moved: int) -> float:
    """How much a node moves if the value of one node is moved by 1. Every operator of these graphs is linear."""
    values: list[float] = []
    for number, inputs in enumerate(graph):
        total = sum((0.5 + 0.25 * place) * values[used] for place, used in enumerate(inputs or ()))
        values.append(total + (number == moved))
    return values[root]


def expect_gradients(
    student: Student, rng: np.random.Generator, graph: Graph, roots: list[int], equal: bool = False
) -> None:
    """One pass from each of the roots, on one graph. The gradients of the last pass count."""
    given = [upstream(rng, (2,)) for _ in roots]
    passes = [[root, array(g)] for root, g in zip(roots, given, strict=True)]
    answer = student.call("gradients", graph, passes, equal)
    expect(isinstance(answer, list) and len(answer) == len(graph), "The gradients could not be read.")
    root, g = roots[-1], given[-1]
    before = f", after {len(roots) - 1} other pass{'es' * (len(roots) > 2)}" if len(roots) > 1 else ""
    for number in sorted(behind(graph, [root]), reverse=True):
        if graph[number] is not None:
            shown = {"graph": described(graph), "out_grad": g}
            truth = np.asarray(g * value_of(graph, root, number))
            expect_close(answer[number], truth, f"The gradient of n{number} in a pass from n{root}{before}", shown, VJP)


def number(rng: np.random.Generator, low: int, high: int) -> int:
    return int(rng.integers(low, high))


def random_graph(rng: np.random.Generator, size: int) -> Graph:
    """Leaves, a constant, and nodes with one to three inputs, which may be the same, among the latest nodes and all nodes."""
    graph: Graph = [[], [], None]
    while len(graph) < size:
        inputs = []
        for _ in range(number(rng, 1, 4)):
            first = max(0, len(graph) - 4) if rng.random() < 0.6 else 0
            inputs.append(number(rng, first, len(graph)))
        if all(graph[used] is None for used in inputs):  # its result would be a leaf of its own
            inputs.append(0)
        graph.append(inputs)
    return graph


def line(graph: Graph, start: int, length: int) -> int:
    """Adds a line of nodes to a graph, and returns the number of the last one."""
    for _ in range(length):
        graph.append([start])
        start = len(graph) - 1
    return start


def two_ways(rng: np.random.Generator, short: int, long: int, short_first: bool, leaf: bool) -> Graph:
    """Two lines of nodes from one node, which is a leaf or a result, to the last node."""
    graph: Graph = [[], []]
    start = 0
    if not leaf:
        graph.append([0, 1])
        start = 2
    ends = [line(graph, start, short), line(graph, start, long)]
    graph.append(ends if short_first else ends[::-1])
    line(graph, len(graph) - 1, number(rng, 0, 3))
    return graph


def all_two_ways(rng: np.random.Generator) -> list[Graph]:
    lengths = ((0, 1), (0, 2), (1, 2), (1, 4), (2, 3), (3, 6))
    return [two_ways(rng, *pair, first, leaf) for pair in lengths for first in (True, False) for leaf in (True, False)]


# n2 is used by n4 directly and through n3; the two graphs differ in the order of inputs
DIAMOND: Graph = [[], [], [0, 1], [2], [3, 2], [4, 1]]
MIRRORED: Graph = [[], [], [0, 1], [2], [2, 3], [1, 4]]
TWICE: Graph = [[], [0, 0], [1, 1], [2, 0, 2]]


@check("find_topo_sort: a line, a tree, and nodes that are used twice", points=2)
def small_orders(student: Student, rng: np.random.Generator) -> None:
    graphs: list[Graph] = [[[], [0], [1], [2]], [[], [], [0, 1], [], [], [3, 4], [2, 5]], DIAMOND, MIRRORED, TWICE]
    for graph in graphs:
        expect_order(student, graph, [len(graph) - 1])


# -- gradients of programs ------------------------------------------------------------------------------------------------


def inputs(program: TensorProgram, rng: np.random.Generator, names: str) -> list[Slot]:
    return [program.input(drawn(rng, (2,)), name) for name in names]


def finished(program: TensorProgram, rng: np.random.Generator, y: Slot) -> TensorProgram:
    program.backward(program.name("y", y), upstream(rng, y.shape))
    return program


def trees(rng: np.random.Generator) -> list[TensorProgram]:
    """Every tensor is used once."""
    programs = []
    for form in range(3):
        program = TensorProgram()
        a, b, c, d = inputs(program, rng, "abcd")
        y = (a * b + c.call("tanh") * d, (a + b) * (c - d), (a * b).call("tanh") * 1.5 - c * d)[form]
        programs.append(finished(program, rng, y))
    return programs


def shared(rng: np.random.Generator) -> list[TensorProgram]:
    """A leaf or a result that is used twice, by one operator or by two, at equal or different distances."""
    programs = []
    for form in range(6):
        program = TensorProgram()
        a, b = inputs(program, rng, "ab")
        p = program.name("p", a * b)
        y = (
            lambda a, b, p: p * p + b,
            lambda a, b, p: p * (p + b),
            lambda a, b, p: (p + b).call("tanh") * p,
            lambda a, b, p: p.call("tanh").call("tanh") * a + p,
            lambda a, b, p: (p + p) * (p - a),
            lambda a, b, p: p + (a + p) + b,
        )[form](a, b, p)
        programs.append(finished(program, rng, y))
    return programs


@check("Gradients where every tensor is used once", points=2)
def used_once(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, trees(rng), class_name="Node")


@check("Gradients where a tensor is used twice", points=2)
def used_twice(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, shared(rng), class_name="Node")


@check("find_topo_sort: ways of different lengths, and larger graphs", points=2, hidden=True)
def larger_orders(student: Student, rng: np.random.Generator) -> None:
    for graph in all_two_ways(rng):
        expect_order(student, graph, [len(graph) - 1])
    for size in (5, 8, 12, 20):
        for equal in (False, True):
            expect_order(student, random_graph(rng, size), [size - 1], equal)
    expect_order(student, [[]], [0])
    expect_order(student, [[], None, [0, 1]], [1])


@check("find_topo_sort of several nodes", points=1, hidden=True)
def several_roots(student: Student, rng: np.random.Generator) -> None:
    graph = DIAMOND
    for roots in ([2, 3], [3, 2], [5, 2], [2, 5], [0, 4, 1], [4, 4]):
        expect_order(student, graph, roots)
    apart: Graph = [[], [0], [], [2, 2], [3, 2]]
    for roots in ([1, 4], [4, 1], [0, 2, 4]):
        expect_order(student, apart, roots)
    for size in (8, 16):
        graph = random_graph(rng, size)
        roots = [int(root) for root in rng.permutation(size)[:3]]
        expect_order(student, graph, [*roots, size - 1])
        expect_order(student, graph, [size - 1, *roots])


@check("Gradients of all nodes, also of results and of the output", points=2, hidden=True)
def every_node(student: Student, rng: np.random.Generator) -> None:
    for graph in (*all_two_ways(rng), DIAMOND, MIRRORED, TWICE, [[]]):
        expect_gradients(student, rng, graph, [len(graph) - 1])
    for size in (5, 8, 12, 20):
        for equal in (False, True):
            expect_gradients(student, rng, random_graph(rng, size), [size - 1], equal)


@check("Several passes, one after another", points=1.5, hidden=True)
def passes(student: Student, rng: np.random.Generator) -> None:
    for roots in ([5, 5], [5, 4], [3, 5], [4, 4, 5], [5, 2, 4]):
        expect_gradients(student, rng, DIAMOND, roots)
    for size in (6, 12):
        graph = random_graph(rng, size)
        expect_gradients(student, rng, graph, [size - 1, int(rng.integers(3, size)), size - 1])


def sums(rng: np.random.Generator) -> TensorProgram:
    """Shapes that change on the way, and an output with one entry and no given gradient."""
    program = TensorProgram()
    a, b = program.input(drawn(rng, (2, 3)), "a"), program.input(drawn(rng, (2, 3)), "b")
    total = (a * b).call("sum")
    program.backward(program.name("y", (total.call("expand", shape=(2, 3)) * a).call("tanh").call("sum") + total * total))
    return program


@check("Larger programs", points=1.5, hidden=True)
def larger(student: Student, rng: np.random.Generator) -> None:
    programs = [random_program(rng, OPERATIONS[:5], broadcasting=False, steps=steps) for steps in (4, 6, 8, 10, 12, 14)]
    expect_tensor_programs(student, [*shared(rng), sums(rng), *programs], class_name="Node")


def weighted(rng: np.random.Generator, slots: list[Slot]) -> Slot:
    """One number that depends on all entries of the tensors, with weights that differ."""
    total = None
    for slot in slots:
        term = (slot * slot.program.input(drawn(rng, slot.shape), requires_grad=False)).call("sum")
        total = term if total is None else total + term
    assert total is not None
    return total


def second_derivatives(rng: np.random.Generator) -> list[TensorProgram]:
    """Gradients of a weighted sum of gradients; and a third derivative."""
    programs = []
    for form in range(3):
        program = TensorProgram()
        a, b, g = inputs(program, rng, "abg")
        p = a * b
        y = (p * p * a, p.call("tanh") * a + p * b * b, (p + a) * (p + b).call("tanh"))[form]
        found = program.grads(program.name("y", y), [a, b], g)
        program.backward(program.name("s", weighted(rng, found)))
        programs.append(program)
    program = TensorProgram()
    (x,) = inputs(program, rng, "x")
    scalar = program.name("y", (x * x * x * x).call("sum"))
    for _ in range(2):
        (found_x,) = program.grads(scalar, [x])
        scalar = found_x.call("sum")
    program.backward(scalar)
    return [program, *programs]


@check("Gradients of gradients", points=1.5, hidden=True)
def gradients_of_gradients(student: Student, rng: np.random.Generator) -> None:
    expect_tensor_programs(student, second_derivatives(rng), class_name="Node")


def doublings(count: int) -> Graph:
    return [[], *([place, place] for place in range(count))]


def ladder(rng: np.random.Generator, form: int) -> TensorProgram:
    program = TensorProgram()
    v = x = program.input(drawn(rng, (2,)), "x")
    c = program.input(rng.uniform(0.2, 0.6, size=2), "c")
    for _ in range(40):
        v = (v * c + v * 0.5, (v + v) * c, v + v * c)[form]
    return finished(program, rng, v + x)


@check("40 doublings: more than 10 ** 12 paths", points=1.5, hidden=True, seconds=1)
def many_paths(student: Student, rng: np.random.Generator) -> None:
    expect_order(student, doublings(40), [40])
    expect_gradients(student, rng, doublings(20), [20])
    expect_tensor_programs(student, [ladder(rng, form) for form in range(3)], class_name="Node")


@check("A path of 200 nodes", points=1, hidden=True, seconds=1)
def long_path(student: Student, rng: np.random.Generator) -> None:
    graph: Graph = [[], []]
    while len(graph) < 201:
        graph.append([len(graph) - 1, 0] if rng.random() < 0.5 else [1, len(graph) - 1])
    expect_order(student, graph, [200])
    program = TensorProgram()
    v = x = program.input(drawn(rng, (2,)), "x")
    while len(program.tensors) < 199:
        v = v * 0.95 if rng.random() < 0.5 else v + x
    expect_tensor_programs(student, [finished(program, rng, v * x)], class_name="Node")


@probe
def order_facts(student, graph, roots, equal):
    """What the rules say about an order: how long it is, what it contains, and how many inputs come too late."""
    given = student.order(graph, roots, equal)
    place = {number: position for position, number in enumerate(given)}
    late = sum(place.get(used, -1) > at for number, at in place.items() if number >= 0 for used in graph[number] or ())
    return [len(given), sorted(place), late]


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for graph in (random_graph(rng, number(rng, 3, 24)), all_two_ways(rng)[number(rng, 0, 24)], TWICE, DIAMOND, [[]]):
        equal, last = bool(rng.integers(2)), len(graph) - 1
        some = [int(root) for root in rng.integers(len(graph), size=number(rng, 1, 4))]
        for roots in ([last], some):
            student.run(order_facts, graph, roots, equal)
        roots = [root for root in (*some, last) if graph[root] is not None]
        passes = [[root, array(upstream(rng, (2,)))] for root in roots[number(rng, 0, len(roots)) :]]
        reached(student, graph, passes, equal)
    student.run(order_facts, doublings(number(rng, 10, 41)), [10], False)
    programs = [*trees(rng), *shared(rng), *second_derivatives(rng), sums(rng), ladder(rng, number(rng, 0, 3))]
    programs += [random_program(rng, OPERATIONS[:5], broadcasting=False)]
    ask_programs(student, [ComparedTensors(program, "Node") for program in programs])


@probe
def compared(student, graph, passes, equal, wanted):
    """The gradients that the rules promise."""
    answer = student.gradients(graph, passes, equal)
    return [answer[number] for number in wanted]


def reached(student: Student, graph: Graph, passes: list[Any], equal: bool) -> None:
    wanted = [n for n in sorted(behind(graph, [passes[-1][0]])) if graph[n] is not None]
    student.run(compared, graph, passes, equal, wanted)
