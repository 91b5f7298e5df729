# Held out. Mistake: The loop collects the loss tensors and converts them only at the end, so the graph nodes of all steps stay alive
# True: keeps-graphs
def track(step_fn, state, steps):
    history = []
    s = state.detach()
    for _ in range(steps):
        loss, s_new = step_fn(s)
        loss.backward()
        history.append(loss)
        s = s_new.detach()
    return [x.item() for x in history], s
