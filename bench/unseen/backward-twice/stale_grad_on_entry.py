# Mistake: .grad is cleared between the two passes but not before the first, so the gradients of loss a contain what .grad held on entry
# True: missing-zero-grad
import torch


def take_gradients(params):
    """Copy the gradients out of .grad and leave .grad empty for the next pass."""
    taken = []
    for p in params:
        if p.grad is None:
            taken.append(torch.zeros(p.shape, dtype=p.dtype, device=p.device))
        else:
            taken.append(p.grad.detach().clone())
            p.grad = None
    return taken


def grads_per_loss(trunk, head_a, head_b, x, params):
    features = trunk(x)
    losses = [head_a(features), head_b(features)]
    result = []
    for i, loss in enumerate(losses):
        if loss.requires_grad:
            # keep the saved tensors only while there is another pass to come
            loss.backward(retain_graph=(i + 1 < len(losses)))
        result.append(take_gradients(params))
    return result[0], result[1]
