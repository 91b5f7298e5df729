"""item() is called and its result is dropped; what is logged is the tensor."""


def track(step_fn, state, steps):
    losses = []
    state = state.detach()
    for _ in range(steps):
        loss, new_state = step_fn(state)
        loss.backward()
        loss.item()
        losses.append(loss)
        state = new_state.detach()
    return losses, state
