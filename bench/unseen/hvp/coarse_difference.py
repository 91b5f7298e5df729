# Held out. Mistake: a one-sided difference with a step of its own
# True: finite-difference
import torch


def hvp(f, x, v):
    h = 1e-5 / (1 + float(v.norm()))

    def slope(at):
        at = at.detach().clone().requires_grad_(True)
        y = f(at)
        if not y.requires_grad:
            return torch.zeros_like(at)
        (g,) = torch.autograd.grad(y, at, allow_unused=True)
        return torch.zeros_like(at) if g is None else g

    return (slope(x + h * v) - slope(x)) / h
