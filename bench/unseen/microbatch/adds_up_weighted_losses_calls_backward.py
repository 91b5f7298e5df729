# Held out. Mistake: Adds up the weighted losses and calls backward once after the loop, so all graphs are in memory at once
# True: keeps-graphs
import torch


def accumulate_grads(mean_loss, X, Y, size):
    N = X.shape[0]
    total = 0.0
    for xb, yb in zip(torch.split(X, size), torch.split(Y, size)):
        total = total + mean_loss(xb, yb) * (len(xb) / N)
    total.backward()
    return total.item()
