"""Retention is asked for one result after the other, each after the pass."""


def intermediate_grads(fs, x):
    results = [x]
    for f in fs:
        results.append(f(results[-1]))
    x.grad = None
    results[-1].backward(retain_graph=True)
    grads = []
    for h in results:
        if not h.is_leaf:
            h.retain_grad()
        grads.append(h.grad)
    return grads
