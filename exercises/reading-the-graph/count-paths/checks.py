"""Graphs come from short programs, and the truth needs no graph: the number of paths is counted along the program, in exact
integers, from the leaf up. Every operand of an operation adds the paths below it.
"""

from typing import Any

import numpy as np

from autograder.judge.checks import Student, check, expect_equal, fail, probe, variety
from autograder.judge.checks.graphs import of_tensor
from autograder.judge.checks.pictures import Reference, show_paths
from autograder.judge.diagnosis import Asked, graph_of

Program = list[list[Any]]


@probe
def counted(student, program, out, leaves):
    """Run the program; count the paths from one of its tensors to each of these leaves."""
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
        elif name == "same memory":
            slots.append(slots[operands[0]].detach().requires_grad_())
        elif name == "detach":
            slots.append(slots[operands[0]].detach())
        elif name == "chain":
            t, other = slots[operands[0]], slots[operands[1]]
            for _ in range(operands[2]):
                t = t + other
            slots.append(t)
        elif name == "squared":
            t = slots[operands[0]]
            for _ in range(operands[1]):
                t = t * t
            slots.append(t)
        elif name == "ladder":
            t, other = slots[operands[0]], slots[operands[1]]
            for _ in range(operands[2]):
                t, other = t + other, t
            slots.append(t)
        elif name == "unbind":
            slots.extend(torch.stack([slots[n] for n in operands]).unbind(0))
        elif name == "function":
            slots.extend(Twice.apply(slots[operands[0]], slots[operands[1]]))
        else:
            slots.append(getattr(torch, name)(*(slots[n] for n in operands)))
    if student is None:
        return slots

    def facts():
        return [(repr(t.tolist()), t.requires_grad, not t.is_leaf or t.grad is None) for t in slots]

    before = facts()
    counts = [student.count_paths(slots[out], slots[leaf]) for leaf in leaves]
    return counts if facts() == before else "changed"


def paths(program: Program, out: int, leaf: int) -> int:
    """How often each slot of the program reaches the leaf, slot by slot."""
    counts: list[int] = []
    for name, *operands in program:
        if name == "leaf" or name == "same memory":
            counts.append(int(len(counts) == leaf))
        elif name in ("constant", "detach"):
            counts.append(0)
        elif name == "chain":
            counts.append(counts[operands[0]] + operands[2] * counts[operands[1]])
        elif name == "squared":
            counts.append(counts[operands[0]] * 2 ** operands[1])
        elif name == "ladder":
            one, other = counts[operands[0]], counts[operands[1]]
            for _ in range(operands[2]):
                one, other = one + other, one
            counts.append(one)
        elif name in ("unbind", "function"):
            counts.extend([sum(counts[n] for n in operands)] * len(operands))
        else:
            counts.append(sum(counts[n] for n in operands))
    return counts[out]


def slots_of(program: Program, out: int, leaves: list[int]) -> list[Any]:
    """The judge's own tensors."""
    scope: dict[str, Any] = {}
    exec(counted.source, scope)
    return list(scope["counted"](None, program, out, leaves))


def reference(program: Program, out: int, leaves: list[int]) -> Reference:
    slots = slots_of(program, out, leaves)
    return Reference([slots[out]], {name_of(n): slots[n] for n in leaves})


def name_of(leaf: int) -> str:
    return "abcdefgh"[leaf] if leaf < 8 else str(leaf)


def behind(program: Program, out: int, leaves: list[int]) -> Asked:
    """The judge's own graph of a question, for the diagnosis: which leaf is which, and which look alike."""
    slots = slots_of(program, out, leaves)
    names = {str(n): slots[n] for n in leaves}
    itself = next((name for name, leaf in names.items() if leaf is slots[out] and leaf.requires_grad), None)
    values = {name: leaf.item() for name, leaf in names.items()}
    places = {name: leaf.data_ptr() for name, leaf in names.items()}
    return Asked(of_tensor(slots[out], names), list(names), itself, (values, places))


