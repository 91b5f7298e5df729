# Held out. Mistake: counts are passed on in breadth-first order, so a function with consumers at different depths passes on an incomplete count and paths are lost.
# True: wrong-traversal
from collections import deque


def count_paths(out, leaf):
    if not (out.requires_grad and leaf.requires_grad):
        return 0
    root = out.grad_fn
    if root is None:
        return int(out is leaf)
    ways = {root: 1}
    queue = deque([root])
    total = 0
    while queue:
        fn = queue.popleft()
        n = ways[fn]
        if hasattr(fn, "variable") and fn.variable is leaf:
            total = fn
            continue
        for child, _ in fn.next_functions:
            if child is None:
                continue
            if child not in ways:
                ways[child] = 0
                queue.append(child)
            ways[child] += n
    return ways[total] if total else 0
