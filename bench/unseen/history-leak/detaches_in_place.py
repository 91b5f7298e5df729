# Mistake: the state that was passed in is detached in place
# True: mutates-input
def track(step_fn, state, steps):
    losses = []
    state.detach_()
    for _ in range(steps):
        loss, state = step_fn(state)
        loss.backward()
        losses.append(float(loss))
        state.detach_()
    return losses, state
