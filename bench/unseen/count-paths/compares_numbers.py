# Mistake: leaves are compared by their numbers
# True: identity-by-value
import torch


def count_paths(out, leaf):
    if out.grad_fn is None:
        return 1 if out is leaf and out.requires_grad else 0
    memo = {}
    stack = [out.grad_fn]
    while stack:
        fn = stack[-1]
        if fn in memo:
            stack.pop()
            continue
        if hasattr(fn, "variable"):
            memo[fn] = 1 if torch.equal(fn.variable, leaf) else 0
            stack.pop()
            continue
        todo = [n for n, _ in fn.next_functions if n is not None and n not in memo]
        if todo:
            stack.extend(todo)
        else:
            memo[fn] = sum(memo[n] for n, _ in fn.next_functions if n is not None)
            stack.pop()
    return memo[out.grad_fn]
