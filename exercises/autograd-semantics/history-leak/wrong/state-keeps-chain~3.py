"""The state is cut on every other step only."""


def track(step_fn, state, steps):
    losses = []
    state = state.detach()
    for t in range(steps):
        loss, state = step_fn(state)
        loss.backward(retain_graph=True)
        losses.append(loss.item())
        if t % 2:
            state = state.detach()
    return losses, state.detach()
