"""Breadth first, and a function met again is moved to the end; what lies below it stays where it was."""

from collections import deque


def topo(out):
    if out.grad_fn is None:
        return []
    order = {out.grad_fn: None}
    queue = deque([out.grad_fn])
    while queue:
        fn = queue.popleft()
        for child, _ in fn.next_functions:
            if child is None:
                continue
            if child in order:
                del order[child]
            else:
                queue.append(child)
            order[child] = None
    return list(order)
