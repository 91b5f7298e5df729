"""A node without next_functions ends the walk before it is listed."""


def topo(out):
    if out.grad_fn is None:
        return []
    order, seen = [], set()
    stack = [(out.grad_fn, False)]
    while stack:
        fn, done = stack.pop()
        if done:
            order.append(fn)
            continue
        if fn is None or not fn.next_functions or fn in seen:
            continue
        seen.add(fn)
        stack.append((fn, True))
        for child, _ in fn.next_functions:
            stack.append((child, False))
    order.reverse()
    return order
