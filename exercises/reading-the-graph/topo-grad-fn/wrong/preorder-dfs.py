"""Depth first, listed on the first visit with the last slot first."""


def topo(out):
    if out.grad_fn is None:
        return []
    order, seen = [], set()
    stack = [out.grad_fn]
    while stack:
        fn = stack.pop()
        if fn in seen:
            continue
        seen.add(fn)
        order.append(fn)
        for child, _ in fn.next_functions:
            if child is not None:
                stack.append(child)
    return order
