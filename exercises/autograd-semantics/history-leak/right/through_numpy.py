"""The state is converted to numpy and back to a new tensor. Detached losses become floats at the end."""

import torch


def _fresh(state):
    return torch.from_numpy(state.detach().numpy().copy())


def track(step_fn, state, steps):
    current, losses = _fresh(state), []
    while len(losses) < steps:
        loss, after = step_fn(current)
        loss.backward()
        losses.append(loss.detach().clone())
        current = _fresh(after)
    return [loss.item() for loss in losses], current
