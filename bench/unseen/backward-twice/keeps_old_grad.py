# Mistake: what .grad held before the call is part of the first result
# True: missing-zero-grad
import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    h = trunk(x)
    la = head_a(h)
    lb = head_b(h)

    la.backward(retain_graph=True)
    ga = []
    for p in params:
        ga.append(p.grad.clone() if p.grad is not None else torch.zeros_like(p))
        p.grad = None

    lb.backward()
    gb = []
    for p in params:
        gb.append(p.grad.clone() if p.grad is not None else torch.zeros_like(p))
        p.grad = None
    return [g.detach() for g in ga], [g.detach() for g in gb]
