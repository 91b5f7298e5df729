"""AccumulateGrad nodes are taken for the tensors themselves and left out of the list."""


def topo(out):
    if out.grad_fn is None:
        return []
    order, seen = [], set()
    stack = [(out.grad_fn, False)]
    while stack:
        fn, done = stack.pop()
        if done:
            order.append(fn)
        elif fn not in seen and not hasattr(fn, "variable"):
            seen.add(fn)
            stack.append((fn, True))
            stack.extend((child, False) for child, _ in fn.next_functions if child is not None)
    return order[::-1]
