"""The losses are added up, and one backward pass at the end needs the graphs of all steps."""


def track(step_fn, state, steps):
    losses = []
    total = 0.0
    state = state.detach()
    for _ in range(steps):
        loss, new_state = step_fn(state)
        total = total + loss
        losses.append(loss.item())
        state = new_state.detach()
    if steps:
        total.backward()
    return losses, state
