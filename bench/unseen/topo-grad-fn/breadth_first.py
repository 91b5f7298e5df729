# Mistake: breadth first order
# True: bfs-order
from collections import deque


def topo(out):
    if out.grad_fn is None:
        return []
    result = []
    seen = {out.grad_fn}
    q = deque([out.grad_fn])
    while q:
        fn = q.popleft()
        result.append(fn)
        for nxt, _ in fn.next_functions:
            if nxt is not None and nxt not in seen:
                seen.add(nxt)
                q.append(nxt)
    return result
