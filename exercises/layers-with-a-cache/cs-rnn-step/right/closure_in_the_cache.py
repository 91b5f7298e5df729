"""The cache is a function, and the result is a list."""

import numpy as np


def rnn_step_forward(x, prev_h, Wx, Wh, b):
    next_h = np.tanh(b + prev_h.dot(Wh) + x.dot(Wx))
    slope = (1 - next_h) * (1 + next_h)

    def backward(g):
        da = g * slope
        return [da.dot(Wx.T), da.dot(Wh.T), x.T.dot(da), prev_h.T.dot(da), np.ones(len(x)).dot(da)]

    return [next_h, backward]


def rnn_step_backward(dnext_h, cache):
    return cache(dnext_h)
