"""A backward order from a depth-first search: the reverse of the postorder is a valid order."""

from typing import Any

import torch


def topo(out: torch.Tensor) -> list[Any]:
    if out.grad_fn is None:
        return []

    finished: list[Any] = []
    entered = {out.grad_fn}
    path = [(out.grad_fn, iter(out.grad_fn.next_functions))]  # graphs can exceed the recursion limit
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
