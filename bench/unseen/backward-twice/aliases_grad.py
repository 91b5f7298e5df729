# Mistake: the list of loss a holds the .grad tensors themselves, zeroed in place afterwards
# True: aliases-grad
import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    h = trunk(x)
    for p in params:
        p.grad = torch.zeros_like(p)
    head_a(h).backward(retain_graph=True)
    grads_a = [p.grad for p in params]
    for p in params:
        p.grad.zero_()
    head_b(h).backward()
    grads_b = [p.grad for p in params]
    return grads_a, grads_b
