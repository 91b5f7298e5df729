# Held out. Mistake: each step keeps a set of functions, so ways that meet at one distance count once
# True: lost-multiplicity, counts-whether
def count_paths(out, leaf):
    if out.grad_fn is None:
        return int(out is leaf and out.requires_grad)
    frontier, found = {out.grad_fn}, 0
    while frontier:
        found += sum(getattr(fn, "variable", None) is leaf for fn in frontier)
        frontier = {f for fn in frontier for f, _ in fn.next_functions if f is not None}
    return found
