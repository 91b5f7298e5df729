"""All parameters live in one vector, in which what a loss ignores has gradient zero by itself; the steps are a reduce."""

from functools import reduce

import torch


def maml_loss(loss_fn, params, tasks, *, inner_lr, inner_steps, first_order=False):
    sizes = [p.numel() for p in params]
    start = torch.cat([p.reshape(-1) for p in params])

    def loss(theta, batch):
        return loss_fn([part.view(p.shape) for part, p in zip(theta.split(sizes), params)], batch)

    def adapted(support):
        def step(theta, _):
            point = theta.detach().requires_grad_() if first_order else theta
            (slope,) = torch.autograd.grad(loss(point, support), point, create_graph=not first_order)
            return torch.sub(theta, slope, alpha=inner_lr)

        return reduce(step, range(inner_steps), start)

    return sum(loss(adapted(support), query) for support, query in tasks) / len(tasks)
