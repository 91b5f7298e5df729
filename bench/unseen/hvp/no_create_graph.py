# Mistake: the gradient has no graph, so the second grad raises
# True: missing-create-graph
import torch


def hvp(f, x, v):
    x = x.clone().detach().requires_grad_(True)
    grad = torch.autograd.grad(f(x), x)[0]
    return torch.autograd.grad((grad * v).sum(), x)[0]
