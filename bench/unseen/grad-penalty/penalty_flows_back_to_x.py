# Held out. Mistake: an x that requires grad is used without detach, so the penalty also sends a gradient to x and to whatever x was computed from.
# True: x-not-constant
from collections.abc import Callable

import torch


def gradient_penalty(
    critic: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor, *, target: float = 1.0
) -> torch.Tensor:
    if x.requires_grad:
        inp = x
    else:
        inp = x.clone().requires_grad_()
    scores = critic(inp)
    grads = torch.autograd.grad(
        outputs=scores,
        inputs=inp,
        grad_outputs=torch.ones_like(scores),
        create_graph=True,
        retain_graph=True,
    )[0]
    grads = grads.reshape(grads.shape[0], -1)
    penalty = (grads.norm(2, dim=1) - target).pow(2)
    return penalty.mean()
