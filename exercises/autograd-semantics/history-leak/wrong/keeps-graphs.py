"""The losses are logged as tensors and read at the end: each of them holds the graph of its step."""


def track(step_fn, state, steps):
    losses = []
    state = state.detach()
    for _ in range(steps):
        loss, new_state = step_fn(state)
        loss.backward()
        losses.append(loss)
        state = new_state.detach()
    return [loss.item() for loss in losses], state
