"""The gradient of the sum and that of the first loss. Their difference is the gradient of the second loss."""

import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    h = trunk(x)
    a = head_a(h)
    both = a + head_b(h)
    first = torch.autograd.grad(a, params, retain_graph=True, materialize_grads=True)
    total = torch.autograd.grad(both, params, materialize_grads=True)
    return list(first), [t - f for t, f in zip(total, first)]
