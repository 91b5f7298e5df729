"""The logged losses are clean, but the state is carried on with its history, and retain_graph hides it."""


def track(step_fn, state, steps):
    losses = []
    state = state.detach()
    for _ in range(steps):
        loss, state = step_fn(state)
        loss.backward(retain_graph=True)
        losses.append(loss.detach().item())
    return losses, state.detach()
