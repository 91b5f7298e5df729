# Held out. Mistake: Kahn's algorithm counts distinct consumers but decrements once per slot, so after x * x a function is released too early
# True: consumers-miscounted
from collections import defaultdict


def topo(out):
    root = out.grad_fn
    if root is None:
        return []

    # 1. who uses whom?
    consumers = defaultdict(set)
    seen = {root}
    todo = [root]
    while todo:
        fn = todo.pop()
        for nxt, _ in fn.next_functions:
            if nxt is None:
                continue
            consumers[nxt].add(fn)
            if nxt not in seen:
                seen.add(nxt)
                todo.append(nxt)

    # 2. release a function when all its consumers are done
    waiting = {fn: len(c) for fn, c in consumers.items()}
    order, ready = [], [root]
    while ready:
        fn = ready.pop()
        order.append(fn)
        for nxt, _ in fn.next_functions:
            if nxt is None:
                continue
            waiting[nxt] -= 1
            if waiting[nxt] == 0:
                ready.append(nxt)
    return order
