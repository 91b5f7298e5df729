import numpy as np


def loss_of(x, y):
    shifted = x - x.real.max(axis=1, keepdims=True)
    own = shifted[np.arange(len(x)), y]
    return (np.log(np.exp(shifted).sum(axis=1)) - own).mean()


def softmax_loss(x, y):
    dx, stepped = np.zeros(x.shape), x.astype(complex)
    for place in np.ndindex(x.shape):
        stepped[place] += 1e-30j
        dx[place] = loss_of(stepped, y).imag / 1e-30
        stepped[place] = x[place]
    return loss_of(x, y), dx
