# Held out. Mistake: both backward passes keep the graph with retain_graph=True, so the saved tensors of the trunk are never freed while h lives.
# True: retains-graph
import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    h = trunk(x)
    result = []
    for loss in [head_a(h), head_b(h)]:
        grads = torch.autograd.grad(loss, params, retain_graph=True, allow_unused=True)
        result.append([torch.zeros_like(p).detach() if g is None else g.detach().clone() for p, g in zip(params, grads)])
    return tuple(result)
