"""Counts the functions that reach the leaf directly."""


def _order(root):
    order, seen = [], set()
    stack = [(root, False)]
    while stack:
        fn, done = stack.pop()
        if done:
            order.append(fn)
        elif fn not in seen:
            seen.add(fn)
            stack.append((fn, True))
            stack.extend((child, False) for child, _ in fn.next_functions if child is not None)
    return order


def count_paths(out, leaf):
    if out.grad_fn is None:
        return int(out is leaf and out.requires_grad)
    return sum(
        any(getattr(child, "variable", None) is leaf for child, _ in fn.next_functions)
        for fn in _order(out.grad_fn)
    )
