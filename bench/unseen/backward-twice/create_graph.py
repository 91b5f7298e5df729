# Held out. Mistake: gradients are made with a graph of their own
# True: retains-graph
import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    h = trunk(x)

    def of(loss):
        found = torch.autograd.grad(loss, params, create_graph=True, allow_unused=True)
        return [torch.zeros_like(p) if g is None else g for g, p in zip(found, params)]

    return of(head_a(h)), of(head_b(h))
