# Mistake: the last, smaller portion is weighted as if it were full
# True: divides-by-count
def accumulate_grads(mean_loss, X, Y, size):
    N = X.shape[0]
    result = 0.0
    for start in range(0, N, size):
        loss = mean_loss(X[start:start + size], Y[start:start + size]) * (size / N)
        loss.backward()
        result += loss.item()
    return result
