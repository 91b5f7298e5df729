"""Compute the height of every function above the leaves, then sort by height and, for ties, by name."""


def topo(out):
    height = {None: -1}
    stack = [out.grad_fn]
    while stack:
        fn = stack[-1]
        targets = [] if fn is None else [target for target, _ in fn.next_functions]
        unknown = [target for target in targets if target not in height]
        if unknown:
            stack.extend(unknown)
        else:
            height.setdefault(fn, 1 + max((height[target] for target in targets), default=-1))
            stack.pop()
    del height[None]
    return sorted(height, key=lambda fn: (-height[fn], type(fn).__name__))
