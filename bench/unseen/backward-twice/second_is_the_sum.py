# Mistake: the gradients are not cleared between the two passes
# True: grads-not-separated
import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    h = trunk(x)
    for p in params:
        p.grad = torch.zeros_like(p)
    head_a(h).backward(retain_graph=True)
    a = [p.grad.clone() for p in params]
    head_b(h).backward()
    b = [p.grad.clone() for p in params]
    return a, b
