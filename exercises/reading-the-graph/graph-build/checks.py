"""Each result is judged three times: its value and gradients by formulas in numpy, its graph against a description in words.

Value and gradient come first in every check, because a graph knows nothing of constants and is a claim of the other side.
"""

from typing import Any

import msgspec
import numpy as np

from autograder.explain.diagnosis.generators.built_graphs import canonical_export
from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, check, expect_close, expect_equal, fail, probe, tensor, variety
from autograder.judge.checks.graphs import Graph, Node, expect_graph, export
from autograder.judge.checks.pictures import Reference, show_backward
from autograder.judge.diagnosis import reads_as

LEAF_A, LEAF_B = Node("AccumulateGrad", "a", ()), Node("AccumulateGrad", "b", ())

ONE = Graph(
    0,
    (
        Node("Mul", None, ((1, 0), (None, 0))),
        Node("Mul", None, ((2, 0), (3, 0))),
        Node("Add", None, ((3, 0), (5, 0))),
        Node("Mul", None, ((4, 0), (5, 0))),
        LEAF_A,
        LEAF_B,
    ),
)
TWO = Graph(
    0,
    (
        Node("Sum", None, ((1, 0),)),
        Node("Mul", None, ((2, 0), (2, 0))),
        Node("Exp", None, ((3, 0),)),
        LEAF_A,
    ),
)


reads_as("graph.export", canonical_export)


def draw(rng: np.random.Generator, n: int) -> Numbers:
    """Of size one; the last entry of three or more is 0."""
    values = np.asarray(rng.uniform(0.4, 1.6, size=n) * rng.choice([-1.0, 1.0], size=n))
    values[2:][-1:] = 0.0
    return values


@probe
def pulled(student, name, leaves, upstream):
    """Call the function of this name; its value and what the engine delivers to every leaf for this upstream."""
    import torch

    leaves = [leaf.requires_grad_() for leaf in leaves]
    value = getattr(student, name)(*leaves)
    if not torch.is_tensor(value) or not value.requires_grad or value.shape != upstream.shape:
        return {"value": value, "grads": [None] * len(leaves)}
    return {"value": value, "grads": list(torch.autograd.grad(value, leaves, upstream, allow_unused=True))}


class Pulled(msgspec.Struct):
    value: Any
    grads: list[Any]


def reference(name: str, inputs: dict[str, Numbers], upstream: Numbers) -> Reference:
    """The graph that is wanted, on tensors of the judge's own."""
    import torch

    leaves = {label: torch.tensor(x, requires_grad=True) for label, x in inputs.items()}
    if name == "build_one":
        product = leaves["a"] * leaves["b"]
        out = (product + leaves["b"]) * product * 3
    else:
        power = leaves["a"].exp()
        out = (power * power).sum()
    return Reference([out], leaves, [torch.tensor(upstream)])


def expect_numbers(
    student: Student, name: str, inputs: dict[str, Numbers], upstream: Numbers, value: Numbers, grads: list[Numbers]
) -> None:
    picture = show_backward(name, lambda: reference(name, inputs, upstream))
    answer = student.run(pulled, name, [tensor(x) for x in inputs.values()], tensor(upstream), returns=Pulled)
    shown = {**inputs, "upstream": upstream}
    expect_close(answer.value, tensor(value), f"The value of {name}", shown)
    expect_equal(len(answer.grads), len(grads), "The number of gradients")
    picture.answered(dict(zip(inputs, answer.grads, strict=True)))
    for label, gradient, truth in zip(inputs, answer.grads, grads, strict=True):
        if gradient is None:
            raise fail(
                f"{name}: no gradient reaches {label}.", f"gradient of {name} with respect to {label}", shown, expected=truth
            )
        expect_close(gradient, tensor(truth), f"The gradient of {name} with respect to {label}", shown)


