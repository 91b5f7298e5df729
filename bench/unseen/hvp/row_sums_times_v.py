# Held out. Mistake: it multiplies v elementwise with the gradient of the summed gradient, (H 1) * v, which is H v only if the Hessian is diagonal.
# True: diagonal-only
import torch


def hvp(f, x, v):
    """H v, where H is the Hessian of the scalar function f at x and v a constant direction shaped like x."""
    x0 = x.detach().clone().requires_grad_(True)
    direction = v.detach()
    zero = torch.zeros_like(direction)

    y = f(x0)
    if not y.requires_grad:
        return zero
    g, = torch.autograd.grad(y, x0, create_graph=True, allow_unused=True)
    if g is None or not g.requires_grad:
        return zero
    h, = torch.autograd.grad(g.sum(), x0, allow_unused=True)
    if h is None:
        return zero
    return h.detach() * direction
