# Held out. Mistake: the loss tensors are collected and turned into floats only at the end, so the graphs of all steps stay alive during the loop
# True: keeps-graphs
def one_step(step_fn, state):
    """A step from a state without history; returns the loss and the next state, cut again."""
    loss, new_state = step_fn(state)
    loss.backward()              # frees what the graph has saved
    return loss, new_state.detach()


def track(step_fn, state, steps):
    state = state.detach()
    log = []
    for _ in range(steps):
        loss, state = one_step(step_fn, state)
        log.append(loss)
    return [loss.item() for loss in log], state
