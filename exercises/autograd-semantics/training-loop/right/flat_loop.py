"""One loop over all steps; the library's loss; gradients are cleared after each step, and once before."""

import torch
import torch.nn.functional as F


def train(model, batches, epochs, lr):
    mode = model.training
    model.train()
    model.zero_grad(set_to_none=True)
    values = []
    for step in range(epochs * len(batches)):
        x, y = batches[step % len(batches)]
        loss = F.mse_loss(model(x), y)
        loss.backward()
        for p in model.parameters():
            if p.requires_grad and p.grad is not None:
                p.data.add_(p.grad, alpha=-lr)
        model.zero_grad(set_to_none=True)
        values.append(loss.item())
    model.train(mode)
    n = len(batches)
    return [sum(values[k * n : (k + 1) * n]) / n for k in range(epochs)]
