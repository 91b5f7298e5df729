"""Breadth first from the root: a function on a short path comes before consumers on a longer one."""

from collections import deque


def topo(out):
    if out.grad_fn is None:
        return []
    order, seen = [], {out.grad_fn}
    queue = deque([out.grad_fn])
    while queue:
        fn = queue.popleft()
        order.append(fn)
        for child, _ in fn.next_functions:
            if child is not None and child not in seen:
                seen.add(child)
                queue.append(child)
    return order
