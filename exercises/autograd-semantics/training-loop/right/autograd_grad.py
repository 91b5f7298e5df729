"""No optimiser and no .grad: the gradients are asked for, and subtracted in place."""

import torch


def train(model, batches, epochs, lr):
    was = model.training
    model.train(True)
    try:
        params = [p for p in model.parameters() if p.requires_grad]
        result = []
        for _ in range(epochs):
            total = 0.0
            for x, y in batches:
                error = model(x) - y
                loss = (error * error).sum() / error.numel()
                grads = torch.autograd.grad(loss, params, allow_unused=True)
                with torch.no_grad():
                    for p, g in zip(params, grads):
                        if g is not None:
                            p.sub_(g, alpha=lr)
                total += float(loss)
            result.append(total / len(batches))
        return result
    finally:
        model.train(was)
