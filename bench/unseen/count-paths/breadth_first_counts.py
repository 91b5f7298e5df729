# Mistake: counts are pushed breadth first, before a node has received all of its own
# True: wrong-traversal
from collections import deque


def count_paths(out, leaf):
    if out.grad_fn is None:
        return 1 if out is leaf and out.requires_grad else 0
    counts = {out.grad_fn: 1}
    queue = deque([out.grad_fn])
    seen = {out.grad_fn}
    result = 0
    while queue:
        fn = queue.popleft()
        if getattr(fn, "variable", None) is leaf:
            result = counts[fn]
        for nxt, _ in fn.next_functions:
            if nxt is None:
                continue
            counts[nxt] = counts.get(nxt, 0) + counts[fn]
            if nxt not in seen:
                seen.add(nxt)
                queue.append(nxt)
    for fn in counts:
        if getattr(fn, "variable", None) is leaf:
            result = counts[fn]
    return result
