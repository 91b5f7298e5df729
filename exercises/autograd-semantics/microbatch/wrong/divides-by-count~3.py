def accumulate_grads(mean_loss, X, Y, size):
    n = X.shape[0]
    values = []
    i = 0
    while i < n:
        j = min(i + size, n)
        loss = mean_loss(X[i:j], Y[i:j])
        (loss * ((j - i) / n)).backward()
        values.append(loss.item())
        i = j
    return sum(values) / len(values)
