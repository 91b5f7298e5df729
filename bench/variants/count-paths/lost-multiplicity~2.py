"""Each pair of functions is given one edge, whatever the number of slots between them."""


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
    ways = {out.grad_fn: 1}
    for fn in reversed(_order(out.grad_fn)):
        if getattr(fn, "variable", None) is leaf:
            return ways[fn]
        for child in dict.fromkeys(child for child, _ in fn.next_functions):
            if child is not None:
                ways[child] = ways.get(child, 0) + ways[fn]
    return 0
