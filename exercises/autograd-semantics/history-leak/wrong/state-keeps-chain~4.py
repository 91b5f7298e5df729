"""detach() returns a new tensor, and the new tensor is thrown away."""


def track(step_fn, state, steps):
    losses = []
    for _ in range(steps):
        state.detach()
        loss, state = step_fn(state)
        loss.backward(retain_graph=True)
        losses.append(loss.item())
    return losses, state.detach()
