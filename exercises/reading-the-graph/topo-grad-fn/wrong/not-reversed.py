"""The finishing order of the depth-first search as it is: leaves first."""


def topo(out):
    if out.grad_fn is None:
        return []
    order, seen = [], set()
    stack = [(out.grad_fn, False)]
    while stack:
        fn, done = stack.pop()
        if done:
            order.append(fn)
        elif fn not in seen:
            seen.add(fn)
            stack.append((fn, True))
            stack.extend((child, False) for child, _ in fn.next_functions if child is not None)
    return order
