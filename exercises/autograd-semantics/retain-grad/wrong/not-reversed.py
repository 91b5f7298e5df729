"""Hooks run from the loss to x; the list is in this order."""


def intermediate_grads(fs, x):
    grads = []
    h = x
    h.register_hook(lambda g: grads.append(g.detach().clone()) or None)
    for f in fs:
        h = f(h)
        h.register_hook(lambda g: grads.append(g.detach().clone()) or None)
    h.backward()
    return grads
