# Held out. Mistake: the returned mean is weighted, the backward pass is not
# True: missing-scaling
def accumulate_grads(mean_loss, X, Y, size):
    N = X.shape[0]
    mean = 0.0
    for start in range(0, N, size):
        xb, yb = X[start:start + size], Y[start:start + size]
        loss = mean_loss(xb, yb)
        loss.backward()
        mean += loss.item() * len(xb) / N
    return mean
