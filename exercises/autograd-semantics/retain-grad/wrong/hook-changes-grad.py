"""The hook keeps a gradient of length one and returns it: the pass goes on with it."""

import torch


def intermediate_grads(fs, x):
    grads = {}

    def keep(k):
        def hook(g):
            grads[k] = g.clone()
            return g / g.norm().clamp(min=1e-12)

        return hook

    h = x
    handles = [h.register_hook(keep(0))]
    for k, f in enumerate(fs, 1):
        h = f(h)
        handles.append(h.register_hook(keep(k)))
    h.backward()
    for handle in handles:
        handle.remove()
    return [grads[k] for k in range(len(fs) + 1)]
