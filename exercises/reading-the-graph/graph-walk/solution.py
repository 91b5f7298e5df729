"""Read the backward graph of a tensor: each node once, every slot of every node as one edge."""

from typing import Any

import torch


def graph(out: torch.Tensor) -> dict[str, Any]:
    if out.grad_fn is None:
        return {"root": None, "nodes": [], "edges": []}

    number = {out.grad_fn: 0}  # the objects are the keys: this keeps them alive and identifies them
    edges: list[tuple[int, int, int | None, int]] = []
    waiting = [out.grad_fn]
    while waiting:
        fn = waiting.pop()
        for slot, (target, output_number) in enumerate(fn.next_functions):
            if target is None:
                edges.append((number[fn], slot, None, 0))
                continue
            if target not in number:
                number[target] = len(number)
                waiting.append(target)
            edges.append((number[fn], slot, number[target], output_number))

    return {"root": 0, "nodes": [type(fn).__name__ for fn in number], "edges": edges}
