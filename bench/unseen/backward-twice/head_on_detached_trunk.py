# Mistake: the second head works on a detached trunk output, so its gradient misses the trunk
# True: detached-branch
import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    def grads(loss):
        gs = torch.autograd.grad(loss, params, allow_unused=True)
        return [torch.zeros_like(p) if g is None else g for p, g in zip(params, gs)]

    h = trunk(x)
    first = grads(head_a(h))
    second = grads(head_b(h.detach().requires_grad_()))
    return first, second
