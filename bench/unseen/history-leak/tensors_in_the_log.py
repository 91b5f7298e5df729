# Mistake: the log holds detached tensors instead of floats
# True: tensors-in-log
def track(step_fn, state, steps):
    losses = []
    state = state.detach()
    for _ in range(steps):
        loss, state = step_fn(state)
        loss.backward()
        losses.append(loss.detach())
        state = state.detach()
    return losses, state
