# Mistake: the product of the gradient and v is returned
# True: first-order-only
import torch


def hvp(f, x, v):
    y = x.detach().clone().requires_grad_(True)
    out = f(y)
    g, = torch.autograd.grad(out, y, allow_unused=True)
    if g is None:
        g = torch.zeros_like(y)
    return g * v
