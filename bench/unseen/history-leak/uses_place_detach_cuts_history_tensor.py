# Held out. Mistake: Uses the in-place detach_(), which cuts the history of the tensor that the caller passed in
# True: mutates-input
def track(step_fn, state, steps):
    """Run `steps` detached steps. Return the losses as floats and the last state without a graph."""
    log = []
    for _ in range(steps):
        state.detach_()
        loss, state = step_fn(state)
        loss.backward()
        log.append(loss.item())
    state.detach_()
    return log, state
