"""Counts propagate from the root in topological order: each function adds its count to each of its slots."""

from typing import Any

import torch


def consumers_first(root: Any) -> list[Any]:
    finished: list[Any] = []
    entered = {root}
    path = [(root, iter(root.next_functions))]
    while path:
        fn, slots = path[-1]
        for target, _ in slots:
            if target is not None and target not in entered:
                entered.add(target)
                path.append((target, iter(target.next_functions)))
                break
        else:
            finished.append(fn)
            path.pop()
    return finished[::-1]


def count_paths(out: torch.Tensor, leaf: torch.Tensor) -> int:
    if out.grad_fn is None:
        return int(out is leaf and out.requires_grad)

    paths = {out.grad_fn: 1}
    for fn in consumers_first(out.grad_fn):
        if getattr(fn, "variable", None) is leaf:
            return paths[fn]
        for target, _ in fn.next_functions:
            if target is not None:
                paths[target] = paths.get(target, 0) + paths[fn]
    return 0
