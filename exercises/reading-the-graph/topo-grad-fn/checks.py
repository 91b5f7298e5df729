"""Not the list is compared but the property: complete, no repeats, every edge of the judge's own graph goes forward in it.

A graph is described by a short program that is run here and beside the student's code. Both sides number the functions in
the same way, so the student's list comes back as numbers of nodes that the judge knows.
"""

from typing import Any

import msgspec
import numpy as np

from autograder.judge.checks import Student, check, expect, fail, probe, variety
from autograder.judge.checks.graphs import Graph, of_tensor
from autograder.judge.checks.pictures import Reference, show_order
from autograder.judge.diagnosis import Asked, graph_of

Program = list[list[Any]]


class Ordered(msgspec.Struct):
    """What the probe says: what type the answer has, its functions as numbers of nodes (-1: not of this graph), and whether
    the tensors and the graph are as they were."""

    kind: str
    order: list[int]
    kept: bool


@probe
def ordered(student, program):
    """Run the program, hand its last tensor to the student's function, answer with the numbers of the listed nodes."""
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
        elif name == "chain":
            t = slots[operands[0]]
            for _ in range(operands[1]):
                t = t * 1.0001
            slots.append(t)
        elif name == "doubled":
            t = slots[operands[0]]
            for _ in range(operands[1]):
                t = t + t
            slots.append(t)
        elif name == "unbind":
            slots.extend(torch.stack([slots[n] for n in operands]).unbind(0))
        elif name == "max":
            slots.append(torch.stack([slots[n] for n in operands]).max(dim=0).values)
        elif name == "function":
            slots.extend(Twice.apply(slots[operands[0]], slots[operands[1]]))
        else:
            slots.append(getattr(torch, name)(*(slots[n] for n in operands)))
    out = slots[-1]
    if student is None:
        return out

    def facts():
        return [(repr(t.tolist()), t.requires_grad, not t.is_leaf or t.grad is None) for t in slots]

    before = facts()
    given = student.topo(out)
    kept = facts() == before
    try:  # a backward pass would have freed what the graph has saved
        torch.autograd.grad(out, [t for t in slots if t.is_leaf and t.requires_grad], retain_graph=True, allow_unused=True)
    except RuntimeError:
        kept = kept and out.grad_fn is None
    if not isinstance(given, list):
        return {"kind": type(given).__name__, "order": [], "kept": kept}
    known = [] if out.grad_fn is None else [out.grad_fn]
    numbers = {id(fn): n for n, fn in enumerate(known)}
    for fn in known:  # grows while we walk
        for target, _ in fn.next_functions:
            if target is not None and id(target) not in numbers:
                numbers[id(target)] = len(known)
                known.append(target)
    return {"kind": "list", "kept": kept, "order": [numbers.get(id(fn), -1) for fn in given[: 2 * len(known) + 2]]}


def result_of(program: Program) -> Any:
    """The judge's own tensor."""
    scope: dict[str, Any] = {}
    exec(ordered.source, scope)
    return scope["ordered"](None, program)


def behind(program: Program) -> Graph:
    return of_tensor(result_of(program))


graph_of("ordered", lambda program: Asked(behind(program)), answer=("order",))


