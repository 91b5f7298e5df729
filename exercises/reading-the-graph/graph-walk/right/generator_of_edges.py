"""A generator of slots over a list that grows while it is read; a dictionary numbers every function at its first look-up."""

from collections import defaultdict
from itertools import count


def slots(root):
    """(function, slot, next function or None, output number) for every slot that root reaches."""
    reached = [root]
    known = {root}
    for fn in reached:
        for slot, (target, output) in enumerate(fn.next_functions):
            yield fn, slot, target, output
            if target is not None and target not in known:
                known.add(target)
                reached.append(target)


def graph(out):
    if out.grad_fn is None:
        return {"root": None, "nodes": [], "edges": []}
    number = defaultdict(count().__next__)
    root = number[out.grad_fn]
    edges = [
        (number[fn], slot, None, 0) if target is None else (number[fn], slot, number[target], output)
        for fn, slot, target, output in slots(out.grad_fn)
    ]
    return {"root": root, "nodes": [type(fn).__name__ for fn in number], "edges": edges}
