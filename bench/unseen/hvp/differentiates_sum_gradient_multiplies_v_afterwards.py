# Held out. Mistake: Differentiates the sum of the gradient and multiplies by v afterwards, which gives (H 1) * v instead of H v
# True: diagonal-only
import torch


def hvp(f, x, v):
    with torch.enable_grad():
        leaf = x.detach().requires_grad_(True)
        value = f(leaf)
        if value.grad_fn is None and value is not leaf:
            return torch.zeros_like(x)
        first = torch.autograd.grad(value, leaf, create_graph=True, allow_unused=True)[0]
        if first is None or not first.requires_grad:
            return torch.zeros_like(leaf)
        second = torch.autograd.grad(first.sum(), leaf, allow_unused=True)[0]
    if second is None:
        return torch.zeros_like(leaf)
    return second * v.detach()
