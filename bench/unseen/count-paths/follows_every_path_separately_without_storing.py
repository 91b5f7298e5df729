# Held out. Mistake: Follows every path separately without storing the counts of visited functions, so the time is exponential
# True: exponential-revisit
def count_paths(out, leaf):
    """Walk all paths with an explicit stack (no recursion, because graphs are deep)."""
    if not (out.requires_grad and leaf.requires_grad):
        return 0
    if out.grad_fn is None:
        return int(out is leaf)
    n = 0
    stack = [out.grad_fn]
    while stack:
        fn = stack.pop()
        if getattr(fn, "variable", None) is leaf:
            n += 1
        for nxt, _ in fn.next_functions:
            if nxt is not None:
                stack.append(nxt)
    return n
