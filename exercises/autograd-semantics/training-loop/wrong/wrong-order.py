"""The step comes before the backward pass and uses the gradient of the batch before."""

import torch


def train(model, batches, epochs, lr):
    opt = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=lr)
    was_training = model.training
    model.train()
    model.zero_grad()
    history = []
    for epoch in range(epochs):
        total = 0.0
        for x, y in batches:
            loss = torch.mean((model(x) - y) ** 2)
            opt.step()
            opt.zero_grad()
            loss.backward()
            total += loss.item()
        history.append(total / len(batches))
    model.train(was_training)
    return history
