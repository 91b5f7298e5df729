# Held out. Mistake: Collects the successors of a function in a set, so parallel slots (both operands of x * x) count as one path
# True: lost-multiplicity
def count_paths(out, leaf):
    if not out.requires_grad or not leaf.requires_grad:
        return 0
    if out.grad_fn is None:
        return 1 if out is leaf else 0

    paths = {}
    stack = [out.grad_fn]
    while stack:
        fn = stack[-1]
        if fn in paths:
            stack.pop()
            continue
        children = {f for f, _ in fn.next_functions if f is not None}
        todo = [c for c in children if c not in paths]
        if todo:
            stack.extend(todo)
            continue
        if hasattr(fn, "variable"):
            paths[fn] = 1 if fn.variable is leaf else 0
        else:
            paths[fn] = sum(paths[c] for c in children)
        stack.pop()
    return paths[out.grad_fn]
