"""A hook on an internal product computes the gradient. The value is added to a difference that is zero."""

import torch


def surrogate(x, value, mask):
    alias = x * 1
    if alias.requires_grad:
        alias.register_hook(lambda g: torch.where(mask, g, torch.zeros_like(g)))
    carrier = alias.sub(alias.detach())
    return carrier.add(value)


def round_ste(x):
    plain = x.detach()
    return surrogate(x, torch.round(plain), torch.ones_like(plain, dtype=torch.bool))


def sign_ste(x):
    plain = x.detach()
    negative = torch.lt(plain, 0).to(plain.dtype)
    return surrogate(x, 1 - 2 * negative, torch.eq(plain, plain.clamp(-1, 1)))
