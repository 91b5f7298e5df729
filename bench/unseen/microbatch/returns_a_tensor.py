# Mistake: the mean is returned as a tensor
# True: wrong-dtype
import torch


def accumulate_grads(mean_loss, X, Y, size):
    N = X.shape[0]
    mean = torch.zeros((), dtype=X.dtype)
    for xb, yb in zip(torch.split(X, size), torch.split(Y, size)):
        loss = mean_loss(xb, yb) * (len(xb) / N)
        loss.backward()
        mean += loss.detach()
    return mean
