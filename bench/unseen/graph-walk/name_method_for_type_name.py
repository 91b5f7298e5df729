# Held out. Mistake: nodes are named with fn.name() instead of type(fn).__name__, which gives "torch::autograd::AccumulateGrad" for leaves.
from collections import deque


def graph(out):
    root = out.grad_fn
    if root is None:
        return dict(root=None, nodes=[], edges=[])

    # 1) all functions, breadth first
    functions = [root]
    numbers = {root: 0}
    queue = deque(functions)
    while queue:
        for nxt, _ in queue.popleft().next_functions:
            if nxt is not None and nxt not in numbers:
                numbers[nxt] = len(functions)
                functions.append(nxt)
                queue.append(nxt)

    # 2) all slots
    edges = []
    for fn in functions:
        for k, (nxt, nr) in enumerate(fn.next_functions):
            edges.append((numbers[fn], k, None, 0) if nxt is None else (numbers[fn], k, numbers[nxt], nr))

    return dict(root=numbers[root], nodes=[fn.name() for fn in functions], edges=edges)
