"""A leaf without grad_fn is taken for the one that was asked about."""


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
        return int(out.requires_grad)
    count = {}
    for fn in _order(out.grad_fn):
        if hasattr(fn, "variable"):
            count[fn] = int(fn.variable is leaf)
        else:
            count[fn] = sum(count[child] for child, _ in fn.next_functions if child is not None)
    return count[out.grad_fn]
