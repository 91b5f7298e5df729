# Held out. Mistake: the leaf is recognised by its memory address, so two leaves that share memory are taken for one
# True: identity-by-value
def count_paths(out, leaf):
    if not out.requires_grad or not leaf.requires_grad:
        return 0
    if out.grad_fn is None:
        return 1 if out is leaf else 0

    wanted = leaf.data_ptr()

    def is_target(fn):
        return (type(fn).__name__ == "AccumulateGrad"
                and fn.variable.data_ptr() == wanted
                and fn.variable.shape == leaf.shape)

    # paths[fn] is filled in when all successors of fn have been counted
    paths = {}
    stack = [(out.grad_fn, False)]
    while stack:
        fn, successors_done = stack.pop()
        if fn in paths:
            continue
        successors = [g for g, _ in fn.next_functions if g is not None]
        if successors_done:
            paths[fn] = sum(paths[g] for g in successors)
        elif is_target(fn):
            paths[fn] = 1
        else:
            stack.append((fn, True))
            for g in successors:
                if g not in paths:
                    stack.append((g, False))
    return paths[out.grad_fn]
