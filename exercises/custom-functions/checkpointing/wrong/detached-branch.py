"""The result of the first run is detached from its arguments: there is no backward pass at all."""

import torch


def checkpoint(fn, *args):
    with torch.no_grad():
        out = fn(*args)
    return out.detach().requires_grad_(torch.is_grad_enabled())
