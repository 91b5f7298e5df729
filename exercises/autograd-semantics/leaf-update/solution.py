"""The update is written into the parameter's own memory, with recording off."""

import torch


def sgd_step(params: list[torch.Tensor], lr: float) -> None:
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                p -= lr * p.grad
