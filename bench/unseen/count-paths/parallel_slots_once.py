# Mistake: parallel slots count as one
# True: lost-multiplicity
def count_paths(out, leaf):
    if out.grad_fn is None:
        return int(out is leaf and leaf.requires_grad)
    order, seen, stack = [], set(), [(out.grad_fn, False)]
    while stack:
        fn, done = stack.pop()
        if done:
            order.append(fn)
            continue
        if fn in seen:
            continue
        seen.add(fn)
        stack.append((fn, True))
        for nxt, _ in fn.next_functions:
            if nxt is not None and nxt not in seen:
                stack.append((nxt, False))
    paths = {}
    for fn in order:
        if hasattr(fn, "variable"):
            paths[fn] = 1 if fn.variable is leaf else 0
        else:
            children = {nxt for nxt, _ in fn.next_functions if nxt is not None}
            paths[fn] = sum(paths[c] for c in children)
    return paths[out.grad_fn]
