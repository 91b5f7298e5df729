"""Every portion weighs size / N, as if the last one were full."""


def accumulate_grads(mean_loss, X, Y, size):
    n = len(X)
    size = min(size, n)
    total = 0.0
    for start in range(0, n, size):
        loss = mean_loss(X[start : start + size], Y[start : start + size]) * (size / n)
        loss.backward()
        total += loss.item()
    return total