graph_of("counted", behind)


def expect_counts(student: Student, program: Program, what: str, leaves: list[int], out: int = -1) -> None:
    picture = show_paths(what, lambda: reference(program, out, leaves))
    given = student.run(counted, program, out, leaves, returns=list[Any] | str)
    if isinstance(given, str):
        raise fail(f"{what}: count_paths changed the values, the .grad or the requires_grad of a tensor.", what)
    expect_equal(len(given), len(leaves), "The number of answers")
    picture.answered({name_of(leaf): count for leaf, count in zip(leaves, given, strict=True)})
    for leaf, count in zip(leaves, given, strict=True):
        expect_equal(count, paths(program, out, leaf), f"{what}: the number of paths to {name_of(leaf)}")


def number(rng: np.random.Generator) -> float:
    return float(rng.uniform(0.5, 1.5))


def leaves_of(rng: np.random.Generator, count: int) -> Program:
    return [["leaf", number(rng)] for _ in range(count)]


def random_program(rng: np.random.Generator, steps: int) -> Program:
    program: Program = [*leaves_of(rng, 3), ["constant", number(rng)]]
    for _ in range(steps):
        one, other = (int(n) for n in rng.integers(max(0, len(program) - 6), len(program), size=2))
        if rng.random() < 0.25:
            program.append([str(rng.choice(["sin", "exp", "neg"])), one])
        else:
            program.append([str(rng.choice(["add", "mul", "sub", "maximum"])), one, other])
    last = len(program) - 1
    return [*program, ["add", last, 0], ["mul", last + 1, last - 1], ["add", last + 2, 1]]


@check("Products, sums, a constant, and a value used twice", points=2)
def simple(student: Student, rng: np.random.Generator) -> None:
    expect_counts(student, [*leaves_of(rng, 1), ["mul", 0, 0]], "a * a", [0])
    times = int(rng.integers(2, 40))
    expect_counts(
        student, [*leaves_of(rng, 2), ["mul", 0, 1], ["chain", 2, 0, times]], f"a * b, plus a {times} times", [0, 1]
    )
    same = number(rng)
    program: Program = [["leaf", same], ["leaf", same], ["mul", 0, 0], ["mul", 2, 1], ["add", 3, 2]]
    expect_counts(student, program, "s * b + s with s = a * a, where a and b hold the same number", [0, 1])
    expect_counts(student, [*leaves_of(rng, 1), ["constant", number(rng)], ["mul", 0, 1], ["exp", 2]], "exp(a * c)", [0])


@check("The result is itself a leaf", points=1, fixed="a leaf has one path to itself and none to another")
def out_is_a_leaf(student: Student, rng: np.random.Generator) -> None:
    expect_counts(student, leaves_of(rng, 2), "the leaf a", [0, 1], out=0)


@check("Shared values, several leaves, and operands without a path", points=1, hidden=True)
def several_leaves(student: Student, rng: np.random.Generator) -> None:
    program: Program = [*leaves_of(rng, 3), ["mul", 0, 1], ["mul", 3, 3], ["sub", 4, 3], ["add", 5, 1]]
    expect_counts(student, program, "p * p - p + b with p = a * b", [0, 1, 2])
    rounds = int(rng.integers(2, 10))
    program = [
        *leaves_of(rng, 2),
        ["constant", number(rng)],
        ["detach", 0],
        ["mul", 3, 1],
        ["mul", 4, 2],
        ["squared", 5, rounds],
    ]
    expect_counts(student, [*program, ["add", 6, 2]], f"(detached a * b * c) squared {rounds} times, plus c", [0, 1, 2, 3])


