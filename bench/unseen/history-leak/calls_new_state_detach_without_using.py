# Held out. Mistake: Calls new_state.detach() without using the result and needs retain_graph=True, so every loss is differentiated through all earlier steps
# True: state-keeps-chain
import torch


def track(step_fn, state, steps):
    state = state.detach()
    losses = []
    for t in range(steps):
        loss, new_state = step_fn(state)
        # otherwise: "Trying to backward through the graph a second time"
        loss.backward(retain_graph=True)
        losses.append(loss.item())
        new_state.detach()
        state = new_state
    return losses, state.detach()
