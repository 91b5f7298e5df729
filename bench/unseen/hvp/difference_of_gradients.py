# Held out. Mistake: the change of the gradient along v is taken as a finite difference, which is far less accurate than 1e-9
# True: finite-difference
import torch


def _gradient(f, point):
    t = point.detach().clone().requires_grad_(True)
    y = f(t)
    if not y.requires_grad:
        return torch.zeros_like(point)
    g = torch.autograd.grad(y, t, allow_unused=True)[0]
    return torch.zeros_like(point) if g is None else g.detach()


def hvp(f, x, v):
    """H v is how the gradient changes when x moves a little along v."""
    x0 = x.detach()
    d = v.detach()
    length = d.norm().item()
    if length == 0.0:
        return torch.zeros_like(x0)
    h = 1e-6 / length                 # always the same small step, however long v is
    return (_gradient(f, x0 + h * d) - _gradient(f, x0)) / h
