"""The micro-batches are processed from the end of the data to its beginning."""


def accumulate_grads(mean_loss, X, Y, size):
    N = len(Y)
    parts = []
    for start in reversed(range(0, N, size)):
        xb, yb = X[start : start + size], Y[start : start + size]
        part = mean_loss(xb, yb).mul(len(yb)).div(N)
        part.backward()
        parts.append(part.item())
    return sum(parts)
