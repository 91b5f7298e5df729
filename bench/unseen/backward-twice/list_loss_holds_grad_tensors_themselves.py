# Held out. Mistake: The list for loss a holds the .grad tensors themselves, which are then zeroed and refilled in place by the second pass
# True: aliases-grad
import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    for p in params:
        p.grad = torch.zeros_like(p)

    h = trunk(x)
    loss_a = head_a(h)
    loss_b = head_b(h)

    loss_a.backward(retain_graph=True)
    grads_a = [p.grad for p in params]

    for p in params:
        p.grad.zero_()

    loss_b.backward()
    grads_b = [p.grad.clone() for p in params]
    return grads_a, grads_b
