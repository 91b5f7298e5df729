"""The returned mean is weighted, the gradients are not."""


def accumulate_grads(mean_loss, X, Y, size):
    n = len(X)
    total = 0.0
    for xb, yb in zip(X.split(size), Y.split(size)):
        loss = mean_loss(xb, yb)
        loss.backward()
        total += loss.item() * len(xb) / n
    return total
