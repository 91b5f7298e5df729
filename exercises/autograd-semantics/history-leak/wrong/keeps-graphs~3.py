"""A list of all states as they came out of the steps holds their graphs."""


def track(step_fn, state, steps):
    losses = []
    states = [state]
    for _ in range(steps):
        loss, new_state = step_fn(states[-1].detach())
        loss.backward()
        losses.append(loss.item())
        states.append(new_state)
    return losses, states[-1].detach()
