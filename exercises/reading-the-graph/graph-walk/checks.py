"""The same tensor is built here and beside the student's code; the two graphs are walked from their roots at once.

Numbering and order of edges are the student's business, so nothing is compared as a list. A graph has one root and its
slots are ordered: there is at most one way to match two of them.
"""

from typing import Any

import numpy as np

from autograder.judge.checks import Student, check, describe, fail, probe, variety
from autograder.judge.checks.graphs import Graph, Node, show_graph

SLOTS = 8  # gaps between slots of a node that are drawn


@probe
def walk(student, name, size, values):
    """Build the tensor of this name and hand it to the student's function."""
    import torch

    a = torch.tensor(values[0], dtype=torch.float64, requires_grad=True)
    b = torch.tensor(values[1], dtype=torch.float64, requires_grad=True)

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * 2, y * 2

        @staticmethod
        def backward(ctx, g, h):
            return g * 2, h * 2

    def doubled(x):
        for _ in range(size):
            x = x + x
        return x

    def chain(x):
        for _ in range(size):
            x = x * 1.0001
        return x

    def two_layers():
        model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1)).double()
        return model(torch.stack([a, b])).mean()

    def unbound():
        first, second, third = torch.stack([a, b, a * b]).unbind(0)
        return third * first + second

    def shared_product():
        product = a * b
        return (product * product + product).sum()

    def separate_products():
        return ((a * b) * (a * b) + a * b).sum()

    def function_outputs():
        one, two = Twice.apply(a, b)
        return two * one + two

    build = {
        "leaf": lambda: a,
        "no-grad": lambda: (a * b).detach(),
        "sum": lambda: (a + b).sum(),
        "square": lambda: a * a,
        "constant": lambda: (a * 2 + 1).exp(),
        "detached": lambda: a.detach() * b + a,
        "power": lambda: a**2 + (1 - b),
        "unbind": unbound,
        "max": lambda: (torch.stack([a, b]).max(dim=1).values * 2).sum(),
        "function": function_outputs,
        "layers": two_layers,
        "shared": shared_product,
        "separate": separate_products,
        "crossed": lambda: ((a * b) - (b * a)) * ((a * b) - (a * b)),
        "concatenated": lambda: torch.cat([a, b, a]).sum(),
        "doublings": lambda: doubled(a),
        "chain": lambda: chain(a),
    }
    out = build[name]()
    if student is None:
        return out
    kept = [out, a, b]

    def facts():
        return [(repr(t.tolist()), t.requires_grad, not t.is_leaf or t.grad is None) for t in kept]

    before = facts()
    answer = student.graph(out)
    same = facts() == before
    try:  # a backward pass would have freed what the graph has saved
        torch.autograd.grad(out.sum(), [a, b], retain_graph=True, allow_unused=True)
    except RuntimeError:
        same = same and out.grad_fn is None
    return answer if same else "changed"


def truth(name: str, size: int, values: list[list[float]]) -> dict[str, Any]:
    """The graph of the judge's own tensor, in the contract's form."""
    from sandbox.guest.operations.graphs import write_down

    scope: dict[str, Any] = {}
    exec(walk.source, scope)
    graph = write_down(scope["walk"](None, name, size, values), {})
    edges = [(n, slot, t, out) for n, node in enumerate(graph["nodes"]) for slot, (t, out) in enumerate(node[2])]
    return {"root": graph["root"], "nodes": [node[0] for node in graph["nodes"]], "edges": edges}


