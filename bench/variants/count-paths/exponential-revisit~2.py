"""Plain recursion over all slots, without a memory of what is known."""


def count_paths(out, leaf):
    def below(fn):
        if fn is None:
            return 0
        if getattr(fn, "variable", None) is leaf:
            return 1
        return sum(below(child) for child, _ in fn.next_functions)

    if out.grad_fn is None:
        return int(out is leaf and out.requires_grad)
    return below(out.grad_fn)
