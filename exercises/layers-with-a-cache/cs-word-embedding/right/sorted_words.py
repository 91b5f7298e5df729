"""Sorts the words and sums over each group; the result is a list and another function is unfinished."""

import numpy as np


def word_embedding_forward(x, W):
    return [np.take(W, x, axis=0), {"words": x.flatten(), "table": W}]


def word_embedding_backward(dout, cache):
    words, dW = cache["words"], 0 * cache["table"]
    order = np.argsort(words, kind="stable")
    found, starts = np.unique(words[order], return_index=True)
    dW[found] = np.add.reduceat(dout.reshape(len(words), -1)[order], starts, axis=0)
    return dW


def lstm_step_forward(x, prev_h, prev_c, Wx, Wh, b):
    raise NotImplementedError
