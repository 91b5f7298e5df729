"""Kahn's algorithm with a random choice among the ready functions. It can produce every valid order."""

import random


def topo(out):
    consumers, known = {}, []
    if out.grad_fn is not None:
        consumers[out.grad_fn] = 0
        known.append(out.grad_fn)
    for fn in known:
        for target, _ in fn.next_functions:
            if target is not None:
                if target not in consumers:
                    consumers[target] = 0
                    known.append(target)
                consumers[target] += 1

    order, ready = [], known[:1]
    while ready:
        fn = ready.pop(random.randrange(len(ready)))
        order.append(fn)
        for target, _ in fn.next_functions:
            if target is not None:
                consumers[target] -= 1
                if not consumers[target]:
                    ready.append(target)
    return order
