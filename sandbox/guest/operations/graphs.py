"""Walks the backward graph behind a tensor and exports it as plain data: node names, ordered edges and leaf names.

The judge uses the same walker on its own tensors. The walk is iterative, because graphs are deeper than the recursion limit.
Nodes are identified by the object, which is kept alive during the walk, because ids of temporary objects are reused.
"""

import types
from typing import Any


def write_down(out: Any, leaves: dict[str, Any]) -> dict[str, Any]:
    """Return `{"root", "nodes": [[type name, leaf name | None, [[target | None, output number], ...]], ...]}`, root first."""
    names = {id(leaf): name for name, leaf in leaves.items()}
    if out.grad_fn is None:
        return {"root": None, "nodes": []}
    numbers: dict[Any, int] = {out.grad_fn: 0}
    order = [out.grad_fn]
    nodes: list[list[Any]] = []
    for node in order:  # grows during the walk
        slots: list[list[int | None]] = []
        for target, output_number in node.next_functions:
            if target is None:
                slots.append([None, 0])
                continue
            if target not in numbers:
                numbers[target] = len(order)
                order.append(target)
            slots.append([numbers[target], output_number])
        leaf = names.get(id(getattr(node, "variable", None)))
        nodes.append([type(node).__name__, leaf, slots])
    return {"root": 0, "nodes": nodes}


def export(module: types.ModuleType, args: list[Any], options: dict[str, Any]) -> dict[str, Any]:
    """Call an entry point on tensors that require grad. Returns its value and the graph behind it, with leaves named by argument."""
    leaves = {name: value for name, value in zip(options["leaves"], args, strict=True) if hasattr(value, "requires_grad_")}
    for leaf in leaves.values():
        leaf.requires_grad_()
    out = getattr(module, options["name"])(*args)
    return {"value": out, "graph": write_down(out, leaves)}
