# Held out. Mistake: the losses are summed up and differentiated once at the end, so all graphs are alive
# True: keeps-graphs
def track(step_fn, state, steps):
    losses = []
    total = 0
    state = state.detach()
    for _ in range(steps):
        loss, new_state = step_fn(state)
        losses.append(loss.item())
        total = total + loss
        state = new_state.detach()
    if steps > 0:
        total.backward()
    return losses, state
