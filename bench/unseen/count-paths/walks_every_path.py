# Mistake: every path is walked, which takes exponential time
# True: exponential-revisit
def count_paths(out, leaf):
    if out.grad_fn is None:
        return 1 if out is leaf and leaf.requires_grad else 0
    total = 0
    stack = [out.grad_fn]
    while stack:
        fn = stack.pop()
        if hasattr(fn, "variable"):
            total += fn.variable is leaf
        for nxt, _ in fn.next_functions:
            if nxt is not None:
                stack.append(nxt)
    return int(total)
