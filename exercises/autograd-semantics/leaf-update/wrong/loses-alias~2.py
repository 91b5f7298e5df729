import torch


def sgd_step(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad is None:
                continue
            new = p - lr * p.grad
            p.set_(new)
