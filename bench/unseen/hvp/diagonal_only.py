# Held out. Mistake: v multiplies the row sums of the Hessian
# True: diagonal-only, crash-when-constant
import torch


def hvp(f, x, v):
    x = x.detach().requires_grad_()
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    return h * v
