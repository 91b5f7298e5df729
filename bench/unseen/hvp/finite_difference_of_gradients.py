# Held out. Mistake: H v is approximated by a central difference of two gradients, whose truncation and rounding errors exceed the required accuracy.
# True: finite-difference
import torch


def _gradient(f, point):
    p = point.detach().clone().requires_grad_()
    y = f(p)
    if not y.requires_grad:
        return torch.zeros_like(point)
    (g,) = torch.autograd.grad(y, p, allow_unused=True)
    return torch.zeros_like(p).detach() if g is None else g.detach()


def hvp(f, x, v):
    x = x.detach()
    v = v.detach()
    size = v.norm().item()
    if size == 0:
        return torch.zeros_like(x)
    eps = 1e-5 / size
    return (_gradient(f, x + eps * v) - _gradient(f, x - eps * v)) / (2 * eps)
