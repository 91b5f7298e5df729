"""Forward, clear, backward, step, log; in training mode, which is restored at the end."""

import torch


def train(
    model: torch.nn.Module, batches: list[tuple[torch.Tensor, torch.Tensor]], epochs: int, lr: float
) -> list[float]:
    trainable = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.SGD(trainable, lr=lr)
    arrived = model.training
    model.train()
    history = []
    for _ in range(epochs):
        losses = []
        for x, y in batches:
            loss = ((model(x) - y) ** 2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        history.append(sum(losses) / len(losses))
    model.train(arrived)
    return history
