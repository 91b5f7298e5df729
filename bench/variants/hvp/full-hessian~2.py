"""Goes through the Hessian row by row: no big matrix is kept, but one backward pass is made per entry."""

import torch


def hvp(f, x, v):
    t = x.detach().clone().requires_grad_()
    v = v.detach()
    y = f(t)
    if not y.requires_grad:
        return torch.zeros_like(t)
    (g,) = torch.autograd.grad(y, t, create_graph=True, materialize_grads=True)
    if not g.requires_grad:
        return torch.zeros_like(t)
    products = []
    for gi in g.reshape(-1):
        (row,) = torch.autograd.grad(gi, t, retain_graph=True, materialize_grads=True)
        products.append((row * v).sum())
    return torch.stack(products).reshape(t.shape)
