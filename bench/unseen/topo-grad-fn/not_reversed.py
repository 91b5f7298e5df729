# Mistake: the post-order is not reversed
# True: not-reversed
def topo(out):
    if out.grad_fn is None:
        return []
    order, seen = [], set()
    stack = [(out.grad_fn, False)]
    while stack:
        fn, expanded = stack.pop()
        if expanded:
            order.append(fn)
            continue
        if fn in seen:
            continue
        seen.add(fn)
        stack.append((fn, True))
        for nxt, _ in fn.next_functions:
            if nxt is not None:
                stack.append((nxt, False))
    return order
