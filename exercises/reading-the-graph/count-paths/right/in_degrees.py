"""Kahn's algorithm propagates the counts: a function is processed after its last consumer."""

from collections import Counter


def count_paths(out, leaf):
    root = out.grad_fn
    if root is None:
        return int(out is leaf and out.requires_grad)
    seen, todo, degree = {root}, [root], Counter()
    while todo:
        for target, _ in todo.pop().next_functions:
            degree[target] += 1
            if target is not None and target not in seen:
                seen.add(target)
                todo.append(target)
    ways, ready = Counter({root: 1}), [root]
    while ready:
        fn = ready.pop()
        for target, _ in fn.next_functions:
            ways[target] += ways[fn]
            degree[target] -= 1
            if target is not None and degree[target] == 0:
                ready.append(target)
    return sum(ways[fn] for fn in seen if getattr(fn, "variable", None) is leaf)
