""".grad is cleared between the passes but not before the first: what was there is in the first list."""

import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    h = trunk(x)
    loss_a, loss_b = head_a(h), head_b(h)

    def read():
        return [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in params]

    loss_a.backward(retain_graph=True)
    grads_a = read()
    for p in params:
        p.grad = None
    loss_b.backward()
    return grads_a, read()
