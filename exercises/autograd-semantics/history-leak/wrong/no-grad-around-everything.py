"""The steps run inside no_grad; nothing is kept, and there is nothing to go backward through."""

import torch


def track(step_fn, state, steps):
    losses = []
    with torch.no_grad():
        for _ in range(steps):
            loss, state = step_fn(state)
            if loss.requires_grad:
                loss.backward()
            losses.append(loss.item())
    return losses, state.detach()
