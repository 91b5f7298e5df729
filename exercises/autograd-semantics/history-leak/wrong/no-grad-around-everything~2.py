"""Recording is off from the second step on, to save memory: only the first gradient arrives."""

import torch


def track(step_fn, state, steps):
    losses = []
    state = state.detach()
    for t in range(steps):
        with torch.set_grad_enabled(t == 0):
            loss, new_state = step_fn(state)
        if t == 0:
            loss.backward()
        losses.append(loss.item())
        state = new_state.detach()
    return losses, state
