# Held out. Mistake: the total is assigned instead of added up
# True: overwrites-instead-of-accumulating
def accumulate_grads(mean_loss, X, Y, size):
    n = X.shape[0]
    total = 0.0
    start = 0
    while start < n:
        stop = min(start + size, n)
        loss = mean_loss(X[start:stop], Y[start:stop]) * (stop - start) / n
        loss.backward()
        total = loss.item()
        start = stop
    return total
