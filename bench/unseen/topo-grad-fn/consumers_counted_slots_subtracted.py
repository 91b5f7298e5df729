# Mistake: each consumer is counted once but each slot is subtracted, so a function used twice by one consumer is released before its other consumers
# True: consumers-miscounted
from collections import deque


def topo(out):
    if out.grad_fn is None:
        return []

    # how many functions send something to fn?
    waiting_for = {out.grad_fn: 0}
    todo = [out.grad_fn]
    while todo:
        fn = todo.pop()
        targets = {g for g, _ in fn.next_functions if g is not None}
        for g in targets:
            if g not in waiting_for:
                waiting_for[g] = 0
                todo.append(g)
            waiting_for[g] += 1

    order = []
    ready = deque([out.grad_fn])
    while ready:
        fn = ready.popleft()
        order.append(fn)
        for g, _ in fn.next_functions:
            if g is None:
                continue
            waiting_for[g] -= 1
            if waiting_for[g] == 0:
                ready.append(g)
    return order
