"""Connects answers.py with the checks: the functions of the course, and a VJP for each of them or for each pair."""

import numpy as np
import script

NAMES = (
    "log_back", "unbroadcast", "multiply_back0", "multiply_back1", "forward_and_back", "negative_back", "exp_back",
    "reshape_back", "permute_back", "sum_back", "maximum_back0", "maximum_back1", "matmul2d_back0", "matmul2d_back1",
    "getitem_back",
)  # fmt: skip
answers, error = script.run()
if error and NAMES[0] not in answers:
    raise error
globals().update({name: answers.get(name) or script.missing(name, error) for name in NAMES})


def log_vjp(g, x):
    return (log_back(g, np.log(x), x),)


def negative_vjp(g, x):
    return (negative_back(g, np.negative(x), x),)


def exp_vjp(g, x):
    return (exp_back(g, np.exp(x), x),)


def multiply_vjp(g, x, y):
    out = np.multiply(x, y)
    return multiply_back0(g, out, x, y), multiply_back1(g, out, x, y)


def maximum_vjp(g, x, y):
    out = np.maximum(x, y)
    return maximum_back0(g, out, x, y), maximum_back1(g, out, x, y)


def matmul2d_vjp(g, x, y):
    return matmul2d_back0(g, x @ y, x, y), matmul2d_back1(g, x @ y, x, y)


def reshape_vjp(g, x, new_shape):
    return (reshape_back(g, np.reshape(x, new_shape), x, new_shape),)


def permute_vjp(g, x, axes):
    return (permute_back(g, np.transpose(x, axes), x, axes),)


def sum_vjp(g, x, dim=None, keepdim=False):
    return (sum_back(g, np.sum(x, axis=dim, keepdims=keepdim), x, dim=dim, keepdim=keepdim),)


def getitem_vjp(g, x, index):
    return (getitem_back(g, x[index], x, index),)
