# Mistake: counts of an earlier call are found again in a default argument
# True: state-between-calls
def count_paths(out, leaf, cache={}):
    if out.grad_fn is None:
        return 1 if out is leaf and leaf.requires_grad else 0
    stack = [(out.grad_fn, False)]
    while stack:
        fn, done = stack.pop()
        if fn in cache:
            continue
        if getattr(fn, "variable", None) is leaf:
            cache[fn] = 1
        elif done:
            cache[fn] = sum(cache[f] for f, _ in fn.next_functions if f is not None)
        else:
            stack.append((fn, True))
            stack.extend((f, False) for f, _ in fn.next_functions if f is not None)
    return cache[out.grad_fn]
