# Mistake: rows that do not fill a portion are left out
# True: drops-last-partial
def accumulate_grads(mean_loss, X, Y, size):
    N = len(X)
    k = max(1, N // size)
    out = 0.0
    for i in range(k):
        xb = X[i * size:(i + 1) * size]
        yb = Y[i * size:(i + 1) * size]
        loss = mean_loss(xb, yb) * len(xb) / N
        loss.backward()
        out += loss.item()
    return out