def slots_by_node(graph: Any, name: str) -> list[dict[int, tuple[int | None, int]]]:
    """The student's edges, sorted under their nodes; says what is wrong with a malformed answer."""
    if not isinstance(graph, dict) or sorted(graph) != ["edges", "nodes", "root"]:
        raise fail(
            f"graph({name}) should return a dict with the keys root, nodes and edges, but returned {describe(graph)}."
        )
    nodes, edges, root = graph["nodes"], graph["edges"], graph["root"]
    if not isinstance(nodes, list) or not all(isinstance(node, str) for node in nodes):
        raise fail(f"graph({name}): nodes should be a list of type names.", given=nodes)
    if not (root is None and not nodes) and not (type(root) is int and 0 <= root < len(nodes)):
        raise fail(f"graph({name}): root should be the number of a node, or None if there is no graph.", given=root)
    table: list[dict[int, tuple[int | None, int]]] = [{} for _ in nodes]
    if not isinstance(edges, list | tuple):
        raise fail(f"graph({name}): edges should be a list.", given=edges)
    for edge in edges:
        if not isinstance(edge, tuple | list) or len(edge) != 4:
            raise fail(f"graph({name}): an edge should be a tuple (source, slot, target, output_number).", given=edge)
        source, slot, target, output = edge
        known = type(source) is int and 0 <= source < len(nodes)
        if not known or not (target is None or (type(target) is int and 0 <= target < len(nodes))):
            raise fail(f"graph({name}): an edge refers to a node that does not exist.", given=edge)
        if type(slot) is not int or type(output) is not int:
            raise fail(f"graph({name}): the slot and the output number of an edge should be ints.", given=edge)
        if slot in table[source]:
            raise fail(f"graph({name}): a slot of a node has two edges.", given=edge)
        table[source][slot] = (target, output)
    return table


def drawn(graph: Any, table: list[dict[int, tuple[int | None, int]]]) -> Graph:
    """A graph in the contract's form as one that can be drawn. Slots that are not listed are empty."""
    nodes = []
    for name, slots in zip(graph["nodes"], table, strict=True):
        count = min(max(slots, default=-1) + 1, len(slots) + SLOTS)
        nodes.append(Node(name[:80], None, tuple(slots.get(slot, (None, 0)) for slot in range(count))))
    return Graph(graph["root"], tuple(nodes))


def expect_same(given: Any, expected: dict[str, Any], name: str) -> None:
    mine, theirs = slots_by_node(expected, name), slots_by_node(given, name)
    show_graph(drawn(given, theirs), drawn(expected, mine), f"graph({name})", drop_views=False)
    count, wanted = len(given["nodes"]), len(expected["nodes"])
    if (given["root"] is None) != (expected["root"] is None):
        raise fail(f"graph({name}): root should be {expected['root']}, but is {given['root']}.")
    if expected["root"] is None:
        return
    if count != wanted:
        raise fail(
            f"graph({name}): the graph has {wanted} nodes, but your result has {count}.", expected=wanted, given=count
        )
    there, back, waiting = {}, {}, [(expected["root"], given["root"])]
    while waiting:
        node, other = waiting.pop()
        if node in there or other in back:
            if there.get(node) != other or back.get(other) != node:
                raise fail(f"graph({name}): the shared nodes in your result differ from those in the graph.")
            continue
        there[node], back[other] = other, node
        label = expected["nodes"][node]
        if given["nodes"][other] != label:
            raise fail(f"graph({name}): a node should be {label}, but is {given['nodes'][other][:80]}.")
        if sorted(mine[node]) != sorted(theirs[other]):
            slots = len(mine[node])
            raise fail(f"graph({name}): {label} has {slots} slots, but {len(theirs[other])} in your result.")
        for slot, (target, output) in mine[node].items():
            target_given, output_given = theirs[other][slot]
            if (target is None) != (target_given is None):
                raise fail(f"graph({name}): slot {slot} of {label} should be {'empty' if target is None else 'an edge'}.")
            if output != output_given:
                message = (
                    f"graph({name}): slot {slot} of {label} should have output number {output}, but has {output_given}."
                )
                raise fail(message, expected=output, given=output_given)
            if target is not None and target_given is not None:
                waiting.append((target, target_given))


def look_at(student: Student, rng: np.random.Generator, *names: str, size: int = 0) -> None:
    for name in names:
        values = [[float(x) for x in rng.uniform(0.5, 2.0, size=3)] for _ in range(2)]
        given = student.run(walk, name, size, values)
        if given == "changed":
            raise fail(f"graph({name}) changed a tensor or its .grad, or freed tensors that the graph has saved.", name)
        expect_same(given, truth(name, size, values), name)


@check("A sum and a product", points=2)
def simple(student: Student, rng: np.random.Generator) -> None:
    look_at(student, rng, "sum", "square")


@check("Constants and detached operands leave an empty slot", points=2)
def empty_slots(student: Student, rng: np.random.Generator) -> None:
    look_at(student, rng, "constant", "detached", "power")