def expect_order(student: Student, program: Program, what: str) -> None:
    picture = show_order(f"topo({what})", lambda: Reference([result_of(program)], {}))
    graph = behind(program)
    answer = student.run(ordered, program, returns=Ordered)
    order = answer.order
    expect(answer.kept, f"topo({what}) changed a tensor or its .grad, or freed tensors that the graph has saved.", what)
    expect(answer.kind == "list", f"topo({what}) should return a list, but returned a {answer.kind[:60]}.", what)
    picture.answered(order)
    strangers = sum(not 0 <= n < len(graph.nodes) for n in order)
    if strangers:
        raise fail(f"topo({what}): {strangers} entries of the list are not functions of this graph.", what)
    if len(set(order)) < len(order):
        twice = next(n for n in order if order.count(n) > 1)
        raise fail(f"topo({what}): {graph.names[twice]} is in the list more than once.", what, given=len(order))
    missing = sorted(set(range(len(graph.nodes))) - set(order))
    if missing:
        names = ", ".join(sorted({graph.names[n] for n in missing})[:4])
        message = f"topo({what}): {len(missing)} of {len(graph.nodes)} functions are missing, including {names}."
        raise fail(message, what, expected=len(graph.nodes), given=len(order))
    place = {number: position for position, number in enumerate(order)}
    for source in order:
        for target in graph.targets(source):
            if place[source] > place[target]:
                early, late = graph.names[target], graph.names[source]
                at, after = place[target], place[source]
                message = (
                    f"topo({what}): {early} is at position {at}, before {late} at position {after}, which points to it."
                )
                raise fail(message, what, given=[graph.names[n] for n in order[:40]])


def number(rng: np.random.Generator) -> float:
    return float(rng.uniform(0.5, 1.5))


def two_leaves(rng: np.random.Generator) -> Program:
    return [["leaf", number(rng)], ["leaf", number(rng)]]


def random_program(rng: np.random.Generator, steps: int) -> Program:
    """Operands are drawn among the latest slots and the oldest, so that paths of many lengths meet. All of it is used."""
    program: Program = [*two_leaves(rng), ["constant", number(rng)]]
    used: set[int] = set()

    def draw() -> int:
        slot = int(
            rng.integers(max(0, len(program) - 4), len(program)) if rng.random() < 0.6 else rng.integers(len(program))
        )
        used.add(slot)
        return slot

    for _ in range(steps):
        if rng.random() < 0.3:
            program.append([str(rng.choice(["sin", "exp", "neg"])), draw()])
        else:
            program.append([str(rng.choice(["add", "mul", "sub", "maximum"])), draw(), draw()])
    for slot in range(len(program) - 1):
        if slot not in used:
            program.append(["add", slot, len(program) - 1] if rng.random() < 0.5 else ["add", len(program) - 1, slot])
    return program


@check("A chain, a constant, and a value used early and late", points=2)
def simple(student: Student, rng: np.random.Generator) -> None:
    expect_order(student, [["leaf", number(rng)], ["exp", 0], ["sin", 1], ["neg", 2]], "a chain of three")
    expect_order(student, [*two_leaves(rng), ["constant", number(rng)], ["mul", 0, 2], ["add", 3, 1]], "a * c + b")
    program: Program = [*two_leaves(rng), ["mul", 0, 1], ["exp", 2], ["sin", 3], ["sub", 2, 4]]
    expect_order(student, program, "p - sin(exp(p)) with p = a * b")


@check("No graph: a leaf, and a tensor that does not require grad", points=1)
def no_graph(student: Student, rng: np.random.Generator) -> None:
    expect_order(student, [["leaf", number(rng)]], "a leaf")
    expect_order(student, [["constant", number(rng)], ["exp", 0]], "a tensor that does not require grad")


@check("Branches of unequal length that join again, in either slot", points=2, hidden=True)
def unequal_branches(student: Student, rng: np.random.Generator) -> None:
    shared: Program = [*two_leaves(rng), ["mul", 0, 1], ["sin", 2], ["exp", 3]]
    for what, short, long in (("the short branch first", 4, 5), ("the long branch first", 5, 4)):
        length = int(rng.integers(2, 7))
        expect_order(student, [*shared, ["chain", 4, length], ["sub", short, long]], what)
        expect_order(student, [*shared, ["chain", 4, length], ["chain", 4, 1], ["sub", short, long], ["mul", 6, 7]], what)
    for what, one, other in (("the branch with s * s first", 5, 6), ("the branch with s * s last", 6, 5)):
        expect_order(student, [*shared, ["mul", 4, 4], ["chain", 4, 3], ["sub", one, other]], what)


