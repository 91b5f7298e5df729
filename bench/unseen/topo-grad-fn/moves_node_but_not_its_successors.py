# Held out. Mistake: a function that is found again is moved to the end of the list, but the functions it points to stay where they are and then come before it.
# True: bfs-order
from collections import deque


def topo(out):
    if out.grad_fn is None:
        return []
    order = {out.grad_fn: None}          # a dict keeps the order of insertion
    queue = deque([out.grad_fn])
    while queue:
        fn = queue.popleft()
        for child, _ in fn.next_functions:
            if child is None:
                continue
            if child in order:
                del order[child]         # has to wait for fn as well
                order[child] = None
            else:
                order[child] = None
                queue.append(child)
    return list(order)
