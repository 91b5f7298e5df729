# Mistake: the state keeps its history, and retain_graph makes it run
# True: state-keeps-chain
def track(step_fn, state, steps):
    losses = []
    for _ in range(steps):
        loss, state = step_fn(state)
        loss.backward(retain_graph=True)
        losses.append(loss.item())
    return losses, state.detach()
