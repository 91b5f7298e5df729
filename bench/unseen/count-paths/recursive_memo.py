# Mistake: a memoised recursion is too deep for large graphs
# True: recursion-limit
from functools import lru_cache


def count_paths(out, leaf):
    if out.grad_fn is None:
        return 1 if (out is leaf and out.requires_grad) else 0

    @lru_cache(maxsize=None)
    def count(fn):
        if hasattr(fn, "variable"):
            return 1 if fn.variable is leaf else 0
        return sum(count(nxt) for nxt, _ in fn.next_functions if nxt is not None)

    return count(out.grad_fn)
