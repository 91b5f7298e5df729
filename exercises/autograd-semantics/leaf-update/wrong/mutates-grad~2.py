"""The scaled gradient is put back into .grad as a new tensor."""

import torch


def sgd_step(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                p.grad = p.grad * -lr
                p.add_(p.grad)
