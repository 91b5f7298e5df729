# Held out. Mistake: a set of visited nodes turns paths into reachability
# True: counts-whether
def count_paths(out, leaf):
    if out.grad_fn is None:
        return int(out is leaf and out.requires_grad)
    seen = set()
    stack = [out.grad_fn]
    count = 0
    while stack:
        fn = stack.pop()
        if fn in seen:
            continue
        seen.add(fn)
        if getattr(fn, "variable", None) is leaf:
            count += 1
        for nxt, _ in fn.next_functions:
            if nxt is not None:
                stack.append(nxt)
    return count
