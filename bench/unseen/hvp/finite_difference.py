# Mistake: a difference of gradients is not accurate enough
# True: finite-difference
import torch


def hvp(f, x, v):
    eps = 1e-6

    def grad(point):
        point = point.detach().requires_grad_()
        out = f(point)
        return torch.autograd.grad(out, point, allow_unused=True, materialize_grads=True)[0]

    return (grad(x + eps * v) - grad(x - eps * v)) / (2 * eps)
