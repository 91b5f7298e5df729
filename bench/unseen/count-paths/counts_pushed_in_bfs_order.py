# Held out. Mistake: counts are pushed on in breadth-first order, so ways that reach a function after it was processed are lost
# True: wrong-traversal
from collections import defaultdict, deque


def count_paths(out, leaf):
    if out.grad_fn is None:
        return int(out is leaf and out.requires_grad)
    if not leaf.requires_grad:
        return 0

    start = out.grad_fn
    ways = defaultdict(int)      # function -> number of ways from out to it
    ways[start] = 1
    queue = deque([start])
    met = {start}
    total = 0
    while queue:
        fn = queue.popleft()
        for nxt, _ in fn.next_functions:
            if nxt is None:
                continue
            if type(nxt).__name__ == "AccumulateGrad":
                if nxt.variable is leaf:
                    total += ways[fn]
                continue
            ways[nxt] += ways[fn]
            if nxt not in met:
                met.add(nxt)
                queue.append(nxt)
    return total
