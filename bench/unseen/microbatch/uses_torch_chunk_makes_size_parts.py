# Held out. Mistake: Uses torch.chunk(X, size), which makes `size` parts instead of parts of `size` rows
# True: one-big-batch
import torch


def accumulate_grads(mean_loss, X, Y, size):
    rows = X.size(0)
    mean = 0.0
    for xb, yb in zip(torch.chunk(X, size), torch.chunk(Y, size)):
        weight = xb.size(0) / rows
        loss = mean_loss(xb, yb) * weight
        loss.backward()
        mean += loss.item()
    return mean
