# Mistake: the first state is used as it arrives, so its source gets a gradient
# True: returns-graph
def track(step_fn, state, steps):
    losses = []
    for _ in range(steps):
        loss, new_state = step_fn(state)
        loss.backward()
        losses.append(loss.item())
        state = new_state.detach()
    return losses, state
