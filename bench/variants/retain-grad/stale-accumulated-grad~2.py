"""Clears the old gradient of leaves only."""


def intermediate_grads(fs, x):
    if x.is_leaf:
        x.grad = None
    h = x
    chain = [h]
    for f in fs:
        h = f(h)
        chain.append(h)
    for t in chain:
        t.retain_grad()
    h.backward()
    return [t.grad.detach() for t in chain]
