"""Computes value and gradient at once, with Hessian-vector products from the last step to the first, and gives both to autograd
in a Function."""

import torch
from torch.autograd import grad


def slopes(loss, points, **options):
    if not loss.requires_grad:
        return [torch.zeros_like(p) for p in points]
    found = grad(loss, points, allow_unused=True, **options)
    return [torch.zeros_like(p) if g is None else g for p, g in zip(points, found)]


class Meta(torch.autograd.Function):
    @staticmethod
    def forward(ctx, loss_fn, tasks, lr, steps, first_order, *params):
        total, gradients = 0.0, [torch.zeros_like(p) for p in params]
        with torch.enable_grad():
            for support, query in tasks:
                path = [[p.detach().requires_grad_() for p in params]]
                for _ in range(steps):
                    found = slopes(loss_fn(path[-1], support), path[-1])
                    path.append([(p - lr * g).detach().requires_grad_() for p, g in zip(path[-1], found)])
                loss = loss_fn(path[-1], query)
                v = slopes(loss, path[-1])
                for at in [] if first_order else reversed(path[:-1]):
                    first = slopes(loss_fn(at, support), at, create_graph=True)
                    product = slopes(sum((g * w).sum() for g, w in zip(first, v)), at)
                    v = [w - lr * h for w, h in zip(v, product)]
                total = total + loss.detach() / len(tasks)
                gradients = [g + w / len(tasks) for g, w in zip(gradients, v)]
        ctx.gradients = gradients
        return total

    @staticmethod
    def backward(ctx, g):
        return (None,) * 5 + tuple(g * gradient for gradient in ctx.gradients)


def maml_loss(loss_fn, params, tasks, *, inner_lr, inner_steps, first_order=False):
    return Meta.apply(loss_fn, tasks, inner_lr, inner_steps, first_order, *params)
