# Held out. Mistake: retain_graph=True is passed to both passes, so the saved tensors of the trunk are never freed
# True: retains-graph
import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    h = trunk(x)
    result = []
    for head in (head_a, head_b):
        gs = torch.autograd.grad(head(h), params, retain_graph=True, allow_unused=True)
        result.append([torch.zeros_like(p) if g is None else g.detach().clone() for p, g in zip(params, gs)])
    return result[0], result[1]