@check("A leaf used early and late, or not at all", points=1, hidden=True)
def leaves(student: Student, rng: np.random.Generator) -> None:
    for what, first, last in (("the leaf in slot 0", 0, 2), ("the leaf in slot 1", 2, 0)):
        program: Program = [*two_leaves(rng), ["chain", 0, int(rng.integers(2, 6))], ["mul", first, last], ["add", 3, 1]]
        expect_order(student, program, what)
    expect_order(student, [["leaf", number(rng)], ["mul", 0, 0], ["mul", 1, 1]], "the same operand twice")
    expect_order(student, [["leaf", number(rng)]], "a leaf alone")
    expect_order(student, [["leaf", number(rng)], ["constant", number(rng)], ["exp", 1]], "an unused leaf")


@check("Functions with several outputs", points=1, hidden=True)
def several_outputs(student: Student, rng: np.random.Generator) -> None:
    length = int(rng.integers(2, 6))
    leaves = two_leaves(rng)
    expect_order(
        student, [*leaves, ["exp", 0], ["unbind", 0, 1, 2], ["chain", 3, length], ["mul", 5, 6], ["add", 7, 4]], "unbind"
    )
    expect_order(
        student, [*leaves, ["function", 0, 1], ["chain", 3, length], ["sub", 4, 2], ["add", 5, 1]], "a custom Function"
    )
    expect_order(student, [*leaves, ["exp", 0], ["max", 0, 1, 2], ["chain", 2, length], ["mul", 4, 3]], "max along an axis")


@check("Random graphs", points=1, hidden=True)
def random_graphs(student: Student, rng: np.random.Generator) -> None:
    for steps in (6, 10, 16, 24):
        expect_order(student, random_program(rng, steps), f"a random graph of {steps} operations")


@check("A chain of 5000 functions", points=1, hidden=True, seconds=2)
def deep(student: Student, rng: np.random.Generator) -> None:
    expect_order(student, [*two_leaves(rng), ["chain", 0, 4998], ["mul", 2, 1]], "a chain of 5000")


@check("30 doublings: a billion paths, but 31 functions", points=1, hidden=True, seconds=2)
def many_paths(student: Student, rng: np.random.Generator) -> None:
    expect_order(student, [["leaf", number(rng)], ["doubled", 0, 30]], "30 doublings")


@probe
def facts(student, program, run):
    """What the rules say about the student's list: its type, its length, whether it is complete, edges that go backward."""
    scope = {}
    exec(run, scope)
    out = scope["ordered"](None, program)
    given = student.topo(out)
    known = [] if out.grad_fn is None else [out.grad_fn]
    seen = set(known)
    for fn in known:  # grows while we walk
        for target, _ in fn.next_functions:
            if target is not None and target not in seen:
                seen.add(target)
                known.append(target)
    place = {fn: n for n, fn in enumerate(given)}
    pairs = [(fn, target) for fn in known for target, _ in fn.next_functions if target is not None]
    backward = sum(place.get(fn, -1) >= place.get(target, -1) for fn, target in pairs)
    return [type(given).__name__, len(given), set(given) == seen, backward]


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    """Random graphs of all sizes, also without any step; functions with several outputs; chains and doublings."""
    for _ in range(3):
        program = random_program(rng, int(rng.integers(1, 20)))
        if rng.random() < 0.5:
            last = len(program) - 1
            program += [[str(rng.choice(["unbind", "function"])), last, int(rng.integers(last))]]
            program += [["sub", last + 1, last + 2], ["mul", last + 3, int(rng.integers(last))]]
        student.run(facts, program, ordered.source)
    leaf: Program = [[str(rng.choice(["leaf", "constant"])), number(rng)]]
    student.run(facts, leaf, ordered.source)
    student.run(facts, [*leaf, [str(rng.choice(["exp", "sin"])), 0]], ordered.source)
    student.run(facts, [["leaf", 1.0], ["chain", 0, int(rng.integers(1, 400))], ["add", 1, 0]], ordered.source)
    student.run(facts, [["leaf", 1.0], ["doubled", 0, int(rng.integers(1, 31))]], ordered.source)
