# Mistake: v is not detached and gets differentiated
# True: direction-not-detached
import torch


def hvp(f, x, v):
    x_ = x if x.requires_grad else x.detach().requires_grad_()
    out = f(x_)
    if not out.requires_grad:
        return torch.zeros_like(x)
    g, = torch.autograd.grad(out, x_, create_graph=True, materialize_grads=True, allow_unused=True)
    dot = (g * v).sum()
    if not dot.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(dot, x_, allow_unused=True, materialize_grads=True)[0]
