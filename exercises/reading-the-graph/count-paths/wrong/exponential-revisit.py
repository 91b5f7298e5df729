"""Every path is walked to its end, one by one."""


def count_paths(out, leaf):
    if out.grad_fn is None:
        return int(out is leaf and out.requires_grad)
    total = 0
    stack = [out.grad_fn]
    while stack:
        fn = stack.pop()
        if getattr(fn, "variable", None) is leaf:
            total += 1
        stack.extend(child for child, _ in fn.next_functions if child is not None)
    return total
