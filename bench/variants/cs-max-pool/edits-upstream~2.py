"""Each one is taken away when it is sent."""

import numpy as np


def max_pool_forward_naive(x, pool_param):
    kh, kw, s = (pool_param[name] for name in ("pool_height", "pool_width", "stride"))
    rows = range(0, x.shape[2] - kh + 1, s)
    columns = range(0, x.shape[3] - kw + 1, s)
    out = np.empty(x.shape[:2] + (len(rows), len(columns)))
    winners = np.empty(out.shape, dtype=int)
    for i, top in enumerate(rows):
        for j, left in enumerate(columns):
            flat = x[:, :, top : top + kh, left : left + kw].reshape(*x.shape[:2], -1)
            winners[:, :, i, j] = flat.argmax(axis=2)
            out[:, :, i, j] = flat.max(axis=2)
    return out, (x.shape, winners, kw, s)


def max_pool_backward_naive(dout, cache):
    shape, winners, kw, s = cache
    dx = np.zeros(shape)
    for index, winner in np.ndenumerate(winners):
        n, c, i, j = index
        dx[n, c, i * s + winner // kw, j * s + winner % kw] += dout[index]
        dout[index] -= dout[index]
    return dx
