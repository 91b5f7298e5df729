# Held out. Mistake: Every micro-batch gets the weight size / N, which is wrong for a smaller last one (and for size > N)
# True: divides-by-count
import torch


def accumulate_grads(mean_loss, X, Y, size):
    N = len(X)
    w = size / N
    total = 0.0
    for start in range(0, N, size):
        xb = X[start:start + size]
        yb = Y[start:start + size]
        loss = w * mean_loss(xb, yb)
        loss.backward()
        total += loss.item()
    return total
