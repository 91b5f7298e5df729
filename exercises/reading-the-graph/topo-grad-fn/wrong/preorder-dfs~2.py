"""Depth first, listed on the first visit with slot 0 first."""


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
        stack += [child for child, _ in reversed(fn.next_functions) if child is not None]
    return order