@check("Two leaves with equal data, and results that do not require grad", points=1, hidden=True)
def alike(student: Student, rng: np.random.Generator) -> None:
    same = number(rng)
    times = int(rng.integers(2, 7))
    program: Program = [["leaf", same], ["leaf", same], ["chain", 0, 1, times]]
    expect_counts(student, program, f"a + {times} b, where a and b hold the same number", [0, 1])
    program = [["leaf", same], ["same memory", 0], ["chain", 1, 0, times]]
    expect_counts(student, program, f"b + {times} a, where a and b share their memory", [0, 1])
    program = [["leaf", same], ["leaf", same], ["constant", same], ["same memory", 0], ["exp", 2]]
    for out, what in (
        (0, "the leaf a"),
        (2, "a tensor that does not require grad"),
        (4, "a result that does not require grad"),
    ):
        expect_counts(student, program, what, [0, 1, 2, 3], out=out)


@check("Functions with several outputs", points=1, hidden=True)
def several_outputs(student: Student, rng: np.random.Generator) -> None:
    rounds = int(rng.integers(2, 6))
    program: Program = [
        *leaves_of(rng, 2),
        ["mul", 0, 1],
        ["unbind", 0, 1, 2],
        ["squared", 3, rounds],
        ["mul", 6, 5],
        ["add", 7, 0],
    ]
    expect_counts(student, program, "products of unbound rows", [0, 1])
    program = [*leaves_of(rng, 2), ["function", 0, 1], ["squared", 2, rounds], ["mul", 4, 3], ["sub", 5, 1]]
    expect_counts(student, program, "the two outputs of a custom Function", [0, 1])


@check("Random graphs", points=1, hidden=True)
def random_graphs(student: Student, rng: np.random.Generator) -> None:
    for steps in (5, 9, 15, 25):
        expect_counts(student, random_program(rng, steps), f"a random graph of {steps} operations", [0, 1, 2])


@check("An exact count with dozens of digits", points=1, hidden=True, seconds=2)
def exact(student: Student, rng: np.random.Generator) -> None:
    for shift in range(3):
        rungs = 150 + int(rng.integers(0, 30)) * 3 + shift
        program: Program = [*leaves_of(rng, 2), ["chain", 0, 1, int(rng.integers(3, 9))], ["ladder", 2, 0, rungs]]
        expect_counts(student, program, f"{rungs} sums of the last two values", [0, 1])


@check("A chain of 3000 functions", points=1, hidden=True, seconds=2)
def deep(student: Student, rng: np.random.Generator) -> None:
    length = int(rng.integers(2900, 2999))
    expect_counts(student, [*leaves_of(rng, 2), ["chain", 0, 1, length], ["mul", 2, 2]], f"a chain of {length} sums", [0, 1])


@check("200 consecutive squarings", points=1, hidden=True, seconds=2)
def squarings(student: Student, rng: np.random.Generator) -> None:
    times = int(rng.integers(2, 40))
    program: Program = [*leaves_of(rng, 2), ["chain", 0, 1, times], ["squared", 2, 200], ["add", 3, 1]]
    expect_counts(student, program, f"a plus b {times} times, squared 200 times, plus b", [0, 1])


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    """Random programs over every step there is, any tensor as the end, all leaves, constants and results asked for."""
    for _ in range(3):
        program: Program = leaves_of(rng, int(rng.integers(1, 4)))
        program += [["constant", number(rng)], ["same memory", 0]]
        count, leaves = len(program), len(program)
        for _ in range(int(rng.integers(0, 12))):
            one, other = (int(n) for n in rng.integers(max(0, count - 5), count, size=2))
            step: list[Any] = [
                ["add", one, other],
                ["mul", one, one],
                ["sub", other, one],
                ["exp", one],
                ["detach", one],
                ["chain", one, other, int(rng.integers(1, 60))],
                ["squared", one, int(rng.integers(1, 80))],
                ["ladder", one, other, int(rng.integers(1, 90))],
                ["unbind", one, other, one],
                ["function", one, other],
            ][int(rng.integers(10))]
            program.append(step)
            count += {"unbind": 3, "function": 2}.get(step[0], 1)
        student.run(counted, program, count - 1, list(range(leaves)))
        student.run(counted, program, int(rng.integers(count)), list(range(leaves)))
