# Held out. Mistake: every portion is weighted with size / N, also a last portion that has fewer than `size` rows
# True: divides-by-count
def accumulate_grads(mean_loss, X, Y, size):
    n = len(X)
    weight = size / n
    mean = 0.0
    for start in range(0, n, size):
        stop = start + size
        loss = weight * mean_loss(X[start:stop], Y[start:stop])
        loss.backward()
        mean += loss.item()
    return mean
