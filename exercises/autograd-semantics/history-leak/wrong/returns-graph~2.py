"""The states are cut, and then made to require grad, the returned one too."""


def track(step_fn, state, steps):
    losses = []
    state = state.detach().requires_grad_()
    for _ in range(steps):
        loss, new_state = step_fn(state)
        loss.backward()
        losses.append(loss.item())
        state = new_state.detach().requires_grad_()
    return losses, state
