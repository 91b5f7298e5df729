# Held out. Mistake: .grad is cleared between the two passes but not before the first one, so old content of .grad ends up in the gradients of loss a
# True: missing-zero-grad
import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    hidden = trunk(x)
    la, lb = head_a(hidden), head_b(hidden)

    def collect():
        collected = []
        for p in params:
            collected.append(torch.zeros_like(p) if p.grad is None else p.grad.detach().clone())
            p.grad = None
        return collected

    la.backward(retain_graph=True)
    ga = collect()
    lb.backward()
    gb = collect()
    return ga, gb
