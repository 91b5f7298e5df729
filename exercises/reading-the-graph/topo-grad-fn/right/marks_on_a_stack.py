"""Depth-first search with one stack: a function is pushed again with a mark, to be listed after its successors."""

from collections import deque


def topo(out):
    order, seen = deque(), set()
    stack = [(out.grad_fn, False)]
    while stack:
        fn, done = stack.pop()
        if done:
            order.appendleft(fn)
        elif fn is not None and id(fn) not in seen:
            seen.add(id(fn))
            stack.append((fn, True))  # keeps the object alive, so its id stays unique
            stack.extend((target, False) for target, _ in reversed(fn.next_functions))
    return list(order)
