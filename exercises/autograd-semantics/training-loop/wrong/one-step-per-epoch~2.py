"""The losses of an epoch are added up, and their mean is differentiated at the end."""

import torch


def train(model, batches, epochs, lr):
    params = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.SGD(params, lr=lr)
    was_training = model.training
    model.train()
    history = []
    for epoch in range(epochs):
        total = 0.0
        for x, y in batches:
            loss = torch.mean((model(x) - y) ** 2)
            total = total + loss
        mean = total / len(batches)
        opt.zero_grad()
        mean.backward()
        opt.step()
        history.append(mean.item())
    model.train(was_training)
    return history
