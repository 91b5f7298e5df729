"""Kahn's algorithm, layer by layer: a function is ready when all its consumers have been listed."""

from collections import Counter


def topo(out):
    if out.grad_fn is None:
        return []
    functions = {out.grad_fn: None}
    waiting_for = Counter()
    frontier = [out.grad_fn]
    while frontier:
        fn = frontier.pop()
        for target, _ in fn.next_functions:
            if target is None:
                continue
            waiting_for[target] += 1
            if target not in functions:
                functions[target] = None
                frontier.append(target)

    order, layer = [], [out.grad_fn]
    while layer:
        order += layer
        below = []
        for fn in layer:
            for target, _ in fn.next_functions:
                if target is not None:
                    waiting_for[target] -= 1
                    if waiting_for[target] == 0:
                        below.append(target)
        layer = below
    return order
