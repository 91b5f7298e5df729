# Held out. Mistake: a parameter that a loss does not reach gets None
# True: none-for-unreached
import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    h = trunk(x)
    loss_a, loss_b = head_a(h), head_b(h)
    ga = torch.autograd.grad(loss_a, params, retain_graph=True, allow_unused=True)
    gb = torch.autograd.grad(loss_b, params, allow_unused=True)
    return list(ga), list(gb)
