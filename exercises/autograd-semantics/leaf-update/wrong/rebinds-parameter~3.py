import torch


def sgd_step(params, lr):
    with torch.no_grad():
        params[:] = [p if p.grad is None else torch.nn.Parameter(p - lr * p.grad) for p in params]
