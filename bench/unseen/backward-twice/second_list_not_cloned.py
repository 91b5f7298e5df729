# Held out. Mistake: the returned tensors of loss b are the .grad tensors themselves, so they change when .grad is written into later
# True: aliases-grad
import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    h = trunk(x)
    loss_a = head_a(h)
    loss_b = head_b(h)

    def reset():
        for p in params:
            p.grad = None

    def collect():
        return [torch.zeros_like(p) if p.grad is None else p.grad for p in params]

    reset()
    if loss_a.requires_grad:
        loss_a.backward(retain_graph=True)
    grads_a = collect()

    # None instead of zero_(): the second pass makes new tensors, so grads_a keeps its numbers
    reset()
    if loss_b.requires_grad:
        loss_b.backward()
    grads_b = collect()

    return grads_a, grads_b
