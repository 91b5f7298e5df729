"""Each step starts from a new leaf that requires grad. Its gradient is ignored."""


def track(step_fn, state, steps):
    losses = []
    for _ in range(steps):
        leaf = state.detach().clone().requires_grad_()
        loss, state = step_fn(leaf)
        losses.append(loss.item())
        loss.backward()
    return losses, state.data
