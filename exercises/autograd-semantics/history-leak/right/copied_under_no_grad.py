"""The state is copied under no_grad, and each step is a function call, so its local variables are freed."""

import torch


def _step(step_fn, state):
    loss, after = step_fn(state)
    loss.backward()
    with torch.no_grad():
        return float(loss), after.clone()


def track(step_fn, state, steps):
    with torch.no_grad():
        state = state.clone()
    history = []
    for _ in range(steps):
        value, state = _step(step_fn, state)
        history.append(value)
    return history, state
