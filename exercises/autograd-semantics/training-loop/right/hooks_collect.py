"""A hook on each parameter takes away the gradient that arrives, and only the parameters whose hook was called are updated.
The losses are a generator, and an ExitStack restores mode and hooks."""

from contextlib import ExitStack
from statistics import fmean

import torch


def train(model, batches, epochs, lr):
    arrived = []

    def take(p):
        arrived.append((p, p.grad))
        p.grad = None

    def losses():
        for x, y in batches:
            loss = (model(x) - y).square().mean()
            loss.backward()
            with torch.no_grad():
                while arrived:
                    p, slope = arrived.pop()
                    p.sub_(slope, alpha=lr)
            yield loss.item()

    with ExitStack() as on_return:
        on_return.callback(model.train, model.training)
        model.train()
        for p in filter(lambda p: p.requires_grad, model.parameters()):
            p.grad = None
            on_return.callback(p.register_post_accumulate_grad_hook(take).remove)
        return [fmean(losses()) for _ in range(epochs)]
