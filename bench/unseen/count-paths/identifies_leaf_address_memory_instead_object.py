# Held out. Mistake: Identifies the leaf by the address of its memory (data_ptr) instead of by object identity, so another leaf that shares the memory is counted as well
# True: identity-by-value
def topological(root):
    order, seen = [], {root}
    stack = [(root, iter(root.next_functions))]
    while stack:
        fn, it = stack[-1]
        for nxt, _ in it:
            if nxt is not None and nxt not in seen:
                seen.add(nxt)
                stack.append((nxt, iter(nxt.next_functions)))
                break
        else:
            order.append(fn)
            stack.pop()
    return order[::-1]


def count_paths(out, leaf):
    if not out.requires_grad or not leaf.requires_grad:
        return 0
    if out.grad_fn is None:
        return int(out.data_ptr() == leaf.data_ptr())
    order = topological(out.grad_fn)
    count = {fn: 0 for fn in order}
    count[out.grad_fn] = 1
    result = 0
    for fn in order:
        if hasattr(fn, "variable") and fn.variable.data_ptr() == leaf.data_ptr():
            result += count[fn]
        for nxt, _ in fn.next_functions:
            if nxt is not None:
                count[nxt] += count[fn]
    return result
