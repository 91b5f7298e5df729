# Held out. Mistake: The first state is not detached, so the first loss propagates into the tensor it came from (and with steps = 0 the result keeps its graph)
# True: returns-graph
def track(step_fn, state, steps):
    losses = []
    current = state
    while len(losses) < steps:
        loss, following = step_fn(current)
        loss.backward()
        losses.append(float(loss.item()))
        current = following.detach()
        del loss, following
    return losses, current