@check("No graph: a leaf, and a tensor that does not require grad", points=1)
def no_graph(student: Student, rng: np.random.Generator) -> None:
    look_at(student, rng, "leaf", "no-grad")


@check("A shared result is one node", points=3, hidden=True)
def sharing(student: Student, rng: np.random.Generator) -> None:
    look_at(student, rng, "shared", "separate", "crossed", "concatenated")


@check("The output number of each edge", points=2, hidden=True)
def outputs(student: Student, rng: np.random.Generator) -> None:
    look_at(student, rng, "unbind", "max", "function")


@check("A network with two layers", points=1, hidden=True)
def network(student: Student, rng: np.random.Generator) -> None:
    look_at(student, rng, "layers")


@check("A chain of 5000 nodes", points=2, hidden=True, seconds=2)
def deep(student: Student, rng: np.random.Generator) -> None:
    look_at(student, rng, "chain", size=5000)


@check("30 doublings: a billion paths, but 31 nodes", points=2, hidden=True, seconds=2)
def many_paths(student: Student, rng: np.random.Generator) -> None:
    look_at(student, rng, "doublings", size=30)


@probe
def numbered_from_the_root(student, program):
    """Run a random program, hand a tensor to the student; the answer with nodes numbered along the slots, edges sorted."""
    import torch

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * 2, y * 2

        @staticmethod
        def backward(ctx, g, h):
            return g * 2, h * 2

    slots = []
    for name, *operands in program:
        if name == "leaf":
            slots.append(torch.tensor(operands[0], dtype=torch.float64, requires_grad=True))
        elif name == "constant":
            slots.append(torch.tensor(operands[0], dtype=torch.float64))
        elif name == "scaled":
            slots.append(slots[operands[0]] * operands[1])
        elif name == "power":
            slots.append(slots[operands[0]] ** operands[1])
        elif name == "detach":
            slots.append(slots[operands[0]].detach())
        elif name == "unbind":
            slots.extend(torch.stack([slots[n] for n in operands]).unbind(0))
        elif name == "function":
            slots.extend(Twice.apply(slots[operands[0]], slots[operands[1]]))
        else:
            slots.append(getattr(torch, name)(*(slots[n] for n in operands)))
    given = student.graph(slots[-1])
    nodes, edges, root = given["nodes"], given["edges"], given["root"]
    below = {}
    for source, slot, target, output in edges:
        below.setdefault(source, []).append((slot, output, target))
    known = [] if root is None else [root]
    place = {root: 0}
    for node in known:  # grows while we walk
        for _, _, target in sorted(below.get(node, []), key=lambda edge: edge[:2]):
            if target is not None and target not in place:
                place[target] = len(known)
                known.append(target)
    slots = sorted([place.get(s, -1), n, -1 if t is None else place.get(t, -2), o] for s, n, t, o in edges)
    kinds = [type(given).__name__, type(nodes).__name__, sorted(given), root is None, len(nodes)]
    return [kinds, [nodes[node] for node in known], slots]


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    """Random graphs: shared and separate values, constants, functions with several outputs; now and then a long chain."""
    for _ in range(4):
        program: list[list[Any]] = [["leaf", 0.5], ["leaf", float(rng.uniform(0.5, 1.5))], ["constant", 2.0]][
            : int(rng.integers(1, 4))
        ]
        count = len(program)
        for _ in range(int(rng.integers(0, 12))):
            one, other = (int(n) for n in rng.integers(max(0, count - 5), count, size=2))
            step: list[Any] = [
                ["add", one, other],
                ["mul", one, other],
                ["mul", one, one],
                ["sub", other, one],
                ["exp", one],
                ["scaled", one, 2.0],
                ["power", one, 2],
                ["detach", one],
                ["unbind", one, other, one],
                ["function", one, other],
            ][int(rng.integers(10))]
            program.append(step)
            count += {"unbind": 3, "function": 2}.get(step[0], 1)
        student.run(numbered_from_the_root, program)
    if rng.random() < 0.1:
        chain = [["scaled", n, 1.0] for n in range(int(rng.integers(1000, 1500)))]
        student.run(numbered_from_the_root, [["leaf", 1.0], *chain])
