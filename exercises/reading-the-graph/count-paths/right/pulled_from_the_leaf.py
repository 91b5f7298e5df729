"""In the opposite direction: the count of a function is the sum over its slots, computed when all of them are known."""


def count_paths(out, leaf):
    if out.grad_fn is None:
        return 1 if out is leaf and leaf.requires_grad else 0
    known = {None: 0}
    stack = [out.grad_fn]
    while stack:
        fn = stack[-1]
        missing = [target for target, _ in fn.next_functions if target not in known]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        if fn.name().endswith("AccumulateGrad"):
            known[fn] = 1 if fn.variable is leaf else 0
        else:
            known[fn] = sum(known[target] for target, _ in fn.next_functions)
    return known[out.grad_fn]
