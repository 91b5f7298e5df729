# Held out. Mistake: every portion has the weight one over the number of portions
# True: divides-by-count
import math


def accumulate_grads(mean_loss, X, Y, size):
    n = math.ceil(len(X) / size)
    total = 0.0
    for i in range(n):
        loss = mean_loss(X[i * size:(i + 1) * size], Y[i * size:(i + 1) * size]) / n
        loss.backward()
        total += loss.item()
    return total
