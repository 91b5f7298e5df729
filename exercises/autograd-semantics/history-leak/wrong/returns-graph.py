"""The last state is returned as it came out of the last step."""


def track(step_fn, state, steps):
    losses = []
    for _ in range(steps):
        loss, new_state = step_fn(state.detach())
        loss.backward()
        losses.append(loss.item())
        state = new_state
    return losses, state
