# Held out. Mistake: Propagates the counts in breadth-first order, so a function passes on its count before the longer paths to it have arrived
# True: wrong-traversal
from collections import deque


def count_paths(out, leaf):
    if out is leaf:
        return 1 if out.requires_grad and out.grad_fn is None else 0
    if out.grad_fn is None or not leaf.requires_grad:
        return 0

    counts = {out.grad_fn: 1}
    queue = deque([out.grad_fn])
    total = 0
    while queue:
        fn = queue.popleft()
        for child, _ in fn.next_functions:
            if child is None:
                continue
            if child not in counts:
                counts[child] = 0
                queue.append(child)
            counts[child] += counts[fn]
    for fn, c in counts.items():
        if hasattr(fn, "variable") and fn.variable is leaf:
            total += c
    return total
