import torch


def _grad(y, t):
    if not y.requires_grad:
        return torch.zeros_like(t).detach()
    (g,) = torch.autograd.grad(y, t, torch.ones_like(y), materialize_grads=True)
    return g


def vjp(f, x, v):
    t = x.detach().requires_grad_()
    return _grad(f(t), t)


def jacobian_row(f, x, i):
    t = x.detach().requires_grad_()
    return _grad(f(t).reshape(-1)[i], t)


def jacobian_col(f, x, j):
    shape = f(x.detach()).shape
    return torch.stack([jacobian_row(f, x, i).reshape(-1)[j] for i in range(shape.numel())]).reshape(shape)
