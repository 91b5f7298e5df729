# Held out. Mistake: Does not handle linear or constant f: the second (or first) autograd.grad raises an error instead of returning zeros
# True: crash-when-constant
from torch import autograd


def hvp(f, x, v):
    """reverse over reverse: d/dx <grad f(x), v>"""
    point = x.detach().clone().requires_grad_()
    v = v.detach()
    grad_f, = autograd.grad(f(point), point, create_graph=True)
    dot = (grad_f * v).sum()
    result, = autograd.grad(dot, point)
    return result
