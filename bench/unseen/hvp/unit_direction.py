# Mistake: v is brought to length one
# True: wrong-scale
import torch


def hvp(f, x, v):
    v = v.detach()
    length = v.norm()
    u = v / length if length > 0 else v
    x = x.detach().requires_grad_()
    y = f(x)
    if not y.requires_grad:
        return torch.zeros_like(x)
    (g,) = torch.autograd.grad(y, x, create_graph=True, allow_unused=True)
    if g is None or not g.requires_grad:
        return torch.zeros_like(x)
    (h,) = torch.autograd.grad((g * u).sum(), x, allow_unused=True)
    return torch.zeros_like(x) if h is None else h
