"""Counts in numpy integers of 64 bits, which wrap around."""

import numpy as np


def _order(root):
    order, seen = [], set()
    stack = [(root, False)]
    while stack:
        fn, done = stack.pop()
        if done:
            order.append(fn)
        elif fn not in seen:
            seen.add(fn)
            stack.append((fn, True))
            stack.extend((child, False) for child, _ in fn.next_functions if child is not None)
    return order


def count_paths(out, leaf):
    if out.grad_fn is None:
        return int(out is leaf and out.requires_grad)
    order = _order(out.grad_fn)
    number = {fn: i for i, fn in enumerate(order)}
    count = np.zeros(len(order), dtype=np.int64)
    for i, fn in enumerate(order):
        if getattr(fn, "variable", None) is leaf:
            count[i] = 1
        for child, _ in fn.next_functions:
            if child is not None:
                count[i] += count[number[child]]
    return int(count[-1])
