"""Detach at h: each head is differentiated with respect to h and its own parameters, then the trunk twice."""

import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    h = trunk(x)
    lists = []
    for head, last in ((head_a, False), (head_b, True)):
        cut = h.detach().requires_grad_()
        upstream, *direct = torch.autograd.grad(head(cut), [cut, *params], allow_unused=True)
        below = torch.autograd.grad(h, params, upstream, retain_graph=not last, allow_unused=True)
        total = []
        for p, one, other in zip(params, direct, below):
            g = torch.zeros_like(p)
            for part in (one, other):
                if part is not None:
                    g += part
            total.append(g)
        lists.append(total)
    return tuple(lists)
