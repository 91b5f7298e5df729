# Held out. Mistake: the loop never goes backward
# True: no-grad-around-everything
def track(step_fn, state, steps):
    losses = []
    state = state.detach()
    for _ in range(steps):
        loss, state = step_fn(state.detach())
        losses.append(loss.item())
    return losses, state.detach()
