# Mistake: the first backward frees the trunk, so the second one raises
# True: graph-freed
import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    h = trunk(x)
    loss_a = head_a(h)
    loss_b = head_b(h)

    for p in params:
        p.grad = None
    loss_a.backward()
    grads_a = [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in params]

    for p in params:
        p.grad = None
    loss_b.backward()
    grads_b = [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in params]
    return grads_a, grads_b
