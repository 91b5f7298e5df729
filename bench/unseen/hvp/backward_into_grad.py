# Mistake: backward() is used, which adds to x.grad
# True: writes-grad, crash-when-constant
import torch


def hvp(f, x, v):
    x.requires_grad_(True)
    y = f(x)
    g = torch.autograd.grad(y, x, create_graph=True)[0]
    (g * v.detach()).sum().backward()
    return x.grad
