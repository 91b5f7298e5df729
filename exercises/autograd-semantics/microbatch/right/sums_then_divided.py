"""Accumulate sums over rows, find the leaves in the graph, and divide their gradients once at the end."""

import torch


def accumulate_grads(mean_loss, X, Y, size):
    leaves, total = {}, 0.0
    for start in range(0, len(X), size):
        rows = slice(start, min(start + size, len(X)))
        loss = mean_loss(X[rows], Y[rows]) * (rows.stop - rows.start)
        stack, seen = [loss.grad_fn], set()
        while stack:
            fn = stack.pop()
            if fn is None or fn in seen:
                continue
            seen.add(fn)
            if hasattr(fn, "variable"):
                leaves[id(fn.variable)] = fn.variable
            stack += [target for target, _ in fn.next_functions]
        loss.backward()
        total += loss.item()
    with torch.no_grad():
        for leaf in leaves.values():
            leaf.grad /= len(X)
    return total / len(X)
