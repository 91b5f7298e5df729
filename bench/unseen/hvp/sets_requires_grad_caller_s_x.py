# Held out. Mistake: Sets requires_grad on the caller's x and does not restore it
# True: writes-grad
import torch


def hvp(f, x, v):
    direction = v.detach().clone()
    x.requires_grad_(True)
    y = f(x)
    if not y.requires_grad:
        return torch.zeros_like(x)
    g, = torch.autograd.grad(y, x, create_graph=True, allow_unused=True)
    if g is None or not g.requires_grad:
        return torch.zeros_like(x)
    hv, = torch.autograd.grad(g, x, grad_outputs=direction, allow_unused=True)
    return torch.zeros_like(x) if hv is None else hv
