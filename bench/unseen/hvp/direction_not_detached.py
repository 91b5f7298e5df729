# Held out. Mistake: v is not detached and x is used as it is, so when v is x or was computed from x the derivative of v is added
# True: direction-not-detached
import torch


def hvp(f, x, v):
    # a leaf to differentiate by, unless x can already be differentiated by
    point = x if x.requires_grad else x.detach().requires_grad_(True)
    nothing = torch.zeros_like(x).detach()

    value = f(point)
    if not value.requires_grad:
        return nothing
    (gradient,) = torch.autograd.grad(value, point, create_graph=True, allow_unused=True)
    if gradient is None or not gradient.requires_grad:
        return nothing

    slope_along_v = (gradient * v).sum()
    (product,) = torch.autograd.grad(slope_along_v, point, allow_unused=True)
    return nothing if product is None else product
