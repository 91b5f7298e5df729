import torch


def sgd_step(params, lr):
    params = [p for p in params if p.grad is not None]
    if not params:
        return
    opt = torch.optim.SGD(params, lr=lr)
    opt.step()
    opt.zero_grad()
