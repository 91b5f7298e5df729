"""Linear functions are applied backwards with their matrix: one-hot rows say which entry of x each entry of the output is."""

import math

import numpy as np


def scatter(grad_out, places, x):
    """places[i] is the number of the entry of x that entry i of the output shows."""
    one_hot = np.equal.outer(np.ravel(places), np.arange(x.size)).astype(float)
    return (np.ravel(grad_out) @ one_hot).reshape(x.shape)


def entries(x):
    return np.arange(x.size).reshape(x.shape)


def unbroadcast(broadcasted, original):
    return scatter(broadcasted, np.broadcast_to(entries(original), broadcasted.shape), original)


def log_back(grad_out, out, x):
    return np.divide(grad_out, x)


def negative_back(grad_out, out, x):
    return 0.0 - grad_out


def exp_back(grad_out, out, x):
    return np.multiply(out, grad_out)


def reshape_back(grad_out, out, x, new_shape):
    return scatter(grad_out, entries(x).reshape(new_shape), x)


def permute_back(grad_out, out, x, axes):
    return scatter(grad_out, entries(x).transpose(axes), x)


def getitem_back(grad_out, out, x, index):
    return scatter(grad_out, entries(x)[index], x)


def sum_back(grad_out, out, x, dim=None, keepdim=False):
    kept = np.sum(x, axis=dim, keepdims=True).shape
    return np.reshape(grad_out, kept) + np.zeros(x.shape)


multiply_back0 = lambda grad_out, out, x, y: unbroadcast(np.asarray(grad_out * y), x)
multiply_back1 = lambda grad_out, out, x, y: unbroadcast(np.asarray(grad_out * x), y)


def maximum_back0(grad_out, out, x, y):
    return unbroadcast(np.asarray(grad_out * (1 + np.sign(x - y)) / 2), x)


def maximum_back1(grad_out, out, x, y):
    return unbroadcast(np.asarray(grad_out * (1 - np.sign(x - y)) / 2), y)


def matmul2d_back0(grad_out, out, x, y):
    return (grad_out[:, None, :] * y[None, :, :]).sum(axis=2)


def matmul2d_back1(grad_out, out, x, y):
    return (x[:, :, None] * grad_out[:, None, :]).sum(axis=0)


def forward_and_back(a, b, c):
    """d log(abs(u)) = du / u, whatever the rest of the product is."""
    ones = np.ones(np.broadcast_shapes(a.shape, b.shape, c.shape))
    return unbroadcast(ones / a, a), unbroadcast(ones / b, b), unbroadcast(ones / (c * np.log(c)), c)