def numbers_of_one(student: Student, rng: np.random.Generator, n: int) -> None:
    a, b, g = draw(rng, n), draw(rng, n), rng.normal(size=n)
    p = a * b
    by_product = 3 * g * (2 * p + b)
    truth = [by_product * b, by_product * a + 3 * g * p]
    expect_numbers(student, "build_one", {"a": a, "b": b}, g, 3 * (p + b) * p, truth)


def numbers_of_two(student: Student, rng: np.random.Generator, n: int) -> None:
    a, g = draw(rng, n), np.asarray(rng.normal())
    expect_numbers(student, "build_two", {"a": a}, g, np.asarray((np.exp(a) ** 2).sum()), [2 * g * np.exp(2 * a)])


def graph_of_one(student: Student, rng: np.random.Generator, n: int) -> None:
    leaves: dict[str, Any] = {"a": tensor(draw(rng, n)), "b": tensor(draw(rng, n))}
    _, graph = export(student, "build_one", leaves)
    expect_graph(graph, ONE, "build_one")


def graph_of_two(student: Student, rng: np.random.Generator, n: int) -> None:
    _, graph = export(student, "build_two", {"a": tensor(draw(rng, n))})
    expect_graph(graph, TWO, "build_two")


@check("build_one: value, gradients and graph", points=1.5)
def one_shown(student: Student, rng: np.random.Generator) -> None:
    numbers_of_one(student, rng, 3)
    graph_of_one(student, rng, 3)


@check("build_two: value and gradient", points=1.5)
def two_numbers(student: Student, rng: np.random.Generator) -> None:
    numbers_of_two(student, rng, 3)


@check("build_one: value, gradients and graph with other numbers", points=3, hidden=True)
def one_graph(student: Student, rng: np.random.Generator) -> None:
    numbers_of_one(student, rng, 3)
    graph_of_one(student, rng, 3)


@check("build_two: value, gradient and graph with other numbers", points=3, hidden=True)
def two_graph(student: Student, rng: np.random.Generator) -> None:
    numbers_of_two(student, rng, 3)
    graph_of_two(student, rng, 3)


@check("Both functions, for tensors with one entry", points=1, hidden=True)
def one_entry(student: Student, rng: np.random.Generator) -> None:
    numbers_of_one(student, rng, 1)
    graph_of_one(student, rng, 1)
    numbers_of_two(student, rng, 1)
    graph_of_two(student, rng, 1)


@probe
def contents(student, name, leaves):
    """The nodes of the graph as sorted texts, each with what is below it: operands in any order, shape-only nodes left out."""
    leaves = [leaf.requires_grad_() for leaf in leaves]
    out = getattr(student, name)(*leaves)
    views = ("View", "Expand", "Squeeze", "Unsqueeze", "UnsafeView", "Alias", "T", "Transpose", "Permute")
    texts = {}

    def text(fn):
        if fn is None:
            return "-"
        if fn not in texts:
            kind = type(fn).__name__.rpartition("Backward")[0] or type(fn).__name__
            below = [text(target) for target, _ in fn.next_functions]
            if kind in ("Add", "Mul"):
                below.sort()
            variable = getattr(fn, "variable", None)
            leaf = next((str(n) for n, leaf in enumerate(leaves) if leaf is variable), "")
            texts[fn] = below[0] if kind in views else f"{kind}{leaf}({', '.join(below)})"
        return texts[fn]

    root = text(out.grad_fn)
    views_only = [fn for fn in texts if type(fn).__name__.rpartition("Backward")[0] in views]
    return [root, sorted(texts[fn] for fn in texts if fn not in views_only), [leaf.detach() for leaf in leaves]]


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    """Any length, zeros and large numbers among the entries, upstreams of either sign; the graph as far as it is compared."""
    for name, count in (("build_one", 2), ("build_two", 1)):
        n = int(rng.integers(1, 9))
        leaves = [tensor(np.asarray(rng.normal(size=n) * rng.choice([0.0, 1.0, 5.0], size=n))) for _ in range(count)]
        upstream = np.asarray(rng.normal(size=n if count == 2 else ()))
        student.run(pulled, name, leaves, tensor(upstream))
        student.run(contents, name, leaves)
