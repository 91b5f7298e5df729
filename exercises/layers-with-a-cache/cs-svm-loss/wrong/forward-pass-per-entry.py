import numpy as np


def loss_of(x, y):
    examples = np.arange(len(x))
    margins = x - x[examples, y][:, None] + 1
    margins[examples, y] = 0
    return (margins * (margins.real > 0)).sum() / len(x)


def svm_loss(x, y):
    dx, stepped = np.zeros(x.shape), x.astype(complex)
    for place in np.ndindex(x.shape):
        stepped[place] += 1e-30j
        dx[place] = loss_of(stepped, y).imag / 1e-30
        stepped[place] = x[place]
    return loss_of(x, y), dx
