"""Input, previous state and a column of ones are one matrix; another function of the file is unfinished."""

import numpy as np


def rnn_step_forward(x, prev_h, Wx, Wh, b):
    rows = np.concatenate([x, prev_h, np.ones((x.shape[0], 1))], axis=1)
    matrix = np.concatenate([Wx, Wh, b[None]])
    next_h = np.tanh(np.matmul(rows, matrix))
    return next_h, {"rows": rows, "matrix": matrix, "next_h": next_h, "D": x.shape[1]}


def rnn_step_backward(dnext_h, cache):
    D = cache["D"]
    da = dnext_h - dnext_h * cache["next_h"] ** 2
    drows, dmatrix = da @ cache["matrix"].T, cache["rows"].T @ da
    return drows[:, :D], drows[:, D:-1], dmatrix[:D], dmatrix[D:-1], dmatrix[-1]


def rnn_forward(x, h0, Wx, Wh, b):
    raise NotImplementedError
