"""The surrogate is computed as usual, and then its numbers are overwritten in place where autograd does not look."""

import torch


def disguise(surrogate, value):
    """The gradient of surrogate, a new tensor that its own backward pass does not read, with other numbers."""
    with torch.no_grad():
        return surrogate.copy_(value)


def round_ste(x):
    return disguise(x.clone(), x.round())


def sign_ste(x):
    return disguise(x.clamp(-1, 1), (x >= 0).to(x.dtype).mul(2).sub(1))
