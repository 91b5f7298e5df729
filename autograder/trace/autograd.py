"""Records a backward pass of torch over the judge's own tensors: the graph, the order of the engine, and every gradient.

Hooks on the functions record the gradients that each one receives and propagates. No submitted code or data is involved.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import torch

from autograder.judge.checks.graphs import LEAF, Graph, Node
from autograder.judge.checks.pictures import Reference


@dataclass
class Recorded:
    """A recorded pass. `arrived` is indexed by node and output, `sent` by node and slot; `order` is that of the engine."""

    graph: Graph
    roots: list[tuple[int, torch.Tensor]]
    order: list[int] = field(default_factory=list)
    arrived: dict[int, tuple[torch.Tensor | None, ...]] = field(default_factory=dict)
    sent: dict[tuple[int, int], torch.Tensor] = field(default_factory=dict)


def graph_of(reference: Reference) -> tuple[Graph, list[Any]]:
    """The graph of the outputs. Leaves that no output depends on become nodes without edges."""
    names = {id(leaf): name for name, leaf in reference.leaves.items()}
    functions = list(dict.fromkeys(out.grad_fn for out in reference.outputs if out.grad_fn is not None))
    numbers = {function: number for number, function in enumerate(functions)}
    nodes = []
    for function in functions:  # the list grows during the traversal
        slots: list[tuple[int | None, int]] = []
        for target, output in function.next_functions:
            if target is not None and target not in numbers:
                numbers[target] = len(functions)
                functions.append(target)
            slots.append((None, 0) if target is None else (numbers[target], output))
        leaf = names.get(id(getattr(function, "variable", None)))
        nodes.append(Node(type(function).__name__, leaf, tuple(slots)))
    reached = {node.leaf for node in nodes}
    nodes += [Node(LEAF, name, ()) for name in reference.leaves if name not in reached]
    return Graph(0 if functions else None, tuple(nodes)), functions


def record(reference: Reference) -> Recorded:
    """Runs the backward pass and records it."""
    graph, functions = graph_of(reference)
    numbers = {function: number for number, function in enumerate(functions)}
    outputs = [out for out in reference.outputs if out.grad_fn is not None]
    given = reference.upstreams or [torch.ones_like(out) for out in reference.outputs]
    upstreams = [up for out, up in zip(reference.outputs, given, strict=True) if out.grad_fn is not None]
    roots = [(numbers[out.grad_fn], up) for out, up in zip(outputs, upstreams, strict=True)]
    found = Recorded(graph, roots)
    with ExitStack() as hooks:
        for number, function in enumerate(functions):
            for handle in _hooks(found, number, function):
                hooks.callback(handle.remove)
        if outputs:
            torch.autograd.backward(outputs, upstreams)
    return found


def _hooks(found: Recorded, number: int, function: Any) -> Iterator[Any]:
    def before(grads: tuple[torch.Tensor | None, ...]) -> None:
        found.order.append(number)
        found.arrived[number] = tuple(None if grad is None else grad.clone() for grad in grads)

    def after(grads: tuple[torch.Tensor | None, ...], _: Any) -> None:
        for slot, grad in enumerate(grads):
            if grad is not None and function.next_functions[slot][0] is not None:
                found.sent[number, slot] = grad.clone()

    yield function.register_prehook(before)
    if function.next_functions:
        yield function.register_hook(after)
