# Held out. Mistake: the list holds .grad itself, which is then zeroed in place and filled again
# True: aliases-grad
import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    h = trunk(x)
    loss_a, loss_b = head_a(h), head_b(h)
    for p in params:
        p.grad = torch.zeros_like(p)

    loss_a.backward(retain_graph=True)
    grads_a = [p.grad for p in params]
    for p in params:
        p.grad.zero_()

    loss_b.backward()
    grads_b = [p.grad for p in params]
    return grads_a, grads_b
