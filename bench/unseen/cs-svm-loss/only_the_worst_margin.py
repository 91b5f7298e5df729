# Held out. Mistake: only the largest margin of each example counts (max over the wrong classes instead of their sum), in the loss and in the gradient.
# True: only-the-largest-margin
import numpy as np


def svm_loss(x, y):
    """hinge loss: the true class has to beat its strongest rival by 1"""
    n = len(y)
    loss = 0.0
    dx = np.zeros(x.shape)
    for k in range(n):
        t = y[k]
        m = x[k] - x[k, t] + 1
        m[t] = -np.inf
        rival = int(np.argmax(m))
        if m[rival] > 0:
            loss += m[rival]
            dx[k, rival] += 1
            dx[k, t] -= 1
    return float(loss / n), dx / n
