# Held out. Mistake: the counts are kept in a numpy int64 array, which wraps around at 2**63, so large numbers of paths (200 squarings) come out wrong.
# True: inexact-integer
import numpy as np


def count_paths(out, leaf):
    """The number of paths from `out` to `leaf` in the backward graph of `out`, as an int."""
    if not out.requires_grad or not leaf.requires_grad:
        return 0
    if out.grad_fn is None:
        return 1 if out is leaf else 0

    # postorder with an explicit stack
    order, index, entered = [], {}, set()
    stack = [(out.grad_fn, False)]
    while stack:
        fn, done = stack.pop()
        if done:
            index[fn] = len(order)
            order.append(fn)
            continue
        if fn in entered:
            continue
        entered.add(fn)
        stack.append((fn, True))
        for nxt, _ in fn.next_functions:
            if nxt is not None and nxt not in entered:
                stack.append((nxt, False))

    paths = np.zeros(len(order), dtype=np.int64)
    for i, fn in enumerate(order):
        if getattr(fn, "variable", None) is leaf:
            paths[i] = 1
        else:
            for nxt, _ in fn.next_functions:
                if nxt is not None:
                    paths[i] += paths[index[nxt]]
    return int(paths[-1])
